import LinuxSystem
import Logging
import Testing
import TestSupport

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct LineBudgetTests {
    @Test func `permits a second's lines, and reports the dropped ones once`() {
        let budget = LineBudget(rate: 100)
        var leases = [LineLease(budget, loops: 2), LineLease(budget, loops: 2)]
        var written = 0
        var reports: [Int] = []
        for second in [5, 5, 6, 6, 7] as [Int64] {
            for line in 0..<200 where leases[line % 2].take(second: second, report: { reports.append($0) }) {
                written += 1
            }
        }
        #expect(written == 300)
        #expect(budget.dropped == 700)
        #expect(reports == [300, 300])
    }

    @Test func `a single loop may use all of it`() {
        let budget = LineBudget(rate: 100)
        var lease = LineLease(budget, loops: 8)
        #expect((0..<150).count { _ in lease.take(second: 1) { _ in } } == 100)
    }

    @Test func `0 is no limit`() {
        var lease = LineLease(LineBudget(rate: 0), loops: 1)
        #expect((0..<10_000).allSatisfy { _ in lease.take(second: 1) { _ in } })
    }

    @Test func `setting the clock back by an hour does not stop the log`() {
        var lease = LineLease(LineBudget(rate: 1), loops: 1)
        #expect(lease.take(second: 10_000) { _ in })
        #expect(lease.take(second: 6_400) { _ in })
    }

    @Test func `events over the budget are counted, and reported in the next second`() throws {
        let pair = try DescriptorPair(.pipe)
        let time = ManualTime(wallSeconds: 784_111_777)
        let logger = Logger.events(
            .text,
            level: LogLevelCell(.info),
            sink: LineSink(descriptor: pair.writing),
            budget: LineBudget(rate: 2),
            time: time
        )
        for number in 0..<5 { logger.info("event \(number)") }
        time.advance(seconds: 1)
        logger.info("later")
        let lines = pair.readText().split(separator: "\n").map { $0.dropFirst(21) }
        #expect(
            lines == ["info: event 0", "info: event 1", "warning: event log lines dropped count=\"3\"", "info: later"]
        )
    }
}
