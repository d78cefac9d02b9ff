import Synchronization

/// A row of counters on cache lines of its own; any thread.
final class AtomicCells: Sendable {
    /// How many there are.
    static let count = 32

    private let cells: InlineArray<32, Atomic<UInt64>> = InlineArray { _ in Atomic(0) }
    /// A cache line (two, as neighbours are fetched in pairs) between this row and the next object.
    private let padding = InlineArray<16, UInt64>(repeating: 0)

    /// Adds to a counter; wraps around, so that adding `0 &- n` takes away.
    @inline(__always)
    func add(_ value: UInt64, at index: Int) {
        cells[index].wrappingAdd(value, ordering: .relaxed)
    }

    /// A counter's value.
    func load(_ index: Int) -> UInt64 { cells[index].load(ordering: .relaxed) }
}

/// Rows of counters, one for each event loop and one for all other threads, so that loops do not share cache lines.
///
/// Own code: swift-metrics with a Prometheus backend takes a lock, or an atomic that all loops share, for each of the five counts
/// of a request. A package whose counters are kept per thread, and that is no slower in `Benchmarks/hits.sh`, can replace this
/// folder; `StatisticsTable` would remain.
struct ShardedCells: Sendable {
    private let shards: [AtomicCells]

    /// Creates rows for `loops` event loops and everybody else.
    init(loops: Int) {
        shards = (0..<max(0, loops) + 1).map { _ in AtomicCells() }
    }

    /// Adds to a counter from a loop; `nil` from any other thread.
    @inline(__always)
    func add(_ value: UInt64, at index: Int, loop: Int?) {
        let last = shards.count - 1
        shards[min(loop ?? last, last)].add(value, at: index)
    }

    /// A counter's value over all rows; not of one instant.
    func sum(_ index: Int) -> UInt64 {
        shards.reduce(0) { $0 &+ $1.load(index) }
    }
}
