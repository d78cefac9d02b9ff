import LinuxSystem

/// Durations in fixed buckets; any thread.
struct Histogram: Sendable {
    /// The upper bounds in microseconds, ascending; at most 28.
    private let bounds: [UInt64]
    private let cells: ShardedCells
    private let sumIndex: Int

    /// Creates an empty histogram.
    init(bounds: [UInt64] = DurationCounts.latencies, loops: Int) {
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

    /// The durations recorded so far.
    var durations: DurationCounts {
        DurationCounts(
            bounds: bounds,
            counts: (0...bounds.count).map { cells.sum($0) },
            sum: cells.sum(sumIndex)
        )
    }
}
