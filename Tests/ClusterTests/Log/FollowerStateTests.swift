import TestSupport
import Testing

@testable import Cluster

/// The follower's rules, with a clock that is an argument.
@Suite(.timeLimit(.minutes(1)))
struct FollowerStateTests {
    private static let second: Int64 = 1_000_000_000

    private func place(_ sequence: UInt64, _ log: String = "log", mark: String? = nil) -> LogPlace {
        LogPlace(sequence: sequence, mark: mark ?? "m\(sequence)", log: log)
    }

    private func entry(_ sequence: UInt64, previous: String? = nil) -> LogEntry {
        LogEntry(place: place(sequence), previous: previous ?? "m\(sequence - 1)", payload: [])
    }

    /// A follower at a place, which a heartbeat at 0 has confirmed.
    private func follower(at sequence: UInt64 = 5) -> FollowerState {
        var state = FollowerState(node: "a", place: place(sequence))
        _ = state.next(at: 0)
        _ = state.answered(place(sequence), began: 0)
        return state
    }

    @Test func `begins with a heartbeat, then reads until the next one is due`() {
        var state = FollowerState(node: "a", place: place(5))
        #expect(state.next(at: 0) == .beat(LogPresence(node: "a", applied: place(5), beat: "1")))
        #expect(state.answered(place(5), began: 0) == [.inTouch(until: Self.second)])
        #expect(state.next(at: 10) == .read(after: place(5), waiting: 199_999_990))
        #expect(state.next(at: 150_000_000) == .read(after: place(5), waiting: 50_000_000))
        #expect(state.next(at: 200_000_000) == .beat(LogPresence(node: "a", applied: place(5), beat: "2")))
    }

    @Test func `states what it has applied at once`() {
        var state = follower()
        #expect(state.received([entry(6), entry(7)]) == [.apply(entry(6)), .apply(entry(7))])
        #expect(state.next(at: 20) == .beat(LogPresence(node: "a", applied: place(7), beat: "2")))
    }

    @Test func `is in touch from the beginning of a heartbeat, once it has applied what was in the log then`() {
        var state = follower()
        _ = state.next(at: 300)
        #expect(state.answered(place(7), began: 300) == [])
        _ = state.next(at: 400)
        #expect(state.answered(place(9), began: 400) == [])
        #expect(
            state.received((6...8).map { entry($0) }) == [
                .apply(entry(6)), .apply(entry(7)), .inTouch(until: Self.second + 300), .apply(entry(8)),
            ]
        )
        #expect(state.received([entry(9)]) == [.apply(entry(9)), .inTouch(until: Self.second + 400)])
    }

    @Test func `a place that is not in the log is a gap, after which it goes on at the end`() {
        let cases: [(LogPlace?, LogPlace, LogGap)] = [
            (nil, place(9), .joined), (place(5), place(5, "other"), .replaced), (place(5), place(4), .lost),
            (place(5), place(5, mark: "x"), .lost),
        ]
        for (old, end, gap) in cases {
            var state = FollowerState(node: "a", place: old)
            _ = state.next(at: 7)
            let effects = state.answered(end, began: 7)
            #expect(effects == [.gap(gap, continuingAt: end), .inTouch(until: Self.second + 7)])
            #expect(state.place == end)
        }
    }

    @Test func `entries that do not continue its place are a gap, and none is applied`() {
        for (entry, gap) in [(entry(7), LogGap.trimmed), (entry(6, previous: "x"), .lost)] {
            var state = follower()
            #expect(state.received([entry]) == [])
            guard case .beat = state.next(at: 10) else {
                Issue.record("no heartbeat")
                return
            }
            #expect(state.received([self.entry(6)]) == [])
            #expect(
                state.answered(place(9), began: 10) == [
                    .gap(gap, continuingAt: place(9)), .inTouch(until: Self.second + 10),
                ]
            )
        }
    }

    @Test func `entries that it has applied already are skipped`() {
        var state = follower()
        #expect(state.received([entry(4), entry(5), entry(6)]) == [.apply(entry(6))])
    }

    @Test func `pauses longer after each failure, never beyond a second, and begins again with a heartbeat`() {
        var state = follower()
        var random = SeededGenerator(seed: 1)
        var longest: Int64 = 0
        for failure in 1...40 {
            let pause = state.failed(using: &random)
            #expect((50_000_000...Self.second).contains(pause))
            if failure == 1 { #expect(pause <= 100_000_000) }
            longest = max(longest, pause)
        }
        #expect(longest > 700_000_000)
        guard case .beat = state.next(at: 1) else {
            Issue.record("no heartbeat")
            return
        }
        _ = state.answered(place(5), began: 1)
        #expect(state.failed(using: &random) <= 100_000_000)
    }
}
