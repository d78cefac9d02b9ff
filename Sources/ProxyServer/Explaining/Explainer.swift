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
    let resolver: RequestResolver

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
    func explain(_ target: String, accept: String? = nil) -> Explanation {
        var explanation = Explanation(target: target)
        do throws(Problem) {
            let request = try ExplainedTarget(target, accept: accept)
            if request.isFixed {
                explanation.sections = [Explainer.fixedSection]
                return explanation
            }
            explanation.problem = refusal(of: request)
            explanation.sections = try sections(request, accept: accept)
            if explanation.problem == nil { explanation.problem = addressRefusal(of: request) }
            if explanation.problem == nil, let resolved = try? resolver.withoutGuards.resolve(request.bytes) {
                explanation.problem = auxiliaryRefusal(resolved)
            }
        } catch {
            explanation.problem = explanation.problem ?? error
        }
        return explanation
    }

    private static let fixedSection = Explanation.Section(
        name: "request",
        facts: [Explanation.Fact("fixed", .bool(true), words: "a constant response")]
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
        let origin = resolved.anyVariant.origin
        let entry = try entry(of: origin.source)
        let subject = ExplainedRequest(
            target: request,
            accept: accept,
            origin: origin,
            resolved: resolved,
            entry: entry
        )
        return [
            try requestSection(subject), sourceSection(subject), upstreamSection(subject), try guardSection(subject),
            try stepsSection(subject), try settingsSection(subject), cacheSection(subject, resolved),
        ] + auxiliarySections(resolved) + ruleSections(subject)
    }
}

extension Explainer {
    /// The table's entry of a source.
    func entry(of source: SourceRule) throws(Problem) -> SourceTable.Entry {
        let entry = source.location == .remote ? resolver.table.remote : resolver.table.sources[source.localName]
        guard let entry else { throw resolver.table.unknown(source.localName) }
        return entry
    }
}

extension OriginRequest {
    /// The URL to ask, or the file's absolute path.
    var place: String {
        guard case .file(let root) = source.location else { return target.text }
        return (root == "/" ? "" : root) + "/" + target.text
    }

    /// The address policy's verdict on the URL, without resolving its host; `nil` for a file.
    var verdict: AddressPolicy.Verdict? {
        target.url.map { url in
            let prefix = source.location.urlPrefix.flatMap { try? OriginURL($0) }
            return AddressPolicy.verdict(on: url, allowPrivate: source.allowPrivate, below: prefix)
        }
    }
}

/// A resolved request with its source.
struct ExplainedRequest: Sendable {
    let target: ExplainedTarget
    let accept: String?
    /// The requested original.
    let origin: OriginRequest
    /// The possible variants; `nil` for a raw source.
    let resolved: ResolvedRequest?
    let entry: SourceTable.Entry

    /// The source's rule.
    var rule: SourceRule { entry.rule }
    var isRemote: Bool { rule.location == .remote }
    /// The canonical plan; `nil` for the unchanged original.
    var plan: String? { resolved?.anyVariant.plan }

    /// The pairs of the query, which is known to be valid.
    var pairs: [QueryPair] { (try? QueryPair.split(target.query)) ?? [] }

    /// The value of a query parameter.
    func value(of name: String) -> String? { pairs.first { $0.name == name }?.value }
}

extension ResolvedRequest {
    /// Any of the variants; all have the same origin and plan.
    var anyVariant: VariantRequest { variant(for: .rest) }
}
