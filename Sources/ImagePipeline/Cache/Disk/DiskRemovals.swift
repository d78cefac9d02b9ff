import LinuxSystem

/// What is to be removed and waits for the writer: readers do not serve it from the moment of the call.
final class DiskRemovals: Sendable {
    private struct State: Sendable {
        /// How many removals of each wait.
        var origins: [CacheKey: Int] = [:]
        var sources: [String: Int] = [:]
        var all = 0
        /// How many have come to their end.
        var finished = 0

        private var isEmpty: Bool { origins.isEmpty && sources.isEmpty && all == 0 }

        func contains(origin: CacheKey, source: String) -> Bool {
            !isEmpty && (all > 0 || origins[origin] != nil || sources[source] != nil)
        }
    }

    /// More keys than this do not wait: a folder that cannot be used must not cost memory without end.
    private static let capacity = 65_536
    /// Readings of one row.
    private static let attempts = 8

    private let waiting = Lock(State())

    /// A removal was asked for.
    ///
    /// - Returns: false when too many wait.
    func add(_ selection: PurgeSelection) -> Bool {
        waiting.withLock { waiting in
            switch selection {
            case .originals(let keys):
                let new = keys.count { waiting.origins[$0] == nil }
                guard waiting.origins.count + new <= Self.capacity else { return false }
                for key in keys { waiting.origins[key, default: 0] += 1 }
            case .source(let name):
                guard waiting.sources.count < Self.capacity || waiting.sources[name] != nil else { return false }
                waiting.sources[name, default: 0] += 1
            case .all: waiting.all += 1
            }
            return true
        }
    }

    /// A removal is committed.
    func finish(_ selection: PurgeSelection) {
        waiting.withLock { waiting in
            waiting.finished += 1
            switch selection {
            case .originals(let keys): for key in keys { Self.decrement(&waiting.origins, key) }
            case .source(let name): Self.decrement(&waiting.sources, name)
            case .all: waiting.all = max(0, waiting.all - 1)
            }
        }
    }

    /// Reads a row that no removal is about.
    ///
    /// A removal may be committed, and wait no more, between the reading of a row and the question whether one waits for it.
    /// Then the row is read again.
    /// - Parameters:
    ///   - origin: the key and the source's name of the original that a row belongs to.
    ///   - read: reads the row, of one state of the index.
    /// - Returns: `nil` where there is none, where it is to be removed, or where removals come faster than reads.
    func visible<Row>(origin: (Row) -> (key: CacheKey, source: String), _ read: () -> Row?) -> Row? {
        for _ in 0..<Self.attempts {
            let finished = waiting.withLock { $0.finished }
            guard let row = read() else { return nil }
            let (key, source) = origin(row)
            let (isHidden, isSettled) = waiting.withLock { waiting in
                (waiting.contains(origin: key, source: source), waiting.finished == finished)
            }
            if isHidden { return nil }
            if isSettled { return row }
        }
        return nil
    }

    private static func decrement<Key: Hashable>(_ counts: inout [Key: Int], _ key: Key) {
        guard let count = counts[key] else { return }
        counts[key] = count == 1 ? nil : count - 1
    }
}
