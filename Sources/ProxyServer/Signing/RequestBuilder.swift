import ImagePipeline
import ImagePlan

/// Builds request targets that the daemon accepts: encoded, checked against the request language, and signed.
struct RequestBuilder: Sendable {
    /// What is asked for.
    struct Request: Sendable {
        /// `NAME/PATH` of a source, or an absolute http or https URL.
        var subject: String
        /// Whether the path is percent-encoded already.
        var isEncoded = false
        /// Names and values, decoded, in their order.
        var parameters: [(name: String, value: String)] = []
        /// Seconds since 1970 for `exp`.
        var expires: Int64?
        /// What it does; the signature is for this method (GET's for HEAD, too).
        var method = "GET"
    }

    private let resolver: RequestResolver
    private let signer: RequestSigner

    /// Builds what the resolver understands; only its rules about who may ask are left aside.
    init(_ resolver: RequestResolver) {
        self.resolver = RequestResolver(
            table: resolver.table,
            permission: nil,
            signsRaw: resolver.signsRaw,
            answers: resolver.answers,
            time: resolver.time
        )
        signer = resolver.permission?.signer ?? RequestSigner(keys: [])
    }

    /// The target: path and query, with `sig` last where there is a key.
    ///
    /// - Throws: `Problem`, as the daemon would answer.
    func target(of request: Request) throws(Problem) -> String {
        var pairs: [String] = []
        let path: String
        if Self.isAbsolute(request.subject) {
            path = "/fetch"
            pairs.append("url=\(PercentCoding.encodedValue(request.subject))")
        } else {
            path = Self.path(request.subject, isEncoded: request.isEncoded)
        }
        let raw = resolver.rawRule(of: path.utf8)
        try Self.check(request.method, raw)
        // Such a source's whole query is the origin's, but for what is ours where signatures are required.
        let isForOrigin = raw.map { $0.location != .remote } ?? false
        let own = !isForOrigin ? ["sig", "exp", "url"] : resolver.signsRaw ? ["sig", "exp"] : []
        for (name, value) in request.parameters {
            guard !own.contains(name) else {
                throw Problem(400, "\(name) is not given as a parameter: it is made here.", parameter: name)
            }
            pairs.append("\(PercentCoding.encodedValue(name))=\(PercentCoding.encodedValue(value))")
        }
        guard request.expires == nil || !isForOrigin || resolver.signsRaw else {
            throw Problem(400, "exp means nothing for a raw source unless signatures are required.", parameter: "exp")
        }
        if let expires = request.expires { pairs.append("exp=\(expires)") }
        let query = pairs.joined(separator: "&")
        let unsigned = query.isEmpty ? path : "\(path)?\(query)"
        if raw == nil {
            _ = try resolver.resolve(Array(unsigned.utf8))
        } else {
            _ = try resolver.rawOrigin(of: Array(unsigned.utf8), method: request.method)
            if isForOrigin, !resolver.signsRaw { return unsigned }
        }
        guard let signature = signer.signature(path: path.utf8, query: query.utf8, method: request.method) else {
            for name in ["refresh", "timing"]
            where raw == nil && request.parameters.contains(where: { $0 == (name, "1") }) {
                throw Problem(403, "\(name)=1 needs a signature, and signing.keys is empty.", parameter: name)
            }
            return unsigned
        }
        return "\(unsigned)\(query.isEmpty ? "?" : "&")sig=\(signature)"
    }

    /// Refuses methods that a source does not take.
    ///
    /// - Parameter raw: the rule of the source where it is raw; `nil` for pictures.
    private static func check(_ method: String, _ raw: SourceRule?) throws(Problem) {
        guard let raw else {
            guard !["GET", "HEAD"].contains(method) else { return }
            throw Problem(400, "pictures are asked for with GET and HEAD; \(method) is for raw sources (raw, methods).")
        }
        guard !raw.allMethods.contains(method) else { return }
        var problem = Problem(methodRefusedBy: raw)
        let isOtherCase = raw.allMethods.contains(method.uppercased())
        if isOtherCase { problem.detail += " Methods are case-sensitive: did you mean \(method.uppercased())?" }
        throw problem
    }

    /// Whether a subject is a URL, and no source's path.
    private static func isAbsolute(_ subject: String) -> Bool {
        let start = subject.prefix(8).lowercased()
        return start.hasPrefix("http://") || start.hasPrefix("https://")
    }

    /// The raw path: each byte that may not stand in a path (RFC 3986 §3.3) encoded, slashes kept.
    private static func path(_ subject: String, isEncoded: Bool) -> String {
        let path = subject.hasPrefix("/") ? subject : "/" + subject
        var bytes: [UInt8] = []
        for byte in path.utf8 {
            if isPathByte(byte) || (isEncoded && byte == UInt8(ascii: "%")) {
                bytes.append(byte)
            } else {
                PercentCoding.append(byte, to: &bytes)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isPathByte(_ byte: UInt8) -> Bool {
        byte.isURLUnreserved || "/!$&'()*+,;=:@".utf8.contains(byte)
    }
}
