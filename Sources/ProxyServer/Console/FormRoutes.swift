import HTTPKit
import HTTPSemantics
import ImagePlan

/// The routes that the forms of the pages are carried out by.
struct FormTargets: Sendable {
    let purge: PurgeRoute
    let warm: WarmRoute
    let cancel: WarmCancelRoute
    let forget: ForgetFailuresRoute
    let source: SourceSwitchRoute
}

extension FormRoute {
    /// All forms.
    static func all(_ targets: FormTargets, _ notices: Notices) -> [(HTTPMethod, String, any AdminRoute)] {
        [
            (.post, "/actions/purge", purge(targets.purge, notices)),
            (.post, "/actions/warm", warm(targets.warm, notices)),
            (.post, "/actions/cancel", cancel(targets.cancel, notices)),
            (.post, "/actions/forget", forget(targets.forget, notices)),
            (.post, "/actions/source", source(targets.source, notices)),
        ]
    }

    /// What the form for purges can select: the member of `POST /purge`, and its name on the page.
    static let selections = [
        ("url", "URL or path"), ("prefix", "Everything below a path or URL"), ("source", "Source"), ("tag", "Tag"),
        ("preset", "Preset"), ("older-than", "Not revalidated for (7d, 12h)"), ("expired", "Expired"),
        ("all", "Everything"),
    ]

    private static func purge(_ route: PurgeRoute, _ notices: Notices) -> FormRoute {
        FormRoute(route: route, notices: notices) { form, request throws(Problem) in
            request.body = Array(try order(form).text.utf8)
        } describe: { form, json in
            func count(_ name: String) -> Int { json[name]?.int ?? 0 }
            let found = [
                Printing.count(count("originals"), "original"), Printing.count(count("variants"), "variant"),
                "\(Printing.size(count("bytes"))) on disk", "\(LiveText.count(count("memory"))) in memory",
            ].joined(separator: ", ")
            return form.isSet("dry") ? "Would purge \(found)." : "Purged \(found)."
        }
    }

    /// The order of `POST /purge` that a form stands for.
    private static func order(_ form: FormFields) throws(Problem) -> JSONValue {
        let (what, value) = (form["what"], form["value"])
        guard selections.contains(where: { $0.0 == what }) else {
            throw Problem(400, "Choose what to purge.", parameter: "what")
        }
        var members: [JSONValue.Member] = []
        switch what {
        case "expired": members.append(.init(what, .bool(true)))
        case "all":
            guard value == "everything" || form.isSet("dry") else {
                throw Problem(400, "To purge everything, enter the word everything.", parameter: "value")
            }
            members.append(.init(what, .bool(true)))
        default:
            guard !value.isEmpty else { throw Problem(400, "Enter what to purge.", parameter: "value") }
            members.append(.init(what, .string(value)))
        }
        if form.isSet("soft") { members.append(.init("soft", .bool(true))) }
        if form.isSet("dry") { members.append(.init("dry", .bool(true))) }
        if !form["tier"].isEmpty { members.append(.init("tier", .string(form["tier"]))) }
        return .object(members)
    }

    private static func warm(_ route: WarmRoute, _ notices: Notices) -> FormRoute {
        FormRoute(route: route, notices: notices) { form, request throws(Problem) in
            let order = WarmOrder(
                urls: form.lines("urls"),
                presets: form.list("presets"),
                formats: form.list("formats")
            )
            guard !order.urls.isEmpty else {
                throw Problem(400, "Enter at least one path or URL, one in each line.", parameter: "urls")
            }
            request.body = Array(order.json.text.utf8)
        } describe: { _, json in
            "Warm job \(json["id"]?.int ?? 0) has started with \(Printing.count(json["total"]?.int ?? 0, "target"))."
        }
    }

    private static func cancel(_ route: WarmCancelRoute, _ notices: Notices) -> FormRoute {
        FormRoute(route: route, notices: notices) { form, request in
            request.rest = form["id"]
        } describe: { form, _ in
            "Warm job \(form["id"]) is cancelled."
        }
    }

    private static func forget(_ route: ForgetFailuresRoute, _ notices: Notices) -> FormRoute {
        FormRoute(route: route, notices: notices) { form, request in
            let source = form["source"]
            guard !source.isEmpty else {
                request.query = []
                return
            }
            func encoded(_ text: String) -> String {
                PercentEncoding.encode(text.utf8, except: PercentEncoding.isUnreserved)
            }
            let parts = source.split(separator: "/", maxSplits: 1).map(String.init)
            let site = parts.count > 1 ? "&site=\(encoded(parts[0]))" : ""
            request.query = Array("source=\(encoded(parts.last ?? ""))\(site)".utf8)
        } describe: { form, json in
            let of = form["source"].isEmpty ? "" : " of \(form["source"])"
            return "Forgot \(Printing.count(json["forgotten"]?.int ?? 0, "failure"))\(of)."
        }
    }

    private static func source(_ route: SourceSwitchRoute, _ notices: Notices) -> FormRoute {
        FormRoute(route: route, notices: notices) { form, request in
            request.rest = "\(form["source"])/\(form["action"])"
        } describe: { form, json in
            let isOffline = json["offline"] == .bool(true)
            let state = json["suspended"] == .bool(true) ? "suspended" : isOffline ? "offline" : "on again"
            return "\(form["source"]) is \(state)."
        }
    }
}
