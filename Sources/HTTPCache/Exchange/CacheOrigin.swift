package import HTTPSemantics

/// What a cached request is for: a URL, or a file, of a source.
///
/// A class, so that generic code over it needs no layout of its own.
package protocol CacheOrigin: AnyObject, Sendable {
    /// Why a request for it fails.
    associatedtype Failure: CacheFailure
    /// The cache key (RFC 9111 §2).
    var key: CacheKey { get }
    /// The normal form of the URL (RFC 3986 §6.2), or a path below the source's root.
    var identity: String { get }
    /// The URL to ask, or the path, for people to read.
    var text: String { get }
    /// The URL; `nil` for a file.
    var url: OriginURL? { get }
    /// The rule of the source.
    var rule: CacheRule { get }
    /// Whether nothing of it may be kept, its failure neither (RFC 9111 §5.2.1.5).
    var keepsNothing: Bool { get }
    /// Another URL of the same source.
    func sibling(_ url: OriginURL) -> Self
}

extension CacheOrigin {
    /// The tiers that keep what comes of a request for it.
    package var keeps: CachePolicy { keepsNothing ? CachePolicy(.none) : rule.cache }

    /// The key of failures to fetch it.
    package func failureKey(for caller: OriginCaller) -> CacheKey {
        let suffix = caller.keySuffix
        return suffix.isEmpty ? key : CacheKey(hashing: "failure/1\n\(key)\(suffix)")
    }
}

extension PurgeSubject {
    /// Names what a request is for.
    package init(_ origin: some CacheOrigin) {
        self.init(origin: origin.key, source: origin.rule.name, url: origin.identity)
    }
}

extension NegativeCache {
    /// Remembers a failure of a request.
    ///
    /// - Parameter ingredients: the other originals that it may be the failure of.
    package func record(
        _ key: CacheKey,
        _ error: Failure,
        of origin: some CacheOrigin,
        plan: String? = nil,
        ingredients: [PurgeSubject] = [],
        hints: RetryHints = RetryHints(),
        hasStored: Bool = false
    ) {
        var subject = PurgeSubject(origin)
        subject.ingredients = ingredients
        record(key, error, about: subject, url: origin.text, plan: plan, hints: hints, hasStored: hasStored)
    }
}
