import Cluster
import HTTPCache
import LinuxSystem
import TestSupport
import Testing

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
}
