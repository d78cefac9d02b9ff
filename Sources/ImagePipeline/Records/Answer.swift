/// What a request gets: the entity, where it came from, and what it took.
package struct Answer: Sendable {
    package var entity: Entity
    package var provenance: Provenance
    package var timings: StageTimings

    init(entity: Entity, provenance: Provenance, timings: StageTimings = StageTimings()) {
        self.entity = entity
        self.provenance = provenance
        self.timings = timings
    }
}

/// Where an answer came from (SDWebImage's `SDImageCacheType`), said to clients as `Cache-Status` (RFC 9211).
package enum Provenance: Hashable, Sendable {
    /// From the memory cache.
    case memory
    /// From the disk store.
    case disk
    /// Made from an original that was cached.
    case original
    /// Stored and stale, served all the same (RFC 5861).
    case stale
    /// The original was fetched; `collapsed`: by another request's flight.
    case fetched(collapsed: Bool)
    /// A stale original was asked about at its origin, which answered with this status.
    case revalidated(status: Int, collapsed: Bool)
    /// A fresh original was asked about since the request would have it so.
    case validated(status: Int, collapsed: Bool)

    /// Whether another request's work was shared.
    package var isCollapsed: Bool {
        switch self {
        case .memory, .disk, .original, .stale: false
        case .fetched(let collapsed), .revalidated(_, let collapsed), .validated(_, let collapsed): collapsed
        }
    }

    /// The same for a waiter that joined the flight of another.
    var collapsed: Provenance {
        switch self {
        case .memory, .disk, .original, .stale: self
        case .fetched: .fetched(collapsed: true)
        case .revalidated(let status, _): .revalidated(status: status, collapsed: true)
        case .validated(let status, _): .validated(status: status, collapsed: true)
        }
    }
}

/// Microseconds that stages took, for metrics and `Server-Timing`; 0 where a stage did not run.
package struct StageTimings: Hashable, Sendable {
    package var fetch: UInt32 = 0
    package var queue: UInt32 = 0
    package var decode: UInt32 = 0
    package var transform: UInt32 = 0
    package var encode: UInt32 = 0
    /// Handing the result to the caches; what the disk does later is not counted.
    package var store: UInt32 = 0

    /// A transfer's time, and nothing else.
    init(fetch: UInt32 = 0) {
        self.fetch = fetch
    }
}
