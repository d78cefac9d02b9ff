import LinuxSystem

/// The stored responses of raw sources: in memory, bounded by their bytes.
///
/// Any thread. Changes to an entry happen one after another, so that none is lost.
package final class RawCache: Sendable {
    private let memory: MemoryCache<RawEntry>
    private let changes = Lock(())

    /// Creates an empty cache.
    ///
    /// - Parameter capacity: bytes.
    package init(capacity: Int) {
        memory = MemoryCache(MemoryCache.Configuration(capacity: capacity))
    }

    /// Gives the cache another capacity in bytes.
    package func resize(capacity: Int) { memory.resize(capacity: capacity) }

    /// What the cache holds and has done.
    package var statistics: MemoryStatistics { memory.statistics }

    /// What is stored for a URL.
    func entry(for key: CacheKey) -> RawEntry? { memory.value(for: key) }

    /// Changes what is stored for a request's URL.
    func change(_ request: RawRequest, _ change: (inout RawEntry) -> Void) {
        changes.withLock { _ in
            var entry = memory.value(for: request.key) ?? RawEntry(FlightSubject(request.origin))
            change(&entry)
            memory.insert(entry, for: request.key, cost: entry.cost)
        }
    }

    /// Drops what is stored for a URL.
    @discardableResult
    func drop(_ key: CacheKey) -> Bool { changes.withLock { _ in memory.remove(key) } }

    /// Drops the responses that a purge is about, or lets them count as stale.
    ///
    /// - Returns: of how many URLs.
    func purge(_ purge: Purge) -> Int {
        changes.withLock { _ in
            var found: [(key: CacheKey, entry: RawEntry)] = []
            _ = memory.count { key, entry in
                if entry.holds(purge.selection) { found.append((key, entry)) }
                return false
            }
            for (key, entry) in found {
                var entry = entry
                entry.purge(purge)
                if entry.responses.isEmpty {
                    memory.remove(key)
                } else {
                    memory.insert(entry, for: key, cost: entry.cost)
                }
            }
            return found.count
        }
    }

    /// How many URLs a purge is about.
    package func count(_ selection: PurgeSelection) -> Int {
        memory.count { $1.holds(selection) }
    }
}
