import Dialects
import ImagePipeline
import ImagePlan
import OriginTransfer

/// Builds request targets: encodes them, validates them against the request language, and signs them.
struct RequestBuilder: Sendable {
    /// The parts of a request.
    struct Request: Sendable {
        /// `NAME/PATH` of a source, or an absolute http, https or data URL.
        var subject: String
        /// Whether the path is already percent-encoded.
        var isEncoded = false
        /// Decoded names and values, in order.
        var parameters: [(name: String, value: String)] = []
        /// The value of `exp`, in seconds since 1970.
        var expires: Int64?
        /// The value of `scope`: what the signature permits; `nil` to sign the whole query.
        var scope: String?
        /// How a URL is written.
        var form = URLForm.plain
        /// Whether the parameters stand in the path (`path-style`).
        var isPathStyle = false
        /// The method to sign; a signature for GET is also valid for HEAD.
        var method = "GET"
    }

    /// How the URL of a `/fetch` request is written.
    enum URLForm: String, Sendable, CaseIterable {
        /// `url`, percent-encoded.
        case plain
        /// `url64`, as unpadded base64url.
        case base64
        /// `enc`, encrypted with the first of `remote.url-keys`.
        case encrypted
    }

    private let resolver: RequestResolver
    private let signer: RequestSigner
    /// The beginning of the site's paths; empty for none.
    private let mount: String

    /// Builds requests for this resolver, without its signature checks.
    init(_ resolver: RequestResolver) {
        self.resolver = RequestResolver(
            table: resolver.table,
            permission: nil,
            signsRaw: resolver.signsRaw,
            answers: resolver.answers,
            time: resolver.time
        )
        signer = resolver.permission?.signer ?? RequestSigner(keys: [])
        mount = String(decoding: signer.mount, as: UTF8.self)
    }

    /// The path and query, with `sig` at the end if there is a key.
    ///
    /// - Throws: the `Problem` that the daemon would respond with.
    func target(of request: Request) throws(Problem) -> String {
        var pairs: [String] = []
        var path: String
        if Self.isAbsolute(request.subject) {
            path = "/fetch"
            pairs.append(try pair(of: request.subject, request.form))
        } else {
            guard request.form == .plain else {
                throw Problem(400, "only the URLs of /fetch can be written as base64 or encrypted.")
            }
            try Self.check(subject: request.subject)
            path = Self.path(request.subject, isEncoded: request.isEncoded)
        }
        let raw = resolver.rawRule(of: path.utf8)
        try Self.check(request.method, raw)
        path = try readable(path, isPathStyle: request.isPathStyle)
        // A raw source forwards its whole query, except the signature parameters if signatures are required.
        let isForOrigin = raw.map { $0.location != .remote } ?? false
        let own =
            !isForOrigin
            ? ["sig", "exp", SignatureScope.name] + RemoteURL.names : resolver.signsRaw ? ["sig", "exp"] : []
        for (name, value) in request.parameters {
            guard !own.contains(name) else {
                throw Problem(400, "\(name) cannot be given as a parameter: it is generated.", parameter: name)
            }
            pairs.append("\(PercentCoding.encodedValue(name))=\(PercentCoding.encodedValue(value))")
        }
        guard request.expires == nil || !isForOrigin || resolver.signsRaw else {
            throw Problem(400, "exp has no effect for a raw source unless signatures are required.", parameter: "exp")
        }
        var scoped: [String] = []
        if let scope = request.scope {
            guard !isForOrigin else {
                throw Problem(
                    400,
                    "scope has no effect for a raw source, which forwards its query.",
                    parameter: "scope"
                )
            }
            scoped.append("\(SignatureScope.name)=\(PercentCoding.encodedValue(scope))")
        }
        if let expires = request.expires { scoped.append("exp=\(expires)") }
        pairs += scoped
        let query = pairs.joined(separator: "&")
        let unsigned = query.isEmpty ? path : "\(path)?\(query)"
        if raw == nil {
            _ = try resolver.resolve(Array(unsigned.utf8))
        } else {
            _ = try resolver.rawOrigin(of: Array(unsigned.utf8), method: request.method)
            if isForOrigin, !resolver.signsRaw { return mount + unsigned }
        }
        if request.scope != nil { try check(scopeOf: Array(unsigned.utf8), query) }
        let signed = request.scope == nil ? query : scoped.joined(separator: "&")
        if !signer.hasKeys, raw == nil { try check(unsigned: Array(unsigned.utf8), query) }
        guard let signature = signer.signature(path: path.utf8, query: signed.utf8, method: request.method) else {
            for name in SignedOptions.names.map(\.name) + ["timing"]
            where raw == nil && request.parameters.contains(where: { $0 == (name, "1") }) {
                throw Problem(403, "\(name)=1 requires a signature, but signing.keys is empty.", parameter: name)
            }
            return mount + (try Self.written(path, query, isPathStyle: request.isPathStyle))
        }
        let whole = "\(query)\(query.isEmpty ? "" : "&")sig=\(signature)"
        return mount + (try Self.written(path, whole, isPathStyle: request.isPathStyle))
    }

    /// A path and a query in one of the two styles.
    private static func written(_ path: String, _ query: String, isPathStyle: Bool) throws(Problem) -> String {
        guard isPathStyle else { return query.isEmpty ? path : "\(path)?\(query)" }
        guard let folded = PathStyle.folded(path: path, query: query) else {
            throw Problem(
                400,
                "A name of a parameter has characters that path style does not allow (a-z, 0-9, - and _)."
            )
        }
        return folded
    }

