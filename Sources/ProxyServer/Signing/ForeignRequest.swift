import Dialects

/// What a request in another server's language states besides the image and its parameters.
struct ForeignRequest: Sendable, Hashable {
    let dialect: Dialect
    /// The verdict on its signature, with the language's key, counted from 1.
    let verdict: SignatureVerdict
    /// The number of this key among all of the site (`RequestRules.signingKey`); `nil` if it is not valid.
    let signingKey: Int?

    /// Whether it states a signature, right or wrong.
    var isSigned: Bool { verdict != .missing }

    /// Verifies a signature.
    init(_ signature: Translation.Signature, in dialect: Dialect, by verifier: DialectVerifier) {
        self.dialect = dialect
        verdict = verifier.verdict(on: signature, in: dialect)
        signingKey = verdict.key.map { verifier.number(ofKey: $0, in: dialect) }
    }

    /// Refuses a wrong signature, and none where there are keys: the other server would, too.
    func check(_ keys: Configuration.DialectKeys) throws(Problem) {
        let name = "dialects.\(dialect.rawValue).keys"
        switch verdict {
        case .valid: return
        case .missing:
            guard keys.hasKeys(of: dialect) else { return }
            throw Problem(
                403,
                "The request is not signed, and there are keys for its language (\(name)).",
                parameter: "path"
            )
        case .wrong:
            throw Problem(403, "The signature does not match the request (\(name)).", parameter: "path")
        case .unverifiable:
            throw Problem(403, "Signatures cannot be verified here: no key is configured (\(name)).", parameter: "path")
        }
    }
}
