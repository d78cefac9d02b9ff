internal import ImagePlan

/// An Edgeprint server: builds the URLs that it answers, and signs them if there is a key.
///
/// ```swift
/// let server = try ImageServer("https://img.example.com")
/// let url = try server.url(for: .path("photos/cat.jpg"), ImageTransform().resize(width: 400).round(.maximum))
/// // https://img.example.com/photos/cat.jpg?w=400&round=max
/// ```
public struct ImageServer: Sendable {
    /// The address without a slash at its end, such as `https://img.example.com`; empty for URLs relative to a page's host.
    public let base: String
    /// The beginning of the paths of a site, such as `/blog`, which signatures cover; empty for none.
    public let prefix: String
    private let authenticator: (any MessageAuthenticator)?

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - base: `https://HOST`, also with a port, or with a path that a proxy in front of the server removes; or nothing.
    ///   - prefix: the `prefix` of the site in the server's configuration.
    ///   - authenticator: HMAC-SHA256 with the first of the server's `signing.keys`; `nil` for URLs without a signature.
    /// - Throws: `ImageURLError`, naming `base` or `prefix`.
    public init(
        _ base: String,
        prefix: String = "",
        authenticator: (any MessageAuthenticator)? = nil
    ) throws(ImageURLError) {
        let isURL = base.isEmpty || base.hasPrefix("https://") || base.hasPrefix("http://")
        guard isURL, !base.utf8.contains(where: { "?# ".utf8.contains($0) }) else {
            throw ImageURLError(parameter: "base", reason: "must begin with https:// or http://, and have no query")
        }
        guard prefix.isEmpty || prefix.hasPrefix("/") && !prefix.hasSuffix("/") else {
            throw ImageURLError(parameter: "prefix", reason: "must begin with a slash, and not end with one")
        }
        self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
        self.prefix = prefix
        self.authenticator = authenticator
    }

    /// The URL of an image, signed if there is an authenticator.
    ///
    /// The same arguments always give the same URL, so that caches recognise it.
    ///
    /// - Parameters:
    ///   - expires: the time after which the URL is invalid (`exp`), in seconds since 1970; it needs a signature to be safe.
    ///   - scope: what clients may change (`scope`), which is signed in place of the transform; it requires an authenticator.
    /// - Throws: `ImageURLError` for what every server would refuse.
    public func url(
        for location: ImageLocation,
        _ transform: ImageTransform = ImageTransform(),
        expires: Int64? = nil,
        scope: URLScope? = nil
    ) throws(ImageURLError) -> String {
        try check(location, transform, expires, scope)
        let own = [scope?.pair, expires.map { "exp=\($0)" }].compactMap(\.self)
        let first = [location.pair, transform.isEmpty ? nil : transform.query].compactMap(\.self)
        return base + signed(location.path, first + own, scope == nil ? first + own : own)
    }

    /// A URL whose signature permits what a scope names, which clients then add; an authenticator is required.
    ///
    /// - Parameters:
    ///   - scope: the permitted parameters; with a remote location also `url`, `url64` or `enc`.
    ///   - expires: the time after which the URL is invalid, in seconds since 1970.
    /// - Throws: `ImageURLError`.
    public func scopedURL(
        for location: ImageLocation,
        scope: URLScope,
        expires: Int64? = nil
    ) throws(ImageURLError) -> ScopedImageURL {
        try ScopedImageURL(url(for: location, expires: expires, scope: scope))
    }

    private func check(
        _ location: ImageLocation,
        _ transform: ImageTransform,
        _ expires: Int64?,
        _ scope: URLScope?
    ) throws(ImageURLError) {
        try location.validate()
        try transform.validate()
        guard (0...999_999_999_999).contains(expires ?? 0) else {
            throw ImageURLError(parameter: "exp", reason: "must be a time in whole seconds since 1970")
        }
        if authenticator == nil {
            let name = scope == nil ? ImageTransform.signedOptions.first { transform[$0] == "1" } : "scope"
            guard let name else { return }
            throw ImageURLError(parameter: name, reason: "requires a signature, but the server has no authenticator")
        }
        try scope?.check(location, transform)
    }

    /// The path and query with `sig`.
    ///
    /// - Parameter own: the pairs that are signed.
    private func signed(_ path: String, _ pairs: [String], _ own: [String]) -> String {
        let query = pairs.joined(separator: "&")
        let target = prefix + path + (query.isEmpty ? "" : "?" + query)
        guard let authenticator else { return target }
        let message = "\(prefix)\(path)?\(own.joined(separator: "&"))"
        let code = Base64.encodeForURL(authenticator.authenticationCode(for: Array(message.utf8)))
        return "\(target)\(query.isEmpty ? "?" : "&")sig=\(code)"
    }
}
