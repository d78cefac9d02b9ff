/// Durations counted in buckets, as of one time.
package struct DurationCounts: Hashable, Sendable {
    /// Bounds from 100 µs to 30 s, for durations that a client waits for.
    package static let latencies: [UInt64] = [
        100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000,
        5_000_000, 10_000_000, 30_000_000,
    ]

    /// Upper bounds in microseconds, ascending.
    package let bounds: [UInt64]
    /// Durations by bucket; the last has those over all bounds.
    private var counts: [UInt64]
    /// All durations together in microseconds.
    package private(set) var sum: UInt64

    /// Creates counts without durations.
    package init(bounds: [UInt64] = DurationCounts.latencies) {
        self.init(bounds: bounds, counts: [UInt64](repeating: 0, count: bounds.count + 1), sum: 0)
    }

    /// Creates counts.
    ///
    /// - Parameter counts: durations by bucket, one more than bounds.
    package init(bounds: [UInt64], counts: [UInt64], sum: UInt64) {
        precondition(counts.count == bounds.count + 1)
        (self.bounds, self.counts, self.sum) = (bounds, counts, sum)
    }

    /// Durations up to each bound, then all; each contains the ones before it.
    package var cumulative: [UInt64] {
        var total: UInt64 = 0
        return counts.map { count in
            total &+= count
            return total
        }
    }

    /// Counts a duration in microseconds.
    package mutating func observe(_ microseconds: UInt64) {
        counts[bounds.firstIndex { microseconds <= $0 } ?? bounds.count] &+= 1
        sum &+= microseconds
    }

    /// Adds durations that were counted in the same buckets.
    package mutating func add(_ other: DurationCounts) {
        for index in counts.indices { counts[index] &+= other.counts[index] }
        sum &+= other.sum
    }
}
