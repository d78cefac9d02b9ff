/// How the cache came to its answer, as the `Cache-Status` field tells it (RFC 9211).
package enum CacheStatus: Hashable, Sendable {
    /// What a hit was found in.
    package enum Tier: String, Hashable, Sendable, CaseIterable {
        /// Bytes in memory.
        case memory
        /// A file of the disk cache.
        case disk
        /// Made from a cached original, nothing fetched.
        case original
        /// Over its lifetime, served all the same.
        case stale
        /// A stored failure.
        case negative
    }

    /// Why the origin was asked (RFC 9211 §2.2).
    package enum Reason: String, Hashable, Sendable, CaseIterable {
        /// Nothing stored.
        case uriMiss = "uri-miss"
        /// Stored, but stale.
        case stale
        /// The request would not have a stored response.
        case request
        /// Never stored.
        case bypass
        /// The method's answers are not stored.
        case method
        /// Stored, but not for a request with such fields (RFC 9111 §4.1).
        case varyMiss = "vary-miss"
        /// A part was asked, and the whole is not stored.
        case partial
    }

    /// Why a request was neither answered from what is stored nor forwarded.
    package enum Cause: String, Hashable, Sendable, CaseIterable {
        /// The request, or the origin's address, is not allowed or not understood.
        case refused
        /// Too much is under way.
        case overloaded
        /// Only something stored was asked for, and there is nothing.
        case onlyIfCached = "only-if-cached"
    }

    /// Answered without asking the origin.
    case hit(Tier)
    /// Asked the origin.
    ///
    /// `status` is what it answered, told where it differs from the answer's; `collapsed` says that another request asked.
    case forwarded(Reason, status: Int?, collapsed: Bool)
    /// The configured fallback picture.
    case fallback
    /// Failed without a look at the origin.
    case unasked(Cause)

    /// Nothing was stored, and this request fetched.
    package static let miss = CacheStatus.forwarded(.uriMiss, status: nil, collapsed: false)
    /// Nothing was stored, and this request waited for another one's fetch.
    package static let collapsedMiss = CacheStatus.forwarded(.uriMiss, status: nil, collapsed: true)
    /// The stored response was stale, and the origin confirmed it.
    package static let revalidated = CacheStatus.forwarded(.stale, status: 304, collapsed: false)

    /// The origin answered a request that was forwarded for this reason.
    ///
    /// A miss that was answered with 200 needs no `fwd-status`: RFC 9211 §2.3 has it for statuses that the answer does not tell.
    package static func answered(_ reason: Reason, status: Int) -> CacheStatus {
        .forwarded(reason, status: reason == .uriMiss && status == 200 ? nil : status, collapsed: false)
    }

    /// Whether another request's work was shared.
    package var isCollapsed: Bool { if case .forwarded(_, _, true) = self { true } else { false } }

    /// The same for a request that shared another's work.
    package var collapsed: CacheStatus {
        guard case .forwarded(let reason, let status, _) = self else { return self }
        return .forwarded(reason, status: status, collapsed: true)
    }

    /// The same for a failure, whose status differs from the origin's 200.
    package var ofFailure: CacheStatus {
        guard case .forwarded(let reason, nil, let collapsed) = self else { return self }
        return .forwarded(reason, status: 200, collapsed: collapsed)
    }

    /// The field's value.
    package var text: String {
        switch self {
        case .hit(.memory): "edgeprint; hit; detail=memory"
        case .hit(.disk): "edgeprint; hit; detail=disk"
        case .hit(let tier): "edgeprint; hit; detail=\(tier.rawValue)"
        case .forwarded(let reason, let status, let collapsed):
            "edgeprint; fwd=\(reason.rawValue)" + (status.map { "; fwd-status=\($0)" } ?? "")
                + (collapsed ? "; collapsed" : "")
        case .fallback: "edgeprint; detail=fallback"
        case .unasked(let cause): "edgeprint; detail=\(cause.rawValue)"
        }
    }
}
