import Synchronization

/// The durations of event-loop turns, counted in buckets.
///
/// During a turn all other connections of its loop wait, so the durations show how late a loop may react.
package struct TurnDurations: Hashable, Sendable {
    /// Upper bounds in microseconds, from 100 µs to 1 s.
    package static let standardBounds: [UInt64] = [
        100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
    ]

    /// Turns by bucket; the last has those over all bounds.
    private var counts = [UInt64](repeating: 0, count: TurnDurations.standardBounds.count + 1)
    /// All durations together in microseconds.
    package private(set) var sum: UInt64 = 0

    /// Turns up to each bound, then all; each contains the ones before it.
    package var cumulative: [UInt64] {
        var total: UInt64 = 0
        return counts.map { count in
            total &+= count
            return total
        }
    }

    /// Creates durations without turns.
    init() {}

    /// Adds the turns of one loop.
    mutating func add(_ counter: TurnCounter) {
        for index in counts.indices { counts[index] &+= counter.count(index) }
        sum &+= counter.sum
    }
}

/// The durations of one loop's turns; written by its thread only, read by any.
final class TurnCounter: Sendable {
    private let counts: InlineArray<14, Atomic<Int64>> = InlineArray { _ in Atomic(0) }
    private let microseconds = Atomic<Int64>(0)

    /// Counts a turn, on the loop's thread.
    @inline(__always)
    func note(nanoseconds: Int64) {
        let duration = UInt64(max(0, nanoseconds)) / 1_000
        let bounds = TurnDurations.standardBounds
        var index = 0
        while index < bounds.count, duration > bounds[index] { index += 1 }
        counts[index].addSingleWriter(1)
        microseconds.addSingleWriter(Int64(duration))
    }

    /// The turns of a bucket.
    func count(_ index: Int) -> UInt64 { UInt64(clamping: counts[index].load(ordering: .relaxed)) }

    /// All durations together in microseconds.
    var sum: UInt64 { UInt64(clamping: microseconds.load(ordering: .relaxed)) }
}
