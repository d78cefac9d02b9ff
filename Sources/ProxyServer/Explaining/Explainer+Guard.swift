import Dialects
import HTTPSemantics
import ImagePipeline
import ImagePlan
import LinuxSystem
import OriginTransfer

extension Explainer {
    /// Whether the request needs a signature, the verdict on its own, and whether it has expired.
    ///
    /// Never contains the correct signature.
    func guardSection(_ request: ExplainedRequest) throws(Problem) -> Explanation.Section {
        let need = need(of: request)
        let required = Explanation.Fact("required", .bool(need.isRequired), .setting(need.origin))
        let parsed: ParsedQuery
        do throws(RequestError) {
            var options = request.entry.options
            options.isVouchedFor = request.foreign?.isSigned ?? false
            parsed = try RequestLanguage.parse(query: request.target.query, options: options)
        } catch {
            throw Problem(error)
        }
        let permission = resolver.permission ?? RequestPermission(loaded.configuration.signing)
        let facts = signatureFacts(
            request.foreign?.verdict ?? permission.verdict(on: parsed, path: request.target.path),
            keys: request.foreign.map { "dialects.\($0.dialect.rawValue).keys" } ?? "signing.keys",
            isRequired: need.isRequired,
            .setting(need.origin),
            expires: parsed.expires
        )
        let scope = parsed.scope.map { scope in
            Explanation.Fact(SignatureScope.name, .string(scope.text), .parameter(SignatureScope.name))
        }
        return Explanation.Section(name: "signature", facts: [required] + facts + (scope.map { [$0] } ?? []))
    }

    /// The facts about a signature.
    ///
    /// - Parameters:
    ///   - keys: the setting with the keys.
    ///   - need: the setting that determines whether one is required.
    ///   - expires: `exp`.
    func signatureFacts(
        _ found: SignatureVerdict,
        keys: String = "signing.keys",
        isRequired: Bool,
        _ need: FactOrigin,
        expires: Int64?
    ) -> [Explanation.Fact] {
        switch found {
        case .wrong: [verdict("wrong", "wrong: it does not match path and query as sent", .parameter("sig"))]
        case .unverifiable: [verdict("unverifiable", "cannot be verified: no key is configured", .parameter("sig"))]
        case .missing where isRequired: [verdict("missing", "missing but required", need)]
        case .missing: [lasting(expires, verdict("none", "none, not required", need))]
        case .valid(let key):
            [
                lasting(expires, verdict("valid", "valid, key \(key)", .parameter("sig"))),
                Explanation.Fact("key", .number(key), .setting(loaded.origin(of: keys))),
            ]
        }
    }

    private func verdict(_ name: String, _ words: String, _ origin: FactOrigin) -> Explanation.Fact {
        Explanation.Fact("verdict", .string(name), words: words, origin)
    }

    /// The verdict, or "expired" after `exp`.
    private func lasting(_ expires: Int64?, _ fact: Explanation.Fact) -> Explanation.Fact {
        guard let expires, expires <= time.wallSeconds else { return fact }
        return verdict("expired", "expired at \(Explainer.date(expires))", .parameter("exp"))
    }

    /// Whether the request needs a signature, and the setting that determines it.
    private func need(of request: ExplainedRequest) -> (isRequired: Bool, origin: SettingOrigin) {
        if let dialect = request.foreign?.dialect, loaded.configuration.dialects.hasKeys(of: dialect) {
            return (true, loaded.origin(of: "dialects.\(dialect.rawValue).keys"))
        }
        let required = loaded.origin(of: "signing.required")
        if !loaded.configuration.signing.required, request.rule.unsigned == .none {
            let key = request.isRemote ? "remote.unsigned" : "sources.\(request.rule.localName).unsigned"
            return (true, loaded.origin(of: key))
        }
        guard !loaded.configuration.signing.required, request.isRemote else {
            return (loaded.configuration.signing.required, required)
        }
        if case .data = request.origin.target {
            return (loaded.configuration.remote.data != .any, loaded.origin(of: "remote.data"))
        }
        let host = request.origin.target.url?.hostText ?? ""
        let isAllowed = loaded.configuration.remote.allow.contains { $0.matches(host) }
        return (!isAllowed, loaded.origin(of: "remote.allow"))
    }
}
