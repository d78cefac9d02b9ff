import LinuxSystem
import TestSupport
import Testing

@testable import Cluster

/// A follower that is stopped while its node applies an entry, with a log in memory.
@Suite(.timeLimit(.minutes(1)))
struct LogStopTests {
    /// Stops the follower while it applies an entry, as a node that gives the entry up.
    private final class StoppingNode: LogFollowing {
        let follower = Lock<LogFollower?>(nil)
        let applied = Lock(0)

        var place: LogPlace? { nil }

        func apply(_ entry: LogEntry) {
            applied.withLock { $0 += 1 }
            follower.withLock { $0 }?.stop()
        }

        func gap(_ gap: LogGap, continuingAt place: LogPlace) {}
        func inTouch(until deadline: UInt64) {}
    }

    /// A log whose entries 2 and 3 are read together once the test permits it.
    private final class ShortLog: PurgeLog {
        private let isReadable: Monitor<Bool>
        private let released: Signal<Int>

        init(_ isReadable: Monitor<Bool>, released: Signal<Int>) {
            (self.isReadable, self.released) = (isReadable, released)
        }

        deinit { released.update { $0 += 1 } }

        private static func place(_ sequence: UInt64) -> LogPlace {
            LogPlace(sequence: sequence, mark: "m\(sequence)", log: "l")
        }

        func append(_ entries: [LogAppend]) -> [Result<LogPlace, LogError>] {
            entries.map { _ in .failure(.unreachable("it takes no entries")) }
        }

        func read(after place: LogPlace, limit: Int, waiting: Int64) throws(LogError) -> [LogEntry] {
            let isReady = isReadable.wait(nanoseconds: waiting) { $0 ? true : nil } != nil
            guard isReady, place.sequence == 1 else { return [] }
            return [2, 3].map { LogEntry(place: Self.place($0), previous: "m\($0 - 1)", payload: []) }
        }

        func head(_ presence: LogPresence) throws(LogError) -> LogPlace { Self.place(1) }

        func nodes(forgetting: [LogNodes.Node]) throws(LogError) -> LogNodes {
            LogNodes(log: "l", head: 1, nodes: [])
        }
    }

    @Test func `an entry that a stopping node may have given up does not count as applied`() throws {
        let (node, isReadable, released) = (StoppingNode(), Monitor(false), Signal(0))
        let follower = LogFollower(node: "a", following: node) { _, _ in ShortLog(isReadable, released: released) }
        node.follower.withLock { $0 = follower }
        defer { node.follower.withLock { $0 = nil } }
        try follower.start()
        defer { follower.stop() }
        try waitWhile(follower.status.applied == 0)
        let outcome = Signal<LogWait?>(nil)
        follower.wait(for: 2, of: .thisNode, timeout: 60_000_000_000) { result in outcome.update { $0 = result } }
        isReadable.update(wakingAll: true) { $0 = true }
        #expect(try outcome.wait { $0 != nil } == .missing([]))
        // Each thread releases its connection at its end.
        try released.wait { $0 == 2 }
        #expect(follower.status.appliedCount == 0 && follower.status.applied == 1)
        #expect(node.applied.withLock { $0 } == 1)
        // Nor does a wait that begins later count it.
        #expect(try follower.wait(for: 2, of: .thisNode) == .missing([]))
    }
}
