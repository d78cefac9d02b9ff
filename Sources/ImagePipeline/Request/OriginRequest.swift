package import HTTPCache
package import HTTPSemantics
import ImagePlan
package import OriginTransfer

/// Identifies an original and its location, for stages 4 to 6; immutable.
package final class OriginRequest: Sendable {
    /// The hash of the source's name, `identity`, `cookie` and how the source decrypts.
    package let key: CacheKey
    /// The loader's target: a URL with forwarded parameters, or a path below a file source's root.
    package let target: OriginTarget
    /// The target's normal form (RFC 3986 §6.2).
    package let identity: String
    package let source: SourceRule
    /// The value of `Cookie` for the origin: those of the client's cookies that the source forwards; `nil` for none.
    package let cookie: String?
    /// Path and query as sent if they contain parameters that are not part of the key; `nil` otherwise.
    package let unkeyed: String?
    /// Whether nothing from the request may be stored, including failures (RFC 9111 §5.2.1.5); stored responses may be used.
    package let keepsNothing: Bool

    /// Creates a request for a URL; equivalent URLs share one original.
    ///
    /// - Parameters:
    ///   - keyed: the URL without the parameters that are not part of the key; `nil` if there are none.
    ///   - cookie: the cookies to forward, in a canonical order; requests with other cookies have another original.
    package convenience init(source: SourceRule, url: OriginURL, keyed: OriginURL? = nil, cookie: String? = nil) {
        self.init(
            source: source,
            target: .url(url),
            identity: (keyed ?? url).normalized,
            unkeyed: keyed == nil ? nil : url.requestTarget,
            cookie: cookie
        )
    }

    /// Creates a request for a file below the root of a `file:` source.
    package convenience init(source: SourceRule, file: String) {
        self.init(source: source, target: .file(file), identity: file)
    }

    /// Creates a request for the content of a `data:` URL; equal contents share one original.
    package convenience init(source: SourceRule, data: DataURL) {
        self.init(source: source, target: .data(data), identity: "data:\(CacheKey(hashing: data.bytes))")
    }

    /// Creates a request for the picture that a page names.
    ///
    /// - Parameter limit: the maximum bytes of the page.
    package convenience init(source: SourceRule, page: OriginURL, limit: Int) {
        self.init(source: source, target: .page(page, limit: limit), identity: "page:\(page.normalized)")
    }

    private init(
        source: SourceRule,
        target: OriginTarget,
        identity: String,
        unkeyed: String? = nil,
        cookie: String? = nil
    ) {
        self.unkeyed = unkeyed
        self.cookie = cookie
        self.source = source
        self.target = target
        keepsNothing = false
        self.identity = identity
        // An identity contains no line feed.
        let rules = source.effects.map(\.keyText).flatMap { $0.isEmpty ? nil : "\nrules \($0)" } ?? ""
        let decryption = source.decryption.map { "\ndecrypt \($0.keyText)" } ?? ""
        let suffix = (cookie.map { "\ncookie \($0)" } ?? "") + rules + decryption
        key = CacheKey(hashing: "original/1\n\(source.name)\n\(source.location.text)\n\(identity)\(suffix)")
    }

    /// Returns a request for another URL of the same source.
    package func sibling(_ url: OriginURL) -> OriginRequest { OriginRequest(source: source, url: url) }

    /// The same request without storage.
    var withoutStorage: OriginRequest { OriginRequest(withoutStorage: self) }

    private init(withoutStorage request: OriginRequest) {
        key = request.key
        target = request.target
        source = request.source
        keepsNothing = true
        identity = request.identity
        unkeyed = request.unkeyed
        cookie = request.cookie
    }
}

extension SourceRule.Location {
    /// The location as text for keys, so that a source with a new location has new originals.
    fileprivate var text: String {
        switch self {
        case .http(let prefix): prefix
        case .file(let root): "file:\(root)"
        case .bucket(let bucket): bucket.urlPrefix
        case .remote: "remote"
        }
    }
}
