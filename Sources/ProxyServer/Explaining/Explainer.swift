import HTTPKit
import HTTPSemantics
import ImagePipeline
import ImagePlan
import LinuxSystem
import OriginTransfer

/// Explains requests under one configuration; fetches nothing, resolves no name, writes nothing.
struct Explainer: Sendable {
    let loaded: LoadedConfiguration
    let time: any TimeSource
    let resolver: RequestResolver

    /// Builds the same rules as the daemon does.
    ///
    /// - Throws: `RequestError` when a preset is not of the request language, which validation has excluded.
    init(_ loaded: LoadedConfiguration, time: any TimeSource) throws(RequestError) {
        self.loaded = loaded
        self.time = time
        resolver = try RequestResolver(loaded.configuration, time: time)
    }

    /// Explains a GET.
    ///
    /// - Parameters:
    ///   - target: path and query as a client sends them, or a whole URL.
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
                explanation.problem = ingredientRefusal(resolved)
            }
        } catch {
            explanation.problem = explanation.problem ?? error
        }
        return explanation
    }

    private static let fixedSection = Explanation.Section(
        name: "request",
        facts: [Explanation.Fact("fixed", .bool(true), words: "answered by the listener itself, for everybody alike")]
    )

    /// What the daemon would answer to whoever sends this.
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

    /// The refusal of a URL whose host needs no name to be resolved.
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
        ] + ingredientSections(resolved) + ruleSections(subject)
    }
}

extension Explainer {
    /// The table's entry of a source.
    func entry(of source: SourceRule) throws(Problem) -> SourceTable.Entry {
        let entry = source.location == .remote ? resolver.table.remote : resolver.table.sources[source.name]
        guard let entry else { throw resolver.table.unknown(source.name) }
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

/// A request that is understood, and the source that it is for.
struct ExplainedRequest: Sendable {
    let target: ExplainedTarget
    let accept: String?
    /// The original that is asked for.
    let origin: OriginRequest
    /// The pictures that it may mean; `nil` for a raw source.
    let resolved: ResolvedRequest?
    let entry: SourceTable.Entry

    /// The rule that the request goes by.
    var rule: SourceRule { entry.rule }
    var isRemote: Bool { rule.location == .remote }
    /// The canonical plan; `nil` for the original's own bytes.
    var plan: String? { resolved?.anyVariant.plan }

    /// The query's pairs, which have been read before.
    var pairs: [QueryPair] { (try? QueryPair.split(target.query)) ?? [] }

    /// The value of a query parameter.
    func value(of name: String) -> String? { pairs.first { $0.name == name }?.value }
}

extension ResolvedRequest {
    /// One of the variants: all of them have the same origin and the same plan.
    var anyVariant: VariantRequest { variant(for: .rest) }
}
