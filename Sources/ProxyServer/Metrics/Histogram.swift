import HTTPKit
import OriginTransfer

/// Durations counted in buckets.
protocol DurationDistribution: Sendable {
    /// Upper bounds in microseconds, growing.
    var bounds: [UInt64] { get }
    /// Observations up to each bound, then all; each contains the ones before it.
    var cumulative: [UInt64] { get }
    /// All durations together in microseconds.
    var sum: UInt64 { get }
}

extension TransferDurations: DurationDistribution {
    var bounds: [UInt64] { Self.standardBounds }
}

extension TurnDurations: DurationDistribution {
    var bounds: [UInt64] { Self.standardBounds }
}

/// Durations as counted at one time.
struct DurationCounts: DurationDistribution {
    let bounds: [UInt64]
    let cumulative: [UInt64]
    let sum: UInt64

    /// The durations of both, which have equal bounds.
    func adding(_ other: some DurationDistribution) -> DurationCounts {
        DurationCounts(
            bounds: bounds,
            cumulative: zip(cumulative, other.cumulative).map { $0 &+ $1 },
            sum: sum &+ other.sum
        )
    }
}

/// Durations in fixed buckets; any thread.
struct Histogram: DurationDistribution {
    /// The upper bounds in microseconds, ascending; at most 28.
    let bounds: [UInt64]
    private let cells: ShardedCells
    private let sumIndex: Int

    /// Bounds from 100 µs to 30 s, for durations that a client waits for.
    static let latencies: [UInt64] = [
        100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000,
        5_000_000,
        10_000_000, 30_000_000,
    ]

    /// Creates an empty histogram.
    init(bounds: [UInt64] = Histogram.latencies, loops: Int) {
        precondition(bounds.count <= AtomicCells.count - 4 && zip(bounds, bounds.dropFirst()).allSatisfy { $0 < $1 })
        self.bounds = bounds
        sumIndex = bounds.count + 1
        cells = ShardedCells(loops: loops)
    }

    /// Records a duration in microseconds; `loop` is the event loop's index, or `nil` on any other thread.
    func observe(_ microseconds: UInt64, loop: Int? = nil) {
        cells.add(1, at: bucket(of: microseconds), loop: loop)
        cells.add(microseconds, at: sumIndex, loop: loop)
    }

    /// Records a duration in microseconds on the loop's thread, if only the loops' threads record durations.
    @inline(__always)
    func observeSingleWriter(_ microseconds: UInt64, loop: Int) {
        cells.addSingleWriter(1, at: bucket(of: microseconds), loop: loop)
        cells.addSingleWriter(microseconds, at: sumIndex, loop: loop)
    }

    @inline(__always)
    private func bucket(of microseconds: UInt64) -> Int {
        var index = 0
        while index < bounds.count, microseconds > bounds[index] { index += 1 }
        return index
    }

    /// The cumulative counts for each bound, followed by the total.
    var cumulative: [UInt64] {
        var total: UInt64 = 0
        return (0...bounds.count).map { index in
            total &+= cells.sum(index)
            return total
        }
    }

    /// The sum of all durations in microseconds.
    var sum: UInt64 { cells.sum(sumIndex) }
}
