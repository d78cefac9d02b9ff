import LinuxSystem
import Synchronization

/// The durations of one loop's turns, counted in buckets; written by its thread only, read by any.
///
/// During a turn all other connections of its loop wait, so the durations show how late a loop may react.
final class TurnCounter: Sendable {
    /// Upper bounds in microseconds, from 100 µs to 1 s.
    static let bounds: [UInt64] = [
        100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
    ]

    private let counts: InlineArray<14, Atomic<Int64>> = InlineArray { _ in Atomic(0) }
    private let microseconds = Atomic<Int64>(0)

    /// Counts a turn, on the loop's thread.
    @inline(__always)
    func note(nanoseconds: Int64) {
        let duration = UInt64(max(0, nanoseconds)) / 1_000
        let bounds = Self.bounds
        var index = 0
        while index < bounds.count, duration > bounds[index] { index += 1 }
        counts[index].addSingleWriter(1)
        microseconds.addSingleWriter(Int64(duration))
    }

    /// The durations of the turns so far.
    var durations: DurationCounts {
        DurationCounts(
            bounds: Self.bounds,
            counts: (0...Self.bounds.count).map(count),
            sum: UInt64(clamping: microseconds.load(ordering: .relaxed))
        )
    }

    /// The turns of a bucket.
    private func count(_ index: Int) -> UInt64 { UInt64(clamping: counts[index].load(ordering: .relaxed)) }
}
