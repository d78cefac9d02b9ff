import HTTPCache
import ImagePipeline
import LinuxSystem
import Logging

/// Shrinks the memory caches, of images and raw responses, under memory pressure, and lets them grow again afterwards.
///
/// The counterpart of SDWebImage's memory warnings. A dedicated thread reads the gauge once per second.
final class MemoryPressureMonitor: Sendable {
    /// The current state.
    struct Status: Sendable, Equatable {
        /// The bytes that all caches together may use.
        var allowed: Int
        /// The shrink steps since the start.
        var steps: Int
        /// The last reading; `nil` before the first one, and if monitoring is off.
        var reading: MemoryReading?
    }

    private struct State: Sendable {
        var shares: MemoryShares
        var allowance: MemoryAllowance
        var isOn: Bool
        var reading: MemoryReading?
    }

    /// The interval of readings in nanoseconds.
    private static let interval: Int64 = 1_000_000_000

    private let memory: MemoryCache<Entity>
    private let raw: RawCache?
    private let gauge: any MemoryGauge
    private let idle: IdleTrim?
    private let logger: Logger
    private let state: Lock<State>
    private let isOver = Monitor(false)

    /// Creates a monitor for caches with these quotas.
    init(
        _ memory: MemoryCache<Entity>,
        raw: RawCache? = nil,
        shares: MemoryShares,
        isOn: Bool,
        gauge: any MemoryGauge,
        idle: IdleTrim? = nil,
        logger: Logger
    ) {
        self.memory = memory
        self.raw = raw
        self.gauge = gauge
        self.idle = idle
        self.logger = logger
        state = Lock(State(shares: shares, allowance: MemoryAllowance(quota: shares.total), isOn: isOn))
    }

    var status: Status {
        state.withLock { Status(allowed: $0.allowance.bytes, steps: $0.allowance.steps, reading: $0.reading) }
    }

    /// Starts the thread.
    ///
    /// - Throws: `Errno` if no thread can be created.
    func start() throws(Errno) {
        try SystemThread.start(name: "pressure") { [self] in
            while isOver.wait(nanoseconds: Self.interval, until: { $0 ? true : nil }) == nil {
                check()
                idle?.check(after: Self.interval)
            }
        }
    }

    /// How often freed memory was returned to the system.
    var trims: Int { idle?.trims ?? 0 }

    /// Stops the thread.
    func stop() { isOver.update { $0 = true } }

    /// Applies another configuration; turning it off restores the quotas.
    func configure(shares: MemoryShares, isOn: Bool) {
        // Resized under the lock, here and below, so that the caches reflect the last decision.
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
        memory.resize(capacity: shares.pictures, reserved: shares.reservedPictures)
        raw?.resize(capacity: shares.raw, reserved: shares.reservedRaw)
    }

    /// Takes a reading and adjusts the caches.
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

    /// Logs once when pressure begins and once when it is over.
    private func report(_ before: MemoryAllowance, _ after: MemoryAllowance, _ reading: MemoryReading) {
        guard before.isReduced != after.isReduced else { return }
        guard after.isReduced else {
            logger.notice("the memory cache has its full quota again", metadata: ["quota": "\(after.quota)"])
            return
        }
        var metadata: Logger.Metadata = ["allowed": "\(after.bytes)", "quota": "\(after.quota)"]
        if let stalled = reading.stalled { metadata["stalled"] = "\(stalled)" }
        if let group = reading.group {
            metadata["used"] = "\(group.used)"
            metadata["limit"] = "\(group.limit)"
        }
        logger.warning("memory pressure, shrinking the memory cache", metadata: metadata)
    }
}