    /// The path of a source's image as its source reads it.
    ///
    /// - Throws: 400 for a source or site whose paths are in another server's language, and for path style where there is none.
    private func readable(_ path: String, isPathStyle: Bool) throws(Problem) -> String {
        let name = String(path.dropFirst().prefix { $0 != "/" })
        let reading = resolver.table.sources[name]?.reading
        if let dialect = resolver.table.dialect ?? reading?.dialect {
            throw Problem(
                400,
                "Paths are read as those of \(dialect.rawValue) here (dialect); no URL of Edgeprint's own is valid."
            )
        }
        guard reading?.isPathStyle == true else {
            guard !isPathStyle else {
                throw Problem(
                    400,
                    "The source does not read parameters in paths (path-style); --path-style is not possible."
                )
            }
            return path
        }
        // A = in the first segment would make it one of parameters.
        let start = path.index(path.startIndex, offsetBy: min(path.count, name.count + 2))
        let end = path[start...].firstIndex(of: "/") ?? path.endIndex
        return String(path[..<start]) + path[start..<end].replacing("=", with: "%3D") + path[end...]
    }

    /// Refuses a scope that cannot be signed, that names unknown parameters, or that does not permit the given ones.
    private func check(scopeOf target: [UInt8], _ query: String) throws(Problem) {
        guard signer.hasKeys else {
            throw Problem(400, "scope requires a signature, but no key is configured.", parameter: SignatureScope.name)
        }
        guard let options = try resolver.ruled(at: target)?.entry.options else { return }
        let parsed = try resolver.parse(OwnTarget(path: [], query: Array(query.utf8)), options)
        for name in parsed.scope?.names ?? [] {
            guard !RequestLanguage.isReserved(name), options.query.use(of: name) == nil else { continue }
            let hint = RequestLanguage.hint(name, among: options.query.names)
            throw Problem(
                RequestError(
                    parameter: SignatureScope.name,
                    reason: "names \(name), which is not a known parameter\(hint)"
                )
            )
        }
        do throws(RequestError) {
            let pairs = try QueryPair.split(Array(query.utf8))
            if let violation = parsed.scope?.refusal(of: pairs, isComplete: false) { throw violation }
        } catch {
            throw Problem(error)
        }
    }

    /// Refuses what the source does not allow without a signature.
    private func check(unsigned target: [UInt8], _ query: String) throws(Problem) {
        guard let options = try resolver.ruled(at: target)?.entry.options else { return }
        do throws(RequestError) {
            _ = try RequestLanguage.parse(query: query, options: options)
        } catch {
            throw Problem(error)
        }
    }

    /// The parameter with a URL.
    private func pair(of url: String, _ form: URLForm) throws(Problem) -> String {
        switch form {
        case .plain: return "url=\(PercentCoding.encodedValue(url))"
        case .base64: return "url64=\(Base64.encodeForURL(Array(url.utf8)))"
        case .encrypted:
            guard let sealed = resolver.table.urlKeys.first?.seal(Array(url.utf8)) else {
                throw Problem(400, "the URL cannot be encrypted: there is no key (remote.url-keys).", parameter: "enc")
            }
            return "enc=\(Base64.encodeForURL(sealed))"
        }
    }

    /// Refuses methods that a source does not accept.
    ///
    /// - Parameter raw: the rule of a raw source, or `nil` for an image source.
    private static func check(_ method: String, _ raw: SourceRule?) throws(Problem) {
        guard let raw else {
            guard !["GET", "HEAD"].contains(method) else { return }
            throw Problem(400, "images only support GET and HEAD; \(method) requires a raw source (raw, methods).")
        }
        guard !raw.allMethods.contains(method) else { return }
        var problem = Problem(methodRefusedBy: raw)
        let isOtherCase = raw.allMethods.contains(method.uppercased())
        if isOtherCase { problem.detail += " Methods are case-sensitive: did you mean \(method.uppercased())?" }
        throw problem
    }

    /// Refuses a subject that is a URL of another scheme, or a path with parameters, and neither can be a path of a source.
    private static func check(subject: String) throws(Problem) {
        if let end = subject.firstRange(of: "://")?.lowerBound, !subject[..<end].contains("/") {
            throw Problem(
                400,
                "only http, https and data URLs can be fetched, not \(subject[..<end]).",
                parameter: "url"
            )
        }
        guard let mark = subject.firstIndex(of: "?") else { return }
        let pairs = subject[subject.index(after: mark)...].split(separator: "&")
        let isQuery = pairs.allSatisfy { $0.contains("=") && RequestLanguage.isReserved(QueryFilter.name(of: $0)) }
        guard !pairs.isEmpty, isQuery else { return }
        throw Problem(
            400,
            "a path has no query; give each parameter as an argument: \(subject[..<mark]) \(pairs.joined(separator: " ")). "
                + "A ? of a name is %3F with --encoded.",
            parameter: "path"
        )
    }

    /// Whether a subject is a URL instead of a source's path.
    private static func isAbsolute(_ subject: String) -> Bool {
        let start = subject.prefix(8).lowercased()
        return start.hasPrefix("http://") || start.hasPrefix("https://") || start.hasPrefix("data:")
    }

    /// The raw path: every byte that is not allowed in a path (RFC 3986 §3.3) is encoded, except slashes.
    private static func path(_ subject: String, isEncoded: Bool) -> String {
        let path = subject.hasPrefix("/") ? subject : "/" + subject
        var bytes: [UInt8] = []
        for byte in path.utf8 {
            if PercentCoding.isPathByte(byte) || (isEncoded && byte == UInt8(ascii: "%")) {
                bytes.append(byte)
            } else {
                PercentCoding.append(byte, to: &bytes)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
