/// How the cache handled a request, as reported in the `Cache-Status` field (RFC 9211).
package enum CacheStatus: Hashable, Sendable {
    /// The tier in which a hit was found.
    package enum Tier: String, Hashable, Sendable, CaseIterable {
        /// The memory cache.
        case memory
        /// The disk cache.
        case disk
        /// Transformed from a cached original, without a fetch.
        case original
        /// The store that the nodes of a cluster share, or transformed from an original in it.
        case shared
        /// A stale response.
        case stale
        /// A stored failure.
        case negative
    }

    /// The reason the request was forwarded to the origin (RFC 9211 §2.2).
    package enum Reason: String, Hashable, Sendable, CaseIterable {
        /// No response was stored.
        case uriMiss = "uri-miss"
        /// The stored response was stale.
        case stale
        /// The request did not accept the stored response.
        case request
        /// The response is never stored.
        case bypass
        /// Responses to the method are not stored.
        case method
        /// The stored response does not match the request's fields (RFC 9111 §4.1).
        case varyMiss = "vary-miss"
        /// Part of a response was requested, and the whole is not stored.
        case partial
        /// The stored response counts as stale, because this node does not know what other nodes have purged.
        case outOfTouch = "out-of-touch"

        /// The parameters of the field.
        fileprivate func text(status: Int?, collapsed: Bool) -> String {
            let value = self == .outOfTouch ? Reason.stale.rawValue : rawValue
            return "fwd=\(value)" + (status.map { "; fwd-status=\($0)" } ?? "") + (collapsed ? "; collapsed" : "")
                + (self == .outOfTouch ? "; detail=\(rawValue)" : "")
        }
    }

    /// The reason a request was neither served from the cache nor forwarded.
    package enum Cause: String, Hashable, Sendable, CaseIterable {
        /// The request, or the origin's address, is not allowed or malformed.
        case refused
        /// The server is overloaded.
        case overloaded
        /// The request accepts only a stored response, and there is none.
        case onlyIfCached = "only-if-cached"
        /// The origin has failed too often, and is left alone for a while.
        case breakerOpen = "breaker-open"
        /// The operator has suspended the source.
        case suspended
        /// The source is offline.
        case offline
        /// What is stored may have been purged by other nodes.
        case outOfTouch = "out-of-touch"
    }

    /// Served from the cache.
    case hit(Tier)
    /// Forwarded to the origin.
    ///
    /// `status` is the origin's status if it differs from the response's; `collapsed` means that another request's fetch was used.
    case forwarded(Reason, status: Int?, collapsed: Bool)
    /// The node that owns the original has answered in place of the origin; `collapsed` as above.
    case owned(collapsed: Bool)
    /// The configured fallback image was served.
    case fallback
    /// Failed without contacting the origin.
    case unasked(Cause)

    /// No response was stored, and this request fetched one.
    package static let miss = CacheStatus.forwarded(.uriMiss, status: nil, collapsed: false)
    /// No response was stored, and the owner has answered this request.
    package static let owner = CacheStatus.owned(collapsed: false)
    /// No response was stored, and this request shared another one's fetch.
    package static let collapsedMiss = CacheStatus.forwarded(.uriMiss, status: nil, collapsed: true)
    /// The stored response was stale, and the origin confirmed it.
    package static let revalidated = CacheStatus.forwarded(.stale, status: 304, collapsed: false)

    /// The origin answered a request that was forwarded for this reason.
    ///
    /// A miss with status 200 needs no `fwd-status`, which is for statuses that the response itself does not show (RFC 9211 §2.3).
    package static func answered(_ reason: Reason, status: Int) -> CacheStatus {
        .forwarded(reason, status: reason == .uriMiss && status == 200 ? nil : status, collapsed: false)
    }

    /// Whether another request's work was shared.
    package var isCollapsed: Bool {
        switch self {
        case .forwarded(_, _, let collapsed), .owned(let collapsed): collapsed
        case .hit, .fallback, .unasked: false
        }
    }

    /// The same for a request that shared another's work.
    package var collapsed: CacheStatus {
        if case .owned = self { return .owned(collapsed: true) }
        guard case .forwarded(let reason, let status, _) = self else { return self }
        return .forwarded(reason, status: status, collapsed: true)
    }

    /// The same for a failure, whose status differs from the origin's 200.
    package var ofFailure: CacheStatus {
        guard case .forwarded(let reason, nil, let collapsed) = self else { return self }
        return .forwarded(reason, status: 200, collapsed: collapsed)
    }

    /// The field value.
    package var text: String {
        switch self {
        case .hit(.memory): "edgeprint; hit; detail=memory"
        case .hit(.disk): "edgeprint; hit; detail=disk"
        case .hit(let tier): "edgeprint; hit; detail=\(tier.rawValue)"
        case .forwarded(let reason, let status, let collapsed):
            "edgeprint; \(reason.text(status: status, collapsed: collapsed))"
        case .owned(let collapsed): "edgeprint; fwd=uri-miss" + (collapsed ? "; collapsed" : "") + "; detail=owner"
        case .fallback: "edgeprint; detail=fallback"
        case .unasked(let cause): "edgeprint; detail=\(cause.rawValue)"
        }
    }
}
