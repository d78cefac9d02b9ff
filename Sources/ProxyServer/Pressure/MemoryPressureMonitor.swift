import ImagePipeline
import LinuxSystem
import Logging

/// Lets what is cached in memory, pictures and raw responses alike, give way while memory is short, and have its quota back afterwards (SDWebImage: memory warnings).
///
/// A thread of its own reads the gauge once a second; requests see nothing of it but a smaller cache.
final class MemoryPressureMonitor: Sendable {
    /// What is known at one moment.
    struct Status: Sendable, Equatable {
        /// Bytes that may be held now, by all together.
        var allowed: Int
        /// Steps down since the start.
        var steps: Int
        /// The last reading; `nil` before the first, and where it is off.
        var reading: MemoryReading?
    }

    private struct State: Sendable {
        var shares: MemoryShares
        var allowance: MemoryAllowance
        var isOn: Bool
        var reading: MemoryReading?
    }

    /// Nanoseconds.
    private static let interval: Int64 = 1_000_000_000

    private let memory: MemoryCache<Entity>
    private let raw: RawCache?
    private let gauge: any MemoryGauge
    private let logger: Logger
    private let state: Lock<State>
    private let isOver = Monitor(false)

    /// Watches caches of these quotas once started.
    init(
        _ memory: MemoryCache<Entity>,
        raw: RawCache? = nil,
        shares: MemoryShares,
        isOn: Bool,
        gauge: any MemoryGauge,
        logger: Logger
    ) {
        self.memory = memory
        self.raw = raw
        self.gauge = gauge
        self.logger = logger
        state = Lock(State(shares: shares, allowance: MemoryAllowance(quota: shares.total), isOn: isOn))
    }

    var status: Status {
        state.withLock { Status(allowed: $0.allowance.bytes, steps: $0.allowance.steps, reading: $0.reading) }
    }

    /// Begins.
    ///
    /// - Throws: `Errno` when threads run out.
    func start() throws(Errno) {
        try SystemThread.start(name: "pressure") { [self] in
            while isOver.wait(nanoseconds: Self.interval, until: { $0 ? true : nil }) == nil { check() }
        }
    }

    /// Ends.
    func stop() { isOver.update { $0 = true } }

    /// Goes by another configuration from now on; off gives the caches their quotas back.
    func configure(shares: MemoryShares, isOn: Bool) {
        // Under the lock, here and below: the last decision is what the caches have, too.
        state.withLock { state in
            state.isOn = isOn
            state.shares = shares
            state.allowance.setQuota(shares.total)
            if !isOn {
                state.allowance = MemoryAllowance(quota: shares.total)
                state.reading = nil
            }
            resize(to: shares.within(state.allowance.bytes))
        }
    }

    private func resize(to shares: MemoryShares) {
        memory.resize(capacity: shares.pictures)
        raw?.resize(capacity: shares.raw)
    }

    /// One round.
    func check() {
        guard state.withLock({ $0.isOn && $0.allowance.quota > 0 }) else { return }
        let reading = gauge.reading()
        let held = memory.statistics.bytes + (raw?.statistics.bytes ?? 0)
        let (before, after) = state.withLock { state -> (MemoryAllowance, MemoryAllowance) in
            let before = state.allowance
            guard state.isOn else { return (before, before) }
            state.reading = reading
            state.allowance.move(reading.level, held: held)
            if state.allowance.bytes != before.bytes { resize(to: state.shares.within(state.allowance.bytes)) }
            return (before, state.allowance)
        }
        report(before, after, reading)
    }

    /// Once when it begins and once when it is over.
    private func report(_ before: MemoryAllowance, _ after: MemoryAllowance, _ reading: MemoryReading) {
        guard before.isReduced != after.isReduced else { return }
        guard after.isReduced else {
            logger.notice("the memory cache has its quota back", metadata: ["quota": "\(after.quota)"])
            return
        }
        var metadata: Logger.Metadata = ["allowed": "\(after.bytes)", "quota": "\(after.quota)"]
        if let stalled = reading.stalled { metadata["stalled"] = "\(stalled)" }
        if let group = reading.group {
            metadata["used"] = "\(group.used)"
            metadata["limit"] = "\(group.limit)"
        }
        logger.warning("memory is short, the memory cache gives way", metadata: metadata)
    }
}
