import LinuxSystem

/// Origins whose removal waits for the writer: readers do not serve them from the moment of the call.
final class DiskRemovals: Sendable {
    private let waiting = Lock<[CacheKey: Int]>([:])

    /// A removal was asked for.
    func add(_ key: CacheKey) {
        waiting.withLock { $0[key, default: 0] += 1 }
    }

    /// A removal is committed.
    func finish(_ key: CacheKey) {
        waiting.withLock { waiting in
            guard let count = waiting[key] else { return }
            waiting[key] = count == 1 ? nil : count - 1
        }
    }

    /// Whether a removal of the key waits.
    func contains(_ key: CacheKey) -> Bool {
        waiting.withLock { !$0.isEmpty && $0[key] != nil }
    }
}
