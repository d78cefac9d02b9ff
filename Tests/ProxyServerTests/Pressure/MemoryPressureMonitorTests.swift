import HTTPCache
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
            MemoryPressureMonitor(
                cache,
                shares: MemoryShares(pictures: Self.quota),
                isOn: isOn,
                gauge: gauge,
                logger: logger
            ),
            cache,
            gauge
        )
        return pair.readText()
    }

    @Test func `shrinks the cache under pressure, and logs its beginning and end once each`() throws {
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
        #expect(log.contains("shrinking the memory cache") && log.contains("has its full quota again"))
    }

    @Test func `does nothing when off, and restores the quota when turned off`() throws {
        _ = try run(isOn: false) { monitor, cache, gauge in
            gauge.set(60)
            monitor.check()
            #expect(monitor.status == .init(allowed: Self.quota, steps: 0, reading: nil))
            monitor.configure(shares: MemoryShares(pictures: Self.quota), isOn: true)
            monitor.check()
            #expect(monitor.status.allowed < Self.quota)
            let reduced = cache.largestCost
            monitor.configure(shares: MemoryShares(pictures: Self.quota), isOn: false)
            #expect(monitor.status.allowed == Self.quota && cache.largestCost > reduced)
        }
    }

    @Test func `raw responses shrink in proportion, and recover their share`() {
        let raw = RawCache(capacity: Self.quota / 4)
        let memory = MemoryCache<Entity>(.init(capacity: Self.quota / 4 * 3))
        let (largest, largestRaw) = (memory.largestCost, raw.largestCost)
        let gauge = SetGauge()
        let monitor = MemoryPressureMonitor(
            memory,
            raw: raw,
            shares: MemoryShares(pictures: Self.quota / 4 * 3, raw: Self.quota / 4),
            isOn: true,
            gauge: gauge,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        gauge.set(60)
        for _ in 0..<20 { monitor.check() }
        #expect(monitor.status.allowed == Self.quota / 16)
        #expect(raw.largestCost < largestRaw / 8 && memory.largestCost < largest / 8)
        gauge.set(0)
        for _ in 0..<100 { monitor.check() }
        #expect(raw.largestCost == largestRaw && memory.largestCost == largest)
    }

    @Test func `shares of fewer bytes keep their proportion`() {
        let shares = MemoryShares(pictures: 750, raw: 250)
        #expect(shares.within(100) == MemoryShares(pictures: 75, raw: 25))
        #expect(shares.within(1000) == shares && shares.within(5000) == shares)
        #expect(MemoryShares(pictures: 0).within(0) == MemoryShares(pictures: 0))
    }

    @Test func `a new quota does not undo a shrink`() throws {
        _ = try run { monitor, _, gauge in
            gauge.set(20)
            monitor.check()
            let allowed = monitor.status.allowed
            monitor.configure(shares: MemoryShares(pictures: 2 * Self.quota), isOn: true)
            #expect(monitor.status.allowed == allowed)
        }
    }

    @Test func `takes readings by itself until stopped`() throws {
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
