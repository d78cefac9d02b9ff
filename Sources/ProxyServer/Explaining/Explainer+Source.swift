import HTTPSemantics
import ImagePipeline
import OriginTransfer

extension Explainer {
    /// The key prefixes that have separate sections.
    private static let groups = InheritedSetting.sections
    private static let freshness = ["ttl", "ttl-min", "ttl-max"]
    /// Keys that `/fetch` has under `remote`.
    private static let remoteKeys = ["allow-private", "raw", "ignore-query", "unkeyed-query", "sort-query", "unsigned"]

    /// The source and the settings of its requests.
    func sourceSection(_ request: ExplainedRequest) -> Explanation.Section {
        var facts = settings(of: request) { key in
            !Explainer.freshness.contains(key) && !Explainer.groups.contains { key.hasPrefix($0 + ".") }
        }
        if request.isRemote {
            let allow = loaded.configuration.remote.allow.map { JSONValue.string($0.text) }
            let origin = loaded.origin(of: "remote.allow")
            facts.insert(Explanation.Fact("allow", .array(allow), .setting(origin)), at: 0)
        }
        return Explanation.Section(name: "source", facts: facts)
    }

    /// Limits, timeouts, default qualities, formats, freshness.
    func ruleSections(_ request: ExplainedRequest) -> [Explanation.Section] {
        let groups = Explainer.groups.map { group in
            let facts = settings(of: request) { $0.hasPrefix(group + ".") }
            return Explanation.Section(
                name: group,
                facts: facts.map { fact in
                    var fact = fact
                    fact.name = String(fact.name.dropFirst(group.count + 1))
                    return fact
                }
            )
        }
        let freshness = settings(of: request, where: Explainer.freshness.contains)
        return groups + [Explanation.Section(name: "freshness", facts: freshness)]
    }

    /// The upstream URL or file, and the verdict of the address policy.
    func upstreamSection(_ request: ExplainedRequest) -> Explanation.Section {
        let origin = request.origin
        let said = FactOrigin.parameter(request.urlParameter)
        guard let verdict = origin.verdict else {
            return Explanation.Section(
                name: "upstream",
                facts: [
                    Explanation.Fact(
                        request.isRemote ? "data" : "file",
                        .string(origin.place),
                        request.isRemote ? said : .path
                    )
                ]
            )
        }
        let rule = loaded.origin(of: request.isRemote ? "remote.allow-private" : key("allow-private", request))
        return Explanation.Section(
            name: "upstream",
            facts: [
                Explanation.Fact(
                    origin.target.isPage ? "page" : "url",
                    .string(origin.target.text),
                    request.isRemote ? said : .path
                ),
                Explanation.Fact(
                    "address",
                    .object([
                        .init("verdict", .string(verdict.decision.rawValue)), .init("rule", .string(verdict.rule)),
                    ]),
                    words: "\(verdict.decision.rawValue) (\(verdict.rule)): \(Explainer.words(verdict, request.rule))",
                    .setting(rule)
                ),
            ]
        )
    }

    private static func words(_ verdict: AddressPolicy.Verdict, _ rule: SourceRule) -> String {
        switch verdict.rule {
        case AddressPolicy.Verdict.nameRule where rule.proxy != nil: "resolved by the proxy, and not checked here"
        case AddressPolicy.Verdict.nameRule: "checked when the name is resolved"
        case AddressPolicy.Verdict.publicRule: "a public address"
        case AddressPolicy.Verdict.privateRule: "all addresses are allowed"
        default: "not allowed"
        }
    }

    /// The keys of a source with their effective values, in the schema's order.
    private func settings(
        of request: ExplainedRequest,
        where isMeant: (String) -> Bool
    ) -> [Explanation.Fact] {
        let draft = SourceSchema.Draft(
            rule: request.rule,
            location: request.rule.location,
            preset: request.entry.preset,
            reading: request.entry.reading
        )
        return SourceSchema.table.settings.compactMap { setting in
            guard isMeant(setting.name), isKnown(setting.name, request) else { return nil }
            // Any header field may contain credentials, so only names are shown.
            let value =
                setting.name == "headers"
                ? JSONValue.array(request.rule.headers.map { .string($0.name) })
                : setting.write(draft).map(JSONValue.init)
            let origin = origin(of: setting.name, request)
            return value.map { value in
                var fact = Explanation.Fact(setting.name, value, .setting(origin))
                fact.isDefault = origin.place == nil
                return fact
            }
        }
    }

    /// Whether a key applies to this source.
    private func isKnown(_ name: String, _ request: ExplainedRequest) -> Bool {
        let strange = request.rule.isRaw ? SourceReader.pictureKeys : SourceReader.rawKeys
        // The accepted methods are shown with the request.
        guard name != "methods", !strange.contains(name) else { return false }
        guard request.isRemote else { return true }
        return isInherited(name) || Explainer.freshness.contains(name) || Explainer.remoteKeys.contains(name)
    }

    /// The key that determines a setting: the source's own, the inherited one, or none.
    private func origin(of name: String, _ request: ExplainedRequest) -> SettingOrigin {
        if let origin = ruleOrigin(of: name, request) { return origin }
        guard request.isRemote else {
            return isInherited(name)
                ? loaded.origin(of: key(name, request), name) : loaded.origin(of: key(name, request))
        }
        if isInherited(name) { return loaded.origin(of: name) }
        return Explainer.remoteKeys.contains(name)
            ? loaded.origin(of: "remote.\(name)") : SettingOrigin(key: "", place: nil)
    }

    /// Whether the file's top has the same key.
    private func isInherited(_ name: String) -> Bool { InheritedSetting.all.contains { $0.top.name == name } }

    private func key(_ name: String, _ request: ExplainedRequest) -> String {
        "sources.\(request.rule.localName).\(name)"
    }
}

extension OriginTarget {
    /// Whether it is the picture of a page.
    fileprivate var isPage: Bool { if case .page = self { true } else { false } }
}
