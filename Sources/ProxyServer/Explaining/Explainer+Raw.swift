import HTTPCache
import ImagePipeline
import ImagePlan

/// Explains requests of raw sources.
extension Explainer {
    /// All sections of a raw request.
    func rawSections(
        _ target: ExplainedTarget,
        accept: String?,
        _ origin: OriginRequest
    ) throws(Problem) -> [Explanation.Section] {
        let ruled = try ruled(target)
        let request = ExplainedRequest(target: target, accept: accept, origin: origin, resolved: nil, ruled: ruled)
        let guardSection =
            request.isRemote ? try guardSection(request) : signatureSection(request, try rawSignature(request))
        let sections = [
            rawRequestSection(request), sourceSection(request), upstreamSection(request), guardSection,
            rawCacheSection(request),
        ]
        return sections + rulesSections(request) + ruleSections(request).filter { !$0.facts.isEmpty }
    }

    private func rawRequestSection(_ request: ExplainedRequest) -> Explanation.Section {
        let key = request.isRemote ? "remote.raw" : "sources.\(request.rule.localName).raw"
        let words = "yes: request and response are forwarded unchanged"
        let methods = request.rule.allMethods.map { JSONValue.string($0) }
        let said =
            request.isRemote || request.rule.methods.isEmpty
            ? SettingOrigin(key: "", place: nil) : loaded.origin(of: "sources.\(request.rule.localName).methods")
        return Explanation.Section(
            name: "request",
            facts: [
                Explanation.Fact("source", .string(request.rule.localName), .path),
                Explanation.Fact("raw", .bool(true), words: words, .setting(loaded.origin(of: key))),
                Explanation.Fact("methods", .array(methods), .setting(said)),
            ]
        )
    }

    /// The signature parameters of the query; `nil` if the whole query is forwarded.
    private func rawSignature(_ request: ExplainedRequest) throws(Problem) -> RawSignature? {
        guard resolver.signsRaw else { return nil }
        do throws(RequestError) { return try RawSignature(request.target.query) } catch { throw Problem(error) }
    }

    private func signatureSection(_ request: ExplainedRequest, _ own: RawSignature?) -> Explanation.Section {
        let setting = FactOrigin.setting(loaded.origin(of: "signing.required"))
        var facts = [Explanation.Fact("required", .bool(own != nil), setting)]
        guard let own else {
            let words = "none, not required: sig and exp would be forwarded with the rest of the query"
            facts.append(Explanation.Fact("verdict", .string("none"), words: words, setting))
            return Explanation.Section(name: "signature", facts: facts)
        }
        let signer = (resolver.permission ?? RequestPermission(loaded.configuration.signing)).signer
        let verdict = own.signature.map { signer.verdict(on: $0, path: request.target.path, query: own.unsigned) }
        facts += signatureFacts(verdict ?? .missing, isRequired: true, setting, expires: own.expires)
        return Explanation.Section(name: "signature", facts: facts)
    }

    /// The cache key of the response and its tiers.
    private func rawCacheSection(_ request: ExplainedRequest) -> Explanation.Section {
        let tiers = request.origin.source.cache.originals
        let key = request.isRemote ? "" : "sources.\(request.rule.localName).cache"
        let setting = key.isEmpty ? SettingOrigin(key: "", place: nil) : loaded.origin(of: key)
        return Explanation.Section(
            name: "cache",
            facts: [
                Explanation.Fact(
                    "key",
                    .string(request.origin.key.description),
                    words: "\(request.origin.key), and the request fields named by Vary"
                ),
                Explanation.Fact("tiers", .string(tiers.rawValue), .setting(setting)),
            ]
        )
    }
}
