/// What a follower does next, and what answers of the log mean: the rules, without threads and connections.
///
/// The rule behind the promise: a node is in touch for one second from the beginning of a heartbeat, and only once it has applied
/// everything that was in the log when that heartbeat was answered.
package struct FollowerState: Sendable {
    /// A call of the log.
    package enum Turn: Sendable, Hashable {
        /// `PurgeLog.head`.
        case beat(LogPresence)
        /// `PurgeLog.read`, with the longest time to wait.
        case read(after: LogPlace, waiting: Int64)
    }

    /// A call of `LogFollowing`.
    ///
    /// All of them must be done, in order, before the next turn.
    package enum Effect: Sendable, Hashable {
        case apply(LogEntry)
        case gap(LogGap, continuingAt: LogPlace)
        case inTouch(until: Int64)
    }

    /// Touch that a heartbeat grants once the node has applied the log's end of that moment.
    private struct Grant {
        let head: UInt64
        let until: Int64
    }

    /// The most entries of one read.
    package static let readLimit = 256

    /// What the node has applied.
    package private(set) var place: LogPlace?
    /// The end of the log, as of the last heartbeat.
    package private(set) var head: UInt64 = 0

    private let node: String
    private let times: LogTimes
    private var beats: UInt64 = 0
    private var lastBeat: Int64?
    private var stated: LogPlace?
    private var grants: [Grant] = []
    /// What reading has found; the next heartbeat tells where to go on.
    private var found: LogGap?
    private var failures = 0

    /// Creates the state of a follower that has just started.
    ///
    /// - Parameters:
    ///   - node: the name of the node and of this run.
    ///   - place: what it had applied before; `nil` if it does not know.
    package init(node: String, place: LogPlace?, times: LogTimes = LogTimes()) {
        self.node = node
        self.place = place
        self.times = times
    }

    /// The next call: a heartbeat when one is due or something was applied, else a read that ends before the next heartbeat.
    package mutating func next(at now: Int64) -> Turn {
        if let place, let lastBeat, found == nil, stated == place, now - lastBeat < times.heartbeat, now >= lastBeat {
            return .read(after: place, waiting: min(times.read, lastBeat + times.heartbeat - now))
        }
        lastBeat = now
        stated = place
        beats += 1
        return .beat(LogPresence(node: node, applied: place, beat: "\(beats)"))
    }

    /// A heartbeat was answered.
    ///
    /// - Parameter began: the time given to `next`, thus before the engine has seen the heartbeat.
    package mutating func answered(_ end: LogPlace, began: Int64) -> [Effect] {
        failures = 0
        head = end.sequence
        var effects: [Effect] = []
        if let gap = gap(at: end) {
            place = end
            (found, grants) = (nil, [])
            effects.append(.gap(gap, continuingAt: end))
        }
        grants.append(Grant(head: end.sequence, until: began + times.touch))
        return effects + touches()
    }

    private func gap(at end: LogPlace) -> LogGap? {
        guard let place else { return .joined }
        if end.log != place.log { return .replaced }
        if end.sequence < place.sequence || (end.sequence == place.sequence && end.mark != place.mark) { return .lost }
        return found
    }

    /// Entries were read after `place`; none if the wait has ended without one.
    package mutating func received(_ entries: [LogEntry]) -> [Effect] {
        var effects: [Effect] = []
        for entry in entries {
            guard let place, found == nil, entry.sequence > place.sequence else { continue }
            guard entry.sequence == place.sequence + 1, entry.previous == place.mark else {
                found = entry.sequence == place.sequence + 1 ? .lost : .trimmed
                grants = []
                break
            }
            self.place = entry.place
            effects.append(.apply(entry))
            effects += touches()
        }
        return effects
    }

    /// A call has failed.
    ///
    /// - Returns: nanoseconds to wait before the next turn, which is a heartbeat.
    package mutating func failed(using random: inout some RandomNumberGenerator) -> Int64 {
        lastBeat = nil
        failures = min(failures + 1, 16)
        let longest = min(times.pause.upperBound, times.pause.lowerBound << Int64(failures))
        return Int64.random(in: times.pause.lowerBound...max(longest, times.pause.lowerBound), using: &random)
    }

    /// The touch of all grants whose purges are applied.
    private mutating func touches() -> [Effect] {
        guard let place else { return [] }
        let until = grants.filter { $0.head <= place.sequence }.map(\.until).max()
        grants.removeAll { $0.head <= place.sequence }
        // A node far behind: what is older has ended by now.
        if grants.count > 8 { grants.removeFirst() }
        return until.map { [.inTouch(until: $0)] } ?? []
    }
}
