import HTTPCache
import LinuxSystem
import TestSupport
import Testing

@testable import Cluster
@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct ClusterPurgerTests {
    private struct Nobody: LogFollowing {
        var place: LogPlace? { nil }
        func apply(_ entry: LogEntry) {}
        func gap(_ gap: LogGap, continuingAt place: LogPlace) {}
        func inTouch(until deadline: UInt64) {}
    }

    @Test func `a purge before the log is followed fails at once`() throws {
        let follower = LogFollower(
            location: try LogLocation("redis://127.0.0.1:9/"),
            name: "test",
            node: "a",
            keep: 1_000,
            following: Nobody()
        )
        let purger = ClusterPurger(follower: follower, outcomes: PurgeOutcomes(), time: SystemTime()) { 1_000 }
        let error = Signal<LogError?>(nil)
        purger.purge(Purge(.all), waitsForAll: false) { result in
            if case .failure(let failure) = result { error.update { $0 = failure } }
        }
        #expect(error.value == .unreachable("this process does not follow it"))
    }

    /// Takes 4 s for each entry, and does not show it to readers.
    private final class SlowLog: PurgeLog {
        private let time: ManualTime

        init(_ time: ManualTime) { self.time = time }

        private static func place(_ sequence: UInt64) -> LogPlace {
            LogPlace(sequence: sequence, mark: "m", log: "l")
        }

        func append(_ entries: [LogAppend]) -> [Result<LogPlace, LogError>] {
            time.advance(seconds: 4)
            return entries.map { _ in .success(Self.place(2)) }
        }

        func read(after place: LogPlace, limit: Int, waiting: Int64) throws(LogError) -> [LogEntry] {
            _ = Monitor(false).wait(nanoseconds: waiting) { $0 ? () : nil }
            return []
        }

        func head(_ presence: LogPresence) throws(LogError) -> LogPlace { Self.place(1) }

        func nodes(forgetting: [LogNodes.Node]) throws(LogError) -> LogNodes {
            LogNodes(log: "l", head: 1, nodes: [])
        }
    }

    @Test func `the time that the log takes for a purge counts in the wait for this node`() throws {
        let time = ManualTime()
        let follower = LogFollower(node: "a", following: Nobody(), time: time) { _, _ in SlowLog(time) }
        try follower.start()
        defer { follower.stop() }
        try waitWhile(follower.status.applied == 0)
        let purger = ClusterPurger(follower: follower, outcomes: PurgeOutcomes(), time: time) { 60_000 }
        let outcome = Signal<Result<ClusterPurger.Outcome, LogError>?>(nil)
        purger.purge(Purge(.all), waitsForAll: false) { result in outcome.update { $0 = result } }
        try waitWhile(follower.status.appended == 0)
        time.advance(seconds: 1)
        try outcome.wait { $0 != nil }
        let result = try #require(outcome.value).get()
        guard result.sequence == 2, case .missing(let nodes) = result.reach else {
            Issue.record("\(result)")
            return
        }
        #expect(nodes.count == 1)
    }
}
