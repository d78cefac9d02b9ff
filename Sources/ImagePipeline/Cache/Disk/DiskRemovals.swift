import LinuxSystem

/// Purges that wait for the writer: readers respect them from the moment of the call.
final class DiskRemovals: Sendable {
    private struct State: Sendable {
        /// How many removals of each wait.
        var origins: [CacheKey: Int] = [:]
        var sources: [String: Int] = [:]
        var all = 0
        /// All other purges; few at a time, and looked at one after the other.
        var others: [Purge: Int] = [:]
        /// How many have come to their end.
        var finished = 0

        var isEmpty: Bool { origins.isEmpty && sources.isEmpty && all == 0 && others.isEmpty }

        func verdict(on subject: FlightSubject) -> Verdict {
            if all > 0 || origins[subject.origin] != nil || sources[subject.source] != nil { return .hidden }
            var staleFrom: Int64?
            for purge in others.keys where purge.selection.covers(subject) != false {
                guard let time = purge.staleFrom else { return .hidden }
                staleFrom = min(time, staleFrom ?? time)
            }
            return .visible(staleFrom: staleFrom)
        }
    }

    /// What a row is to its reader.
    private enum Verdict {
        case visible(staleFrom: Int64?)
        case hidden
    }

    /// More keys than this do not wait: a folder that cannot be used must not cost memory without end.
    private static let capacity = 65_536
    /// More other purges than this do not wait, as each costs every reader a look.
    private static let otherCapacity = 256
    /// Readings of one row.
    private static let attempts = 8

    private let waiting = Lock(State())

    /// A purge was asked for.
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

    /// A purge is committed.
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

    /// Reads a row that no removal is about, stale where a soft purge is.
    ///
    /// A removal may be committed, and wait no more, between the reading of a row and the question whether one waits for it.
    /// Then the row is read again.
    /// - Parameters:
    ///   - subject: what a row is about.
    ///   - expire: lets a row's original count as stale from a second on.
    ///   - read: reads the row, of one state of the index.
    /// - Returns: `nil` where there is none, where it is to be removed, or where removals come faster than reads.
    func visible<Row>(
        _ subject: (Row) -> FlightSubject,
        expire: (inout Row, Int64) -> Void,
        _ read: () -> Row?
    ) -> Row? {
        for _ in 0..<Self.attempts {
            let finished = waiting.withLock { $0.finished }
            guard var row = read() else { return nil }
            let (verdict, isSettled) = waiting.withLock { waiting in
                // Most of the time nothing waits, and nothing is asked of the row.
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
