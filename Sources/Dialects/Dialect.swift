package import ImagePlan

/// The request language of another image server, which is translated into Edgeprint's own.
package enum Dialect: String, Hashable, Sendable, CaseIterable {
    /// imgproxy: `/SIGNATURE/rs:fit:300:200/plain/https://example.org/cat.jpg@webp`.
    case imgproxy
    /// thumbor: `/unsafe/300x200/smart/filters:quality(80)/example.org/cat.jpg`.
    case thumbor
    /// imagor: thumbor's with filters of its own.
    case imagor
    /// images.weserv.nl: `/?url=example.org/cat.jpg&w=300`.
    case weserv
    /// Cloudflare Images: `/cdn-cgi/image/width=300,fit=cover/https://example.org/cat.jpg`.
    case cloudflare

    /// Translates a request.
    ///
    /// Nothing that the request says is ignored in silence: what Edgeprint's language cannot say is an error.
    ///
    /// - Parameters:
    ///   - path: the raw path as sent, beginning with a slash, without the name of a source.
    ///   - query: the raw query, without the `?`.
    ///   - source: the name of the source, which watermarks below the same source need; `nil` refuses them.
    /// - Throws: 400, naming the option, filter or parameter as the other server spells it.
    package func translate(
        path: [UInt8],
        query: [UInt8],
        source: String? = nil
    ) throws(RequestError) -> Translation {
        switch self {
        case .imgproxy: try ImgproxyRequest.translate(path: path, query: query)
        case .thumbor: try ThumborRequest.translate(path: path, source: source, rules: .thumbor)
        case .imagor: try ThumborRequest.translate(path: path, source: source, rules: .imagor)
        case .weserv: try WeservRequest.translate(path: path, query: query)
        case .cloudflare: try CloudflareRequest.translate(path: path, query: query)
        }
    }
}
