import LinuxSystem
import Logging
import TestSupport
import Testing

@testable import ProxyServer

/// The log's lines about answers under overload.
@Suite(.timeLimit(.minutes(1)))
struct OverloadLogTests {
    /// Closures that wait for the test.
    private final class Later: Sendable {
        private let waiting = Lock<[(delay: Int64, work: @Sendable () -> Void)]>([])

        func add(_ delay: Int64, _ work: @escaping @Sendable () -> Void) {
            waiting.withLock { $0.append((delay, work)) }
        }

        /// Runs the next one, and returns its delay in seconds.
        func runNext() -> Int64? {
            let next = waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            next?.work()
            return next.map { $0.delay / 1_000_000_000 }
        }
    }

    @Test func `any number of answers is two lines, one at the beginning and one at the end`() throws {
        let (time, later, pair) = (ManualTime(), Later(), try DescriptorPair(.pipe))
        let logger = Logger.events(
            .text,
            level: LogLevelCell(.info),
            sink: LineSink(descriptor: pair.writing),
            budget: LineBudget(rate: 0),
            time: time
        )
        let log = OverloadLog(logger, begins: "overloaded: busy", ends: "the overload has ended", time: time) {
            later.add($0, $1)
            return true
        }
        for _ in 0..<100 { log.note("photos") }
        time.advance(seconds: 20)
        log.note("photos")
        time.advance(seconds: 10)
        #expect(later.runNext() == 30)
        time.advance(seconds: 20)
        #expect(later.runNext() == 20)
        #expect(later.runNext() == nil)
        log.note("shop")
        let lines = pair.readText().split(separator: "\n").map { String($0) }
        #expect(lines.count == 3)
        #expect(lines[0].contains("overloaded: ") && lines[0].contains("photos"), "\(lines)")
        #expect(lines[1].contains("the overload has ended") && lines[1].contains("101"), "\(lines)")
        #expect(lines[2].contains("overloaded: ") && lines[2].contains("shop"), "\(lines)")
    }

    @Test func `without a thread the next answer begins anew`() throws {
        let pair = try DescriptorPair(.pipe)
        let logger = Logger.events(
            .text,
            level: LogLevelCell(.info),
            sink: LineSink(descriptor: pair.writing),
            budget: LineBudget(rate: 0),
            time: ManualTime()
        )
        let log = OverloadLog(logger, begins: "overloaded: busy", ends: "the overload has ended", time: ManualTime()) {
            _,
            _ in false
        }
        for _ in 0..<2 { log.note("photos") }
        #expect(pair.readText().split(separator: "\n").count == 2)
    }
}
