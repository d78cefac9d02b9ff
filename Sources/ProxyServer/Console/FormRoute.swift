import HTTPKit
import ImagePlan

/// `POST /actions/NAME`: a form of the pages, carried out by a route of the API.
///
/// Browsers without scripts are redirected to the page, which then shows the result (303); scripts, which accept JSON, get it at
/// once: `{"text":…,"error":…,"job":…}`.
struct FormRoute: AdminRoute {
    /// The route that does what the form says, with the same checks as for other clients.
    let route: any AdminRoute
    let notices: Notices
    /// Creates the request of the API.
    let translate: @Sendable (FormFields, inout AdminRequest) throws(Problem) -> Void
    /// Describes the JSON of a successful response.
    let describe: @Sendable (FormFields, JSONValue) -> String

    func destination(_ query: [UInt8]) -> BodyDestination? { .memory(limit: FormFields.longest) }

    func answer(_ request: AdminRequest) -> AdminAnswer {
        let form = FormFields(request.body)
        let wantsJSON = request.fields["accept"]?.contains("application/json") ?? false
        var translated = request
        do throws(Problem) {
            try translate(form, &translated)
        } catch {
            return .now(response(Notices.Notice(text: error.detail, isError: true), wantsJSON))
        }
        switch route.answer(translated) {
        case .now(let answer): return .now(response(notice(answer, form), wantsJSON))
        case .later(let start):
            return .later { [self] complete in
                start { complete(response(notice($0, form), wantsJSON)) }
            }
        }
    }

    private func notice(_ answer: Response, _ form: FormFields) -> Notices.Notice {
        var json = JSONValue.null
        if case .bytes(let bytes, let range) = answer.body {
            json = JSONValue(parsing: String(decoding: bytes[range], as: UTF8.self)) ?? .null
        }
        guard answer.status < 300 else {
            let detail = json["detail"]?.words ?? StatusPhrase.of(answer.status)
            return Notices.Notice(text: detail, isError: true)
        }
        return Notices.Notice(text: describe(form, json), isError: false, job: json["id"]?.int)
    }

    private func response(_ notice: Notices.Notice, _ wantsJSON: Bool) -> Response {
        guard wantsJSON else { return .redirection(to: "/?notice=\(notices.keep(notice))#notice") }
        var members: [JSONValue.Member] = [.init("text", .string(notice.text)), .init("error", .bool(notice.isError))]
        if let job = notice.job { members.append(.init("job", .number(job))) }
        return .admin(.object(members))
    }
}
