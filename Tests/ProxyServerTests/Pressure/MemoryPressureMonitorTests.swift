import ImagePipeline
import LinuxSystem
import Logging
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct MemoryPressureMonitorTests {
    /// A gauge that a test sets.
    private final class SetGauge: MemoryGauge {
        private let state = Lock(MemoryReading())

        func set(_ stalled: Double) { state.withLock { $0.stalled = stalled } }
        func reading() -> MemoryReading { state.withLock { $0 } }
    }

    private static let quota = 1 << 20

    private func run(
        isOn: Bool = true,
        _ body: (MemoryPressureMonitor, MemoryCache<Entity>, SetGauge) throws -> Void
    ) throws -> String {
        let pair = try DescriptorPair(.pipe)
        let cache = MemoryCache<Entity>(.init(capacity: Self.quota))
        let gauge = SetGauge()
        let logger = Logger.events(
            .text,
            level: LogLevelCell(.info),
            sink: LineSink(descriptor: pair.writing),
            budget: LineBudget(rate: 0),
            time: SystemTime()
        )
        try body(
            MemoryPressureMonitor(cache, quota: Self.quota, isOn: isOn, gauge: gauge, logger: logger),
            cache,
            gauge
        )
        return pair.readText()
    }

    @Test func `makes the cache smaller under pressure and says so once, and once when it is over`() throws {
        let log = try run { monitor, cache, gauge in
            let largest = cache.largestCost
            monitor.check()
            #expect(monitor.status.allowed == Self.quota && cache.largestCost == largest)
            gauge.set(60)
            for _ in 0..<20 { monitor.check() }
            #expect(monitor.status.allowed == Self.quota / 16 && monitor.status.steps > 0)
            #expect(cache.largestCost < largest / 8)
            #expect(monitor.status.reading?.stalled == 60)
            gauge.set(0)
            for _ in 0..<100 { monitor.check() }
            #expect(monitor.status.allowed == Self.quota && cache.largestCost == largest)
        }
        #expect(log.split(separator: "\n").count == 2, "\(log)")
        #expect(log.contains("the memory cache gives way") && log.contains("has its quota back"))
    }

    @Test func `does nothing when it is off, and gives the quota back when it is turned off`() throws {
        _ = try run(isOn: false) { monitor, cache, gauge in
            gauge.set(60)
            monitor.check()
            #expect(monitor.status == .init(allowed: Self.quota, steps: 0, reading: nil))
            monitor.configure(quota: Self.quota, isOn: true)
            monitor.check()
            #expect(monitor.status.allowed < Self.quota)
            let reduced = cache.largestCost
            monitor.configure(quota: Self.quota, isOn: false)
            #expect(monitor.status.allowed == Self.quota && cache.largestCost > reduced)
        }
    }

    @Test func `a new quota does not undo what pressure took`() throws {
        _ = try run { monitor, _, gauge in
            gauge.set(20)
            monitor.check()
            let allowed = monitor.status.allowed
            monitor.configure(quota: 2 * Self.quota, isOn: true)
            #expect(monitor.status.allowed == allowed)
        }
    }

    @Test func `checks by itself until it is stopped`() throws {
        _ = try run { monitor, _, gauge in
            gauge.set(20)
            try monitor.start()
            // A second between two rounds.
            let end = ContinuousClock.now + .seconds(20)
            while monitor.status.steps == 0, ContinuousClock.now < end { sleepBriefly() }
            #expect(monitor.status.steps > 0)
            monitor.stop()
        }
    }

    private func sleepBriefly() {
        _ = Monitor(false).wait(nanoseconds: 20_000_000) { $0 ? true : nil }
    }
}
