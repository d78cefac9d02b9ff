import LinuxSystem

/// What is to be removed and waits for the writer: readers do not serve it from the moment of the call.
final class DiskRemovals: Sendable {
    private struct State: Sendable {
        /// How many removals of each wait.
        var origins: [CacheKey: Int] = [:]
        var sources: [String: Int] = [:]
        var all = 0

        var isEmpty: Bool { origins.isEmpty && sources.isEmpty && all == 0 }
    }

    /// More keys than this do not wait: a folder that cannot be used must not cost memory without end.
    private static let capacity = 65_536

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
            switch selection {
            case .originals(let keys): for key in keys { Self.decrement(&waiting.origins, key) }
            case .source(let name): Self.decrement(&waiting.sources, name)
            case .all: waiting.all = max(0, waiting.all - 1)
            }
        }
    }

    /// Whether a removal that an origin belongs to waits.
    func contains(origin: CacheKey, source: String) -> Bool {
        waiting.withLock { waiting in
            !waiting.isEmpty
                && (waiting.all > 0 || waiting.origins[origin] != nil || waiting.sources[source] != nil)
        }
    }

    private static func decrement<Key: Hashable>(_ counts: inout [Key: Int], _ key: Key) {
        guard let count = counts[key] else { return }
        counts[key] = count == 1 ? nil : count - 1
    }
}
