import HTTPSemantics

/// What stages 4 to 6 found: an original's state, its bytes, and how they were come by.
struct OriginOutcome: Sendable {
    /// How the original was come by.
    enum Way: Sendable {
        /// It was cached and fresh.
        case stored
        /// It was cached and stale, and may be used so.
        case stale
        /// Nothing was cached.
        case fetched
        /// It was cached and stale, and the origin answered with this status.
        case revalidated(status: Int)
        /// It was cached and fresh, and the request would hear the origin all the same, which answered with this status.
        case validated(status: Int)
    }

    var origin: OriginSnapshot
    /// `nil` when only freshness was asked for and the bytes are not kept.
    var body: OriginBody?
    /// Whether a shared cache may keep it, and what is made of it (RFC 9111 §3).
    var storable: Bool
    var way: Way
    /// Microseconds of the transfer; 0 where there was none.
    var fetchMicroseconds: UInt32 = 0

    /// What the failure to make a variant of it says of the cache's part.
    func cacheStatus(collapsed: Bool) -> CacheStatus {
        switch way {
        case .stored: .hit(.original)
        case .stale: .hit(.stale)
        case .fetched: .forwarded(.uriMiss, status: 200, collapsed: collapsed)
        case .revalidated(let status): .forwarded(.stale, status: status, collapsed: collapsed)
        case .validated(let status): .forwarded(.request, status: status, collapsed: collapsed)
        }
    }

    /// What a variant made through this outcome says of itself; `stored`: where nothing was asked of the origin.
    func provenance(collapsed: Bool, stored: Provenance) -> Provenance {
        switch way {
        case .stored: stored
        case .stale: .stale
        case .fetched: .fetched(collapsed: collapsed)
        case .revalidated(let status): .revalidated(status: status, collapsed: collapsed)
        case .validated(let status): .validated(status: status, collapsed: collapsed)
        }
    }
}
