import ImagePlan

/// Whether a request may be served: what its signature is worth, and whether it needs one (contract: `sig`, `exp`,
/// `signing.required`, `remote.allow`).
struct RequestPermission: Sendable {
    let signer: RequestSigner
    /// `signing.required`.
    let isRequired: Bool

    init(_ signing: Configuration.Signing) {
        signer = RequestSigner(keys: signing.keys)
        isRequired = signing.required
    }

    /// What the signature of a parsed request is worth.
    ///
    /// - Parameter path: the raw path, as sent.
    func verdict(
        on query: ParsedQuery,
        path: some Collection<UInt8>,
        method: String = "GET"
    ) -> SignatureVerdict {
        guard let signature = query.signature else { return .missing }
        return signer.verdict(on: signature, path: path, query: query.unsignedQuery.utf8, method: method)
    }

    /// Lets a request for a configured source pass.
    ///
    /// - Throws: 403. It never says what would have been right.
    func check(_ query: ParsedQuery, path: some Collection<UInt8>) throws(Problem) {
        let verdict = verdict(on: query, path: path)
        guard !isRequired || verdict != .missing else {
            throw Problem(403, "Requests need a signature.", parameter: "sig")
        }
        try Self.refuse(verdict)
        try Self.checkRefresh(query)
    }

    /// Lets a request for a whole URL pass.
    ///
    /// - Parameter isAllowed: whether `remote.allow` names the URL's host.
    /// - Throws: 403.
    func checkRemote(
        _ query: ParsedQuery,
        path: some Collection<UInt8>,
        method: String = "GET",
        isAllowed: Bool
    ) throws(Problem) {
        let verdict = verdict(on: query, path: path, method: method)
        guard verdict != .missing else {
            guard !isRequired else { throw Problem(403, "Requests need a signature.", parameter: "sig") }
            guard isAllowed else {
                throw Problem(403, "This host is not allowed without a signature (remote.allow).", parameter: "url")
            }
            return try Self.checkRefresh(query)
        }
        try Self.refuse(verdict)
    }

    /// Asking the origin again is work that nobody may send it without the operator's word.
    private static func checkRefresh(_ query: ParsedQuery) throws(Problem) {
        guard !query.refresh || query.signature != nil else {
            throw Problem(403, "refresh=1 needs a signature.", parameter: "refresh")
        }
    }

    /// A signature that is there must be right, whether one is needed or not: a wrong one is never what its sender meant.
    static func refuse(_ verdict: SignatureVerdict) throws(Problem) {
        switch verdict {
        case .valid, .missing: return
        case .wrong: throw Problem(403, "The signature does not fit the request.", parameter: "sig")
        case .unverifiable:
            throw Problem(403, "Signatures cannot be verified here: no key is configured.", parameter: "sig")
        }
    }
}
