/// What applies the purges of the log to this node.
///
/// Called on the follower's thread, in order. A call that takes long delays heartbeats: the node is then out of touch.
package protocol LogFollowing: Sendable {
    /// Where to go on after a start; `nil` if no place is stored.
    var place: LogPlace? { get }

    /// Applies a purge. Once it returns, no reader of this node sees what the purge selects.
    func apply(_ entry: LogEntry)

    /// Treats everything stored as stale until it is validated, since purges may have been missed; the next entry is the one
    /// after `place`.
    func gap(_ gap: LogGap, continuingAt place: LogPlace)

    /// The node has applied every purge that was in the log at some moment less than a second before `deadline`.
    ///
    /// - Parameter deadline: monotonic nanoseconds (`TimeSource.monotonic`). From then on the node is out of touch, unless a
    ///   later deadline was given.
    func inTouch(until deadline: UInt64)

    /// A call of the log has failed, which is repeated; the node may still be in touch.
    func failed(_ error: LogError)
}

extension LogFollowing {
    package func failed(_ error: LogError) {}
}

/// Why a node may have missed purges.
package enum LogGap: String, Sendable, Hashable, CaseIterable {
    /// It has no place in the log: its first start, or its cache is new.
    case joined
    /// The log has begun anew, or another server process holds it: restarted, failed over, restored. Its last entries may be lost.
    case replaced
    /// The log ends before the node's place, or another entry stands there.
    case lost
    /// The entries after the node's place are no longer in the log.
    case trimmed
}

/// Whom `LogFollower.wait` waits for.
package enum LogScope: Sendable {
    /// This node.
    case thisNode
    /// All nodes that are in touch.
    case allNodes
}

/// How a wait has ended.
package enum LogWait: Sendable, Hashable {
    /// Applied. The named nodes are silent, thus out of touch: they treat what they hold as stale.
    case applied(silent: [String])
    /// Time is up; the named nodes have not stated that they have applied it. Empty if the nodes could not be listed.
    case missing([String])
}

/// What a node knows of another one.
package struct LogNode: Sendable, Hashable {
    /// Its name.
    package let name: String
    /// The last entry that it has applied.
    package let applied: UInt64
    /// Whether its heartbeats have stopped for longer than it may be in touch without.
    package let isSilent: Bool
}

/// The state of a follower, for metrics.
package struct LogStatus: Sendable {
    /// The last entry of the log, as of the last heartbeat.
    package var head: UInt64 = 0
    /// The last entry that this node has applied, or that was in the log when it raised its floor.
    package var applied: UInt64 = 0
    /// How many entries are in the log and not yet applied.
    package var lag: UInt64 { head > applied ? head - applied : 0 }
    /// Entries that this node has added.
    package var appended = 0
    /// Entries that this node has applied.
    package var appliedCount = 0
    /// Gaps by reason.
    package var gaps: [LogGap: Int] = [:]
    /// How often following has worked again after a failure.
    package var recoveries = 0
    /// Calls that failed, appends included.
    package var errors = 0
    /// The last failure of the follower's connection; `nil` while it works.
    package var failure: LogError?
    /// The last deadline that was given to `LogFollowing.inTouch`, in monotonic nanoseconds; 0 before the first.
    package var inTouchUntil: UInt64 = 0
    /// Whether the node was in touch at the time of the call.
    package var isInTouch = false
    /// All nodes, this one included, by name; at most 10 s old.
    package var nodes: [LogNode] = []
    /// Appends that wait for their turn.
    package var waitingAppends = 0
}

/// The times by which a node follows the log, in nanoseconds.
package struct LogTimes: Sendable {
    /// How long a heartbeat keeps the node in touch, from its beginning.
    package var touch: Int64 = 1_000_000_000
    /// The time between heartbeats while nothing is applied.
    package var heartbeat: Int64 = 200_000_000
    /// The longest wait of one read.
    package var read: Int64 = 200_000_000
    /// The time after which a connection attempt has failed.
    package var connect: Int64 = 1_000_000_000
    /// The time after which an unanswered command has failed, beyond its own wait.
    package var command: Int64 = 2_000_000_000
    /// The time after which an append fails instead of being repeated.
    package var append: Int64 = 3_000_000_000
    /// The shortest and the longest pause before a connection is made again.
    package var pause: ClosedRange<Int64> = 50_000_000...1_000_000_000
    /// Without a heartbeat for this long, a node is silent.
    ///
    /// Longer than `touch`, for clocks that do not run equally fast.
    package var silence: Int64 = 1_500_000_000
    /// Without a heartbeat for this long, a node is forgotten.
    package var forget: Int64 = 600_000_000_000
    /// The time between lists of nodes while nothing waits for them.
    package var listing: Int64 = 10_000_000_000

    /// Creates the times of production.
    package init() {}
}
