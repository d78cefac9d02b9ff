import CCurl

extension TransferTiming {
    /// Reads the timing of a handle's request.
    init(_ easy: EasyHandle) {
        self.init()
        let (resolved, connected) = (easy.offset(CURLINFO_NAMELOOKUP_TIME_T), easy.offset(CURLINFO_CONNECT_TIME_T))
        let secured = easy.offset(CURLINFO_APPCONNECT_TIME_T)
        // A kept connection has these times, too, all of them next to nothing.
        if easy.long(CURLINFO_NUM_CONNECTS) > 0 {
            resolve = UInt32(clamping: resolved)
            connect = UInt32(clamping: connected - resolved)
            secure = UInt32(clamping: secured > 0 ? secured - connected : 0)
        }
        firstByte = UInt32(clamping: easy.offset(CURLINFO_STARTTRANSFER_TIME_T))
        total = UInt32(clamping: easy.offset(CURLINFO_TOTAL_TIME_T))
    }
}

/// Durations in fixed buckets.
package struct TransferDurations: Hashable, Sendable {
    /// Upper bounds in microseconds, from 100 µs to 30 s.
    package static let standardBounds: [UInt64] = [
        100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000,
        5_000_000, 10_000_000, 30_000_000,
    ]

    /// Observations by bucket; the last has those over all bounds.
    private var counts = [UInt64](repeating: 0, count: TransferDurations.standardBounds.count + 1)
    /// All durations together in microseconds.
    package private(set) var sum: UInt64 = 0

    /// Creates durations without observations.
    package init() {}

    /// Observations up to each bound, then all; each contains the ones before it.
    package var cumulative: [UInt64] {
        var total: UInt64 = 0
        return counts.map { count in
            total += count
            return total
        }
    }

    /// Counts a duration in microseconds.
    mutating func observe(_ microseconds: UInt64) {
        let index = Self.standardBounds.firstIndex { microseconds <= $0 } ?? Self.standardBounds.count
        counts[index] += 1
        sum &+= microseconds
    }
}

extension TransferStatistics {
    /// The phases of requests whose response head was received.
    package struct Phases: Hashable, Sendable {
        /// Waiting in the daemon's queue; once per load.
        package var queue = TransferDurations()
        /// New connections alone.
        package var resolve = TransferDurations()
        /// New connections alone.
        package var connect = TransferDurations()
        /// New connections over TLS alone.
        package var secure = TransferDurations()
        package var firstByte = TransferDurations()
        package var total = TransferDurations()

        /// Counts a request.
        mutating func observe(_ timing: TransferTiming, isNew: Bool) {
            if isNew {
                resolve.observe(UInt64(timing.resolve))
                connect.observe(UInt64(timing.connect))
                if timing.secure > 0 { secure.observe(UInt64(timing.secure)) }
            }
            firstByte.observe(UInt64(timing.firstByte))
            total.observe(UInt64(timing.total))
        }
    }
}
