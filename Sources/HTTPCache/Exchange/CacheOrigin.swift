package import HTTPSemantics

/// The target of a cached request: a URL or a file of a source.
///
/// Conforming types are classes, so that generic code handles a pointer instead of an unknown layout.
package protocol CacheOrigin: AnyObject, Sendable {
    /// The error of a failed request.
    associatedtype Failure: CacheFailure
    /// The cache key (RFC 9111 §2).
    var key: CacheKey { get }
    /// The normal form of the URL (RFC 3986 §6.2), or a path below the source's root.
    var identity: String { get }
    /// The URL or path, for logs and messages.
    var text: String { get }
    /// The URL; `nil` for a file.
    var url: OriginURL? { get }
    /// The cache settings of the source.
    var rule: CacheRule { get }
    /// Whether neither the response nor a failure may be stored (RFC 9111 §5.2.1.5).
    var keepsNothing: Bool { get }
    /// Returns the target for another URL of the same source.
    func sibling(_ url: OriginURL) -> Self
    /// Returns the cache settings for a response; those of the source unless something in the response changes them.
    ///
    /// - Parameters:
    ///   - response: the response, whose content may still be arriving.
    ///   - stored: the stored response that a 304 updates; `nil` for any other response.
    func rule(for response: FetchedResponse, updating stored: StoredResponse?) -> CacheRule
}

extension CacheOrigin {
    package func rule(for response: FetchedResponse, updating stored: StoredResponse?) -> CacheRule { rule }

    /// The tiers that store the response and objects derived from it.
    package var keeps: CachePolicy { keepsNothing ? CachePolicy(.none) : rule.cache }

    /// Returns the key under which failures to fetch it are remembered.
    package func failureKey(for caller: OriginCaller) -> CacheKey {
        let suffix = caller.keySuffix
        return suffix.isEmpty ? key : CacheKey(hashing: "failure/1\n\(key)\(suffix)")
    }
}

extension PurgeSubject {
    /// Creates the purge subject of a request's target.
    package init(_ origin: some CacheOrigin) {
        self.init(origin: origin.key, source: origin.rule.name, url: origin.identity)
    }
}

extension NegativeCache {
    /// Remembers a failure of a request.
    ///
    /// - Parameters:
    ///   - work: the class of the work that failed; `nil` if the failure applies to the key alone.
    ///   - auxiliaries: other originals that may have caused the failure.
    package func record(
        _ key: CacheKey,
        _ error: Failure,
        of origin: some CacheOrigin,
        plan: String? = nil,
        work: WorkClass? = nil,
        auxiliaries: [PurgeSubject] = [],
        hints: RetryHints = RetryHints(),
        hasStored: Bool = false
    ) {
        var subject = PurgeSubject(origin)
        subject.auxiliaries = auxiliaries
        record(
            key,
            error,
            about: subject,
            url: origin.text,
            plan: plan,
            work: work,
            hints: hints,
            hasStored: hasStored
        )
    }
}

extension OriginCaller {
    /// A suffix for the keys of flights and failures, which separates requests by their `CDN-Loop` and by the parameters that are
    /// not part of the cache key; empty without either.
    ///
    /// A CDN refuses requests that name it in `CDN-Loop`, and an origin those with a wrong signature. Any client can send both.
    /// Requests with different values therefore share neither failures nor flights. All requests share the fetched original.
    package var keySuffix: String {
        (cdnLoop.map { "\nCDN-Loop \($0)" } ?? "") + (unkeyed.map { "\nunkeyed \($0)" } ?? "")
    }
}
