import LinuxSystem

/// Origins whose removal waits for the writer: readers do not serve them from the moment of the call.
final class DiskRemovals: Sendable {
    /// More keys than this do not wait: a folder that cannot be used must not cost memory without end.
    private static let capacity = 65_536

    private let waiting = Lock<[CacheKey: Int]>([:])

    /// A removal was asked for.
    ///
    /// - Returns: false when too many wait.
    func add(_ key: CacheKey) -> Bool {
        waiting.withLock { waiting in
            guard waiting.count < Self.capacity || waiting[key] != nil else { return false }
            waiting[key, default: 0] += 1
            return true
        }
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
