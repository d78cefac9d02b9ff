import TestSupport
import Testing

@testable import Cluster

/// Random schedules of faults, with the follower's real rules and a deterministic clock, network and log.
///
/// `EDGEPRINT_SCHEDULES` sets how many; with `EDGEPRINT_LARGE_SCHEDULES` all of them are large. The time limit is
/// for those; the usual ones take seconds.
@Suite(.timeLimit(.minutes(60)))
struct SimulationTests {
    private static let schedules =
        TestEnvironment.value("EDGEPRINT_SCHEDULES").flatMap { UInt64($0) } ?? 60

    private static let areLarge = TestEnvironment.value("EDGEPRINT_LARGE_SCHEDULES") != nil

    /// Most schedules are small, since few nodes and keys meet more often; some have 100 nodes and 1,000 keys.
    private func simulation(_ seed: UInt64, breaking rule: BrokenRule? = nil) -> Simulation {
        if seed % 60 == 59 || Self.areLarge && rule == nil {
            let simulation = Simulation(seed: seed, nodes: 100, keys: 1_000, breaking: rule)
            simulation.run(seconds: 5, readsPerSecond: 2_000, purgesPerSecond: 40)
            return simulation
        }
        let simulation = Simulation(seed: seed, nodes: 2 + Int(seed % 5), keys: 20, breaking: rule)
        simulation.run(seconds: 12, readsPerSecond: 150, purgesPerSecond: 8)
        return simulation
    }

    @Test func `no read breaks the promise, whatever fails`() {
        var hits = 0
        var answered = 0
        for seed in 0..<Self.schedules {
            let simulation = simulation(seed)
            hits += simulation.hits
            answered += simulation.answered
            #expect(simulation.violations.isEmpty, "schedule \(seed): \(simulation.violations.prefix(3))")
        }
        #expect(
            hits > 100 * Int(Self.schedules) && answered > 10 * Int(Self.schedules),
            "\(hits) hits, \(answered) purges"
        )
    }

    @Test func `the same seed is the same schedule`() {
        let (one, other) = (simulation(7), simulation(7))
        #expect(
            one.hits == other.hits && one.answered == other.answered
                && one.random.next() == other.random.next()
        )
    }

    @Test(arguments: BrokenRule.allCases)
    func `a broken rule is found`(rule: BrokenRule) {
        // Without the large schedules, which take longer.
        for seed in 0..<UInt64(400) where seed % 60 != 59 {
            if !simulation(seed, breaking: rule).violations.isEmpty { return }
        }
        Issue.record("\(rule) is not found")
    }
}
