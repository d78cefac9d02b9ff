import ImagePlan

/// Decides whether a request may be served: verifies its signature, what that permits, and whether one is needed (`sig`, `exp`,
/// `scope`, `signing.required`, `remote.allow`).
struct RequestPermission: Sendable {
    let signer: RequestSigner
    /// `signing.required`.
    let isRequired: Bool
    /// `signing.rate`.
    let rate: Int

    /// - Parameter mount: the beginning of the site's paths.
    init(_ signing: Configuration.Signing, mount: String = "") {
        signer = RequestSigner(keys: signing.keys, mount: Array(mount.utf8))
        isRequired = signing.required
        rate = signing.rate
    }

    /// Verifies the signature of a parsed request.
    ///
    /// - Parameter path: the raw path, as sent.
    func verdict(
        on query: ParsedQuery,
        path: some Collection<UInt8>,
        method: String = "GET"
    ) -> SignatureVerdict {
        guard let signature = query.signature else { return .missing }
        return signer.verdict(on: signature, path: path, query: query.signedQuery.utf8, method: method)
    }

    /// Checks a request for a configured source.
    ///
    /// - Parameter foreign: what the request states in another server's language; `nil` for Edgeprint's own.
    /// - Returns: the key that has signed the request, counted from 1; `nil` if it is not signed.
    /// - Throws: `Problem` 403, which never contains the correct signature.
    @discardableResult
    func check(
        _ query: ParsedQuery,
        path: some Collection<UInt8>,
        _ foreign: ForeignRequest? = nil
    ) throws(Problem) -> Int? {
        let verdict = foreign?.verdict ?? verdict(on: query, path: path)
        guard !isRequired || verdict != .missing else {
            throw Problem.notSigned
        }
        if let foreign { return foreign.signingKey }
        try Self.refuse(verdict, query)
        try Self.checkOptions(query)
        return verdict.key
    }

    /// Checks a request of `/fetch`.
    ///
    /// - Parameters:
    ///   - foreign: what the request states in another server's language; `nil` for Edgeprint's own.
    ///   - isAllowed: whether the URL may be fetched without a signature, as `remote.allow` permits for its host.
    ///   - refusal: the problem otherwise.
    /// - Returns: the key that has signed the request, counted from 1; `nil` if it is not signed.
    /// - Throws: 403.
    @discardableResult
    func checkRemote(
        _ query: ParsedQuery,
        path: some Collection<UInt8>,
        _ foreign: ForeignRequest? = nil,
        method: String = "GET",
        isAllowed: Bool,
        refusal: String = "This host is not allowed without a signature (remote.allow)."
    ) throws(Problem) -> Int? {
        let verdict = foreign?.verdict ?? verdict(on: query, path: path, method: method)
        guard verdict != .missing else {
            guard !isRequired else {
                throw Problem.notSigned
            }
            guard isAllowed else {
                throw Problem(403, refusal, parameter: query.url?.name ?? "url")
            }
            try Self.refuse(verdict, query)
            try Self.checkOptions(query)
            return nil
        }
        if let foreign { return foreign.signingKey }
        try Self.refuse(verdict, query)
        return verdict.key
    }

    /// Only the operator, by signing, can allow a client to cause requests to the origin, or to wait for the disk.
    private static func checkOptions(_ query: ParsedQuery) throws(Problem) {
        guard query.signature == nil else { return }
        let options = SignedOptions(query)
        for (name, option) in SignedOptions.names where options.contains(option) {
            throw Problem(403, "\(name)=1 requires a signature.", parameter: name)
        }
    }

    /// Refuses an invalid signature, and parameters that a scoped one does not permit.
    private static func refuse(_ verdict: SignatureVerdict, _ query: ParsedQuery) throws(Problem) {
        try refuse(verdict)
        guard query.scope != nil else { return }
        guard verdict.isValid else {
            throw Problem(403, "scope says what a signature permits, but the request has none.", parameter: "sig")
        }
        if let violation = query.scopeViolation { throw Problem(violation) }
    }

    /// Refuses an invalid signature, even if none is required: a wrong one is never intended.
    static func refuse(_ verdict: SignatureVerdict) throws(Problem) {
        switch verdict {
        case .valid, .missing: return
        case .wrong: throw Problem(403, "The signature does not match the request.", parameter: "sig")
        case .unverifiable:
            throw Problem(403, "Signatures cannot be verified here: no key is configured.", parameter: "sig")
        }
    }
}
