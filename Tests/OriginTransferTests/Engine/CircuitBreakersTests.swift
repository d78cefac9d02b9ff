import Testing

@testable import OriginTransfer

@Suite(.timeLimit(.minutes(1)))
struct CircuitBreakersTests {
    typealias Breakers = CircuitBreakers<String>

    private static let second: Int64 = 1_000_000_000
    private let policy = BreakerPolicy(failures: 3, pause: 5_000, pauseMaximum: 15_000)

    /// Fails a number of URLs of a host.
    private func fail(_ breakers: inout Breakers, _ count: Int, _ source: String = "s", at now: Int64 = 0) -> Bool {
        (0..<count).map { breakers.record(.failed, source, "h", url: $0, isProbe: false, at: now) }.last ?? false
    }

    @Test func `opens after failures of different URLs in succession`() {
        var breakers = Breakers(policy)
        for _ in 0..<10 { #expect(breakers.record(.failed, "s", "h", url: 1, isProbe: false, at: 0) == false) }
        #expect(breakers.verdict("s", "h", at: 0) == .pass)
        #expect(breakers.record(.failed, "s", "h", url: 2, isProbe: false, at: 0) == false)
        #expect(breakers.record(.failed, "s", "h", url: 3, isProbe: false, at: 0) == true)
        #expect(breakers.admit("s", "h", at: 1) == .refused(secondsLeft: 5))
        #expect(breakers.admit("s", "h", at: 4_000_000_001) == .refused(secondsLeft: 1))
        #expect(breakers.openings == 1)
    }

    @Test func `a success in between starts the count again`() {
        var breakers = Breakers(policy)
        _ = fail(&breakers, 2)
        #expect(breakers.record(.answered, "s", "h", url: 9, isProbe: false, at: 0) == false)
        #expect(!breakers.isTracked("s", "h"))
        #expect(fail(&breakers, 2) == false)
        #expect(breakers.verdict("s", "h", at: 0) == .pass)
    }

    @Test func `says nothing of other hosts and other sources`() {
        var breakers = Breakers(policy)
        #expect(fail(&breakers, 3) == true)
        #expect(breakers.verdict("s", "i", at: 0) == .pass)
        #expect(breakers.verdict("t", "h", at: 0) == .pass)
    }

    @Test func `lets one probe through after the pause, whose success closes it`() {
        var breakers = Breakers(policy)
        _ = fail(&breakers, 3)
        let now = 5 * Self.second
        #expect(breakers.verdict("s", "h", at: now) == .probe)
        #expect(breakers.admit("s", "h", at: now) == .probe)
        #expect(breakers.admit("s", "h", at: now) == .refused(secondsLeft: 1))
        // A request that was sent before it opened says nothing.
        #expect(breakers.record(.answered, "s", "h", url: 7, isProbe: false, at: now) == false)
        #expect(breakers.admit("s", "h", at: now) == .refused(secondsLeft: 1))
        #expect(breakers.record(.answered, "s", "h", url: 8, isProbe: true, at: now) == false)
        #expect(breakers.admit("s", "h", at: now) == .pass)
        #expect(breakers.open.isEmpty)
    }

    @Test func `each failed probe doubles the pause, up to the longest`() {
        var breakers = Breakers(policy)
        _ = fail(&breakers, 3)
        var now: Int64 = 0
        for pause: Int64 in [5, 10, 15, 15] {
            #expect(breakers.admit("s", "h", at: now) == .refused(secondsLeft: pause))
            now += pause * Self.second
            #expect(breakers.admit("s", "h", at: now) == .probe)
            #expect(breakers.record(.failed, "s", "h", url: 1, isProbe: true, at: now) == true)
        }
        #expect(breakers.openings == 1)
    }

    @Test func `a probe without a result lets the next request probe`() {
        var breakers = Breakers(policy)
        _ = fail(&breakers, 3)
        #expect(breakers.admit("s", "h", at: 5 * Self.second) == .probe)
        #expect(breakers.record(.unknown, "s", "h", url: 1, isProbe: true, at: 5 * Self.second) == false)
        #expect(breakers.admit("s", "h", at: 5 * Self.second) == .probe)
    }

    @Test func `0 failures disable it, and end the pauses under way`() {
        var breakers = Breakers(policy)
        _ = fail(&breakers, 3)
        breakers.setPolicy(BreakerPolicy(failures: 0))
        #expect(breakers.verdict("s", "h", at: 0) == .pass)
        #expect(fail(&breakers, 10) == false)
    }

    @Test func `knows a bounded number of hosts per source, and never forgets another source's for them`() {
        var breakers = Breakers(policy)
        _ = fail(&breakers, 3, "own")
        for host in 0..<1_000 {
            for url in 0..<3 {
                _ = breakers.record(.failed, "fetch", "\(host)", url: url, isProbe: false, at: Int64(host))
            }
        }
        #expect(breakers.open.count == Breakers.hostsPerSource + 1)
        #expect(breakers.verdict("own", "h", at: 0) == .refused(secondsLeft: 5))
        #expect(breakers.verdict("fetch", "999", at: 999) == .refused(secondsLeft: 5))
        #expect(breakers.verdict("fetch", "0", at: 999) == .pass)
        breakers.close("fetch")
        #expect(breakers.open.map(\.source) == ["own"])
        breakers.close()
        #expect(breakers.open.isEmpty)
    }
}
