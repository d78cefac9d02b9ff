import HTTPKit
import HTTPSemantics
import ImagePipeline
import ImagePlan
import LinuxSystem
import OriginTransfer

/// Explains requests under one configuration, without fetching, resolving names or writing.
struct Explainer: Sendable {
    let loaded: LoadedConfiguration
    let time: any TimeSource
    private(set) var resolver: RequestResolver

    /// Creates an explainer with the daemon's rules.
    ///
    /// - Parameter mount: the beginning of the site's paths, which targets do not have.
    /// - Throws: `RequestError` for an invalid preset, which validation has excluded.
    init(_ loaded: LoadedConfiguration, mount: String = "", time: any TimeSource) throws(RequestError) {
        self.loaded = loaded
        self.time = time
        resolver = try RequestResolver(loaded.configuration, time: time, mount: mount)
    }

    /// Explains a GET.
    ///
    /// - Parameters:
    ///   - target: path and query as sent, or a full URL.
    ///   - accept: the client's `Accept` field.
    ///   - fields: the client's other fields.
    func explain(_ target: String, accept: String? = nil, fields: FieldLines = FieldLines()) -> Explanation {
        var explanation = Explanation(target: target)
        do throws(Problem) {
            let request = try parsed(target, accept, fields)
            if request.isFixed {
                explanation.sections = [Explainer.fixedSection]
                return explanation
            }
            if PlainPictureTarget.takes(request.bytes, in: resolver.table) {
                explanation.sections = [Explainer.plainSection]
                let longest = loaded.configuration.placeholders.largest
                explanation.problem = PlainPictureTarget.refusal(
                    of: request.bytes,
                    by: resolver,
                    longest: longest,
                    now: time.wallSeconds
                )
                return explanation
            }
            with(request.traits).explain(request, accept, &explanation)
        } catch {
            explanation.problem = error
        }
        return explanation
    }

    func parsed(_ target: String, _ accept: String?, _ fields: FieldLines) throws(Problem) -> ExplainedTarget {
        try ExplainedTarget(target, accept: accept, fields: fields, matchers: resolver.table.rules.matchers)
    }

    /// The explainer for requests that fulfil some conditions of rules.
    func with(_ traits: RequestTraits) -> Explainer {
        var explainer = self
        explainer.resolver.traits = traits
        return explainer
    }

    private func explain(_ request: ExplainedTarget, _ accept: String?, _ explanation: inout Explanation) {
        do throws(Problem) {
            explanation.problem = refusal(of: request)
            explanation.sections = try sections(request, accept: accept)
            if explanation.problem == nil { explanation.problem = addressRefusal(of: request) }
            if explanation.problem == nil, let resolved = try? resolver.withoutGuards.resolve(request.bytes) {
                explanation.problem = auxiliaryRefusal(resolved)
            }
        } catch {
            explanation.problem = explanation.problem ?? error
        }
    }

    private static let fixedSection = Explanation.Section(
        name: "request",
        facts: [Explanation.Fact("fixed", .bool(true), words: "a constant response")]
    )

    private static let plainSection = Explanation.Section(
        name: "request",
        facts: [Explanation.Fact("fixed", .bool(true), words: "a plain image, which has no source")]
    )

    /// The error that the daemon would respond with, or `nil`.
    private func refusal(of request: ExplainedTarget) -> Problem? {
        do throws(Problem) {
            guard try resolver.rawOrigin(of: request.bytes) == nil else { return nil }
            let resolved = try resolver.resolve(request.bytes)
            guard let expires = resolved.expires, expires <= time.wallSeconds else { return nil }
            return ExpiringAnswer.refusal
        } catch {
            return error
        }
    }

    /// The refusal of a URL by the address policy, as far as it is known without resolving names.
    private func addressRefusal(of request: ExplainedTarget) -> Problem? {
        let resolver = resolver.withoutGuards
        let raw = try? resolver.rawOrigin(of: request.bytes)
        let origin = raw ?? (try? resolver.resolve(request.bytes).anyVariant.origin)
        guard let verdict = origin?.verdict, verdict.decision == .block else { return nil }
        return Problem(.addressRefused(verdict.rule))
    }

    private func sections(
        _ request: ExplainedTarget,
        accept: String?
    ) throws(Problem) -> [Explanation.Section] {
        if let origin = try resolver.withoutGuards.rawOrigin(of: request.bytes) {
            return try rawSections(request, accept: accept, origin)
        }
        let resolved = try resolver.withoutGuards.resolve(request.bytes)
        let own = try resolver.withoutGuards.own(request.bytes)
        var target = request
        target.bytes = own.bytes
        let subject = ExplainedRequest(
            target: target,
            accept: accept,
            origin: resolved.anyVariant.origin,
            resolved: resolved,
            ruled: try ruled(request),
            foreign: own.foreign
        )
        return readingSections(request, own) + [
            try requestSection(subject), sourceSection(subject), upstreamSection(subject), try guardSection(subject),
            try stepsSection(subject), try settingsSection(subject), cacheSection(subject, resolved),
        ] + rulesSections(subject) + auxiliarySections(resolved) + ruleSections(subject)
    }
}

extension Explainer {
    /// The source of a request, with the rules that apply.
    func ruled(_ request: ExplainedTarget) throws(Problem) -> RuledSource {
        guard let ruled = try resolver.ruled(at: request.bytes) else {
            throw Problem(404, "There is no image at this path.")
        }
        var shown = ruled
        // Refusals are shown as such, and everything else as if there were none.
        shown.entry.options.enforcesUnsigned = false
        return shown
    }
}

extension OriginRequest {
    /// The URL to ask, or the file's absolute path.
    var place: String {
        guard case .file(let root) = source.location, case .file = target else { return target.text }
        return (root == "/" ? "" : root) + "/" + target.text
    }

    /// The address policy's verdict on the URL, without resolving its host; `nil` for a file and for `data:`.
    var verdict: AddressPolicy.Verdict? {
        target.url.map { url in
            let prefix = source.location.urlPrefix.flatMap { try? OriginURL($0) }
            return AddressPolicy.verdict(on: url, allowPrivate: source.allowPrivate, below: prefix)
        }
    }
}

/// A resolved request with its source.
struct ExplainedRequest: Sendable {
    /// The request in Edgeprint's own language.
    let target: ExplainedTarget
    let accept: String?
    /// The requested original.
    let origin: OriginRequest
    /// The possible variants; `nil` for a raw source.
    let resolved: ResolvedRequest?
    /// The source with the rules that apply.
    let ruled: RuledSource
    /// What the request states in another server's language; `nil` for Edgeprint's own.
    var foreign: ForeignRequest?

    var entry: SourceTable.Entry { ruled.entry }
    /// The source's settings.
    var rule: SourceRule { entry.rule }
    var isRemote: Bool { rule.location == .remote }
    /// The canonical plan; `nil` for the unchanged original.
    var plan: String? { resolved?.anyVariant.plan }

    /// The pairs of the query, which is known to be valid.
    var pairs: [QueryPair] { (try? QueryPair.split(target.query)) ?? [] }

    /// The parameter with the URL of a `/fetch` request.
    var urlParameter: String { RemoteURL.names.first { value(of: $0) != nil } ?? "url" }

    /// The value of a query parameter.
    func value(of name: String) -> String? { pairs.first { $0.name == name }?.value }
}

extension ResolvedRequest {
    /// Any of the variants; all have the same origin and plan.
    var anyVariant: VariantRequest { variant(for: .rest) }
}
