import LinuxSystem

/// Purges that the writer has not committed yet.
///
/// Readers hide what they select from the moment of the call.
final class DiskRemovals: Sendable {
    private struct State: Sendable {
        /// Pending removals by key or name.
        var origins: [CacheKey: Int] = [:]
        var sources: [String: Int] = [:]
        var all = 0
        /// Pending purges of other forms; few, and searched linearly.
        var others: [Purge: Int] = [:]
        /// The number of purges committed so far.
        var finished = 0

        var isEmpty: Bool { origins.isEmpty && sources.isEmpty && all == 0 && others.isEmpty }

        func verdict(on subject: PurgeSubject) -> Verdict {
            if all > 0 || origins[subject.origin] != nil || sources[subject.source] != nil { return .hidden }
            var staleFrom: Int64?
            for purge in others.keys where purge.selection.covers(subject) != false {
                guard let time = purge.staleFrom else { return .hidden }
                staleFrom = min(time, staleFrom ?? time)
            }
            return .visible(staleFrom: staleFrom)
        }
    }

    /// What a reader may see of a row while removals are pending.
    private enum Verdict {
        case visible(staleFrom: Int64?)
        case hidden
    }

    /// The maximum number of waiting keys, which bounds memory while the folder is unusable.
    private static let capacity = 65_536
    /// The maximum number of waiting purges of other forms; each read tests all of them.
    private static let otherCapacity = 256
    /// The maximum number of attempts to read a row.
    private static let attempts = 8

    private let waiting = Lock(State())

    /// Adds a purge.
    ///
    /// - Returns: false when too many wait.
    func add(_ purge: Purge) -> Bool {
        waiting.withLock { waiting in
            switch (purge.selection, purge.staleFrom) {
            case (.originals(let keys), nil):
                let new = keys.count { waiting.origins[$0] == nil }
                guard waiting.origins.count + new <= Self.capacity else { return false }
                for key in keys { waiting.origins[key, default: 0] += 1 }
            case (.source(let name), nil):
                guard waiting.sources.count < Self.capacity || waiting.sources[name] != nil else { return false }
                waiting.sources[name, default: 0] += 1
            case (.all, nil): waiting.all += 1
            default:
                guard waiting.others.count < Self.otherCapacity || waiting.others[purge] != nil else { return false }
                waiting.others[purge, default: 0] += 1
            }
            return true
        }
    }

    /// Removes a purge after its commit.
    func finish(_ purge: Purge) {
        waiting.withLock { waiting in
            waiting.finished += 1
            switch (purge.selection, purge.staleFrom) {
            case (.originals(let keys), nil): for key in keys { Self.decrement(&waiting.origins, key) }
            case (.source(let name), nil): Self.decrement(&waiting.sources, name)
            case (.all, nil): waiting.all = max(0, waiting.all - 1)
            default: Self.decrement(&waiting.others, purge)
            }
        }
    }

    /// Reads a row unless a pending removal selects it; makes it stale where a soft purge does.
    ///
    /// A removal may be committed between the read and the test for pending removals. Then the row is read again.
    /// - Parameters:
    ///   - subject: the purge subject of a row.
    ///   - expire: makes a row's original stale from a second on.
    ///   - read: reads the row from one snapshot of the index.
    /// - Returns: `nil` without a row, for a row that is being removed, or when removals commit faster than it can be read.
    func visible<Row>(
        _ subject: (Row) -> PurgeSubject,
        expire: (inout Row, Int64) -> Void,
        _ read: () -> Row?
    ) -> Row? {
        for _ in 0..<Self.attempts {
            let finished = waiting.withLock { $0.finished }
            guard var row = read() else { return nil }
            let (verdict, isSettled) = waiting.withLock { waiting in
                // Usually nothing is pending, and the subject is not needed.
                let verdict = waiting.isEmpty ? .visible(staleFrom: nil) : waiting.verdict(on: subject(row))
                return (verdict, waiting.finished == finished)
            }
            guard case .visible(let staleFrom) = verdict else { return nil }
            guard isSettled else { continue }
            if let staleFrom { expire(&row, staleFrom) }
            return row
        }
        return nil
    }

    private static func decrement<Key: Hashable>(_ counts: inout [Key: Int], _ key: Key) {
        guard let count = counts[key] else { return }
        counts[key] = count == 1 ? nil : count - 1
    }
}
