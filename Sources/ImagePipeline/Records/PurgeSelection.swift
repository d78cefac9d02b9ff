/// What a purge is about.
package enum PurgeSelection: Hashable, Sendable {
    /// Originals, each with all that was made of it.
    case originals([CacheKey])
    /// Everything of a configured source; `fetch` for remote URLs.
    case source(String)
    case all

    /// Whether an original belongs to it.
    func contains(origin: CacheKey, source: String) -> Bool {
        switch self {
        case .originals(let keys): keys.contains(origin)
        case .source(let name): name == source
        case .all: true
        }
    }
}

/// What a purge has removed, or would remove.
package struct PurgeCounts: Hashable, Sendable {
    /// Originals on disk.
    package var originals = 0
    /// Variants on disk.
    package var variants = 0
    /// Bytes of both on disk.
    package var bytes = 0
    /// Entries in memory.
    package var memory = 0
    /// Downloads and transforms under way whose results are not kept.
    package var flights = 0
    /// Whether the disk could not be used: what lies there is hidden, and goes when it can.
    package var isDiskPending = false

    /// Nothing yet.
    package init() {}
}
