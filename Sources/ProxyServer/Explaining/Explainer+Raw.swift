import ImagePipeline
import ImagePlan

/// Requests of raw sources, which pass through as they are.
extension Explainer {
    /// All that is to be said of one.
    func rawSections(
        _ target: ExplainedTarget,
        accept: String?,
        _ origin: OriginRequest
    ) throws(Problem) -> [Explanation.Section] {
        let entry = try entry(of: origin.source)
        let request = ExplainedRequest(target: target, accept: accept, origin: origin, resolved: nil, entry: entry)
        let guardSection =
            request.isRemote ? try guardSection(request) : signatureSection(request, try rawSignature(request))
        let sections = [
            rawRequestSection(request), sourceSection(request), upstreamSection(request), guardSection,
            rawCacheSection(request),
        ]
        return sections + ruleSections(request).filter { !$0.facts.isEmpty }
    }

    private func rawRequestSection(_ request: ExplainedRequest) -> Explanation.Section {
        let key = request.isRemote ? "remote.raw" : "sources.\(request.rule.name).raw"
        let words = "yes: fields, content and answer pass as they are; no picture is made"
        let methods = request.rule.allMethods.map { JSONValue.string($0) }
        let said =
            request.isRemote || request.rule.methods.isEmpty
            ? SettingOrigin(key: "", place: nil) : loaded.origin(of: "sources.\(request.rule.name).methods")
        return Explanation.Section(
            name: "request",
            facts: [
                Explanation.Fact("source", .string(request.rule.name), .path),
                Explanation.Fact("raw", .bool(true), words: words, .setting(loaded.origin(of: key))),
                Explanation.Fact("methods", .array(methods), .setting(said)),
            ]
        )
    }

    /// What of the query is ours; `nil` where all of it goes upstream.
    private func rawSignature(_ request: ExplainedRequest) throws(Problem) -> RawSignature? {
        guard resolver.signsRaw else { return nil }
        do throws(RequestError) { return try RawSignature(request.target.query) } catch { throw Problem(error) }
    }

    private func signatureSection(_ request: ExplainedRequest, _ own: RawSignature?) -> Explanation.Section {
        let setting = FactOrigin.setting(loaded.origin(of: "signing.required"))
        var facts = [Explanation.Fact("required", .bool(own != nil), setting)]
        guard let own else {
            let words = "none, not needed: sig and exp would go to the origin like the rest of the query"
            facts.append(Explanation.Fact("verdict", .string("none"), words: words, setting))
            return Explanation.Section(name: "signature", facts: facts)
        }
        let signer = RequestPermission(loaded.configuration.signing).signer
        let verdict = own.signature.map { signer.verdict(on: $0, path: request.target.path, query: own.unsigned) }
        facts += signatureFacts(verdict ?? .missing, isRequired: true, setting, expires: own.expires)
        return Explanation.Section(name: "signature", facts: facts)
    }

    /// What the response is kept as, and where.
    private func rawCacheSection(_ request: ExplainedRequest) -> Explanation.Section {
        let tiers = request.origin.source.cache.originals
        let key = request.isRemote ? "" : "sources.\(request.rule.name).cache"
        let setting = key.isEmpty ? SettingOrigin(key: "", place: nil) : loaded.origin(of: key)
        return Explanation.Section(
            name: "cache",
            facts: [
                Explanation.Fact(
                    "key",
                    .string(request.origin.key.description),
                    words: "\(request.origin.key), with what Vary names of the request"
                ),
                Explanation.Fact("tiers", .string(tiers.rawValue), .setting(setting)),
            ]
        )
    }
}
