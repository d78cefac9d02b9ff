import Synchronization

/// A row of counters on its own cache lines; any thread.
final class AtomicCells: Sendable {
    /// The number of counters.
    static let count = 32

    private let cells: InlineArray<32, Atomic<UInt64>> = InlineArray { _ in Atomic(0) }
    /// Separates this row from the next object by two cache lines, as adjacent lines are prefetched in pairs.
    private let padding = InlineArray<16, UInt64>(repeating: 0)

    /// Adds to a counter; wraps around, so that adding `0 &- n` subtracts.
    @inline(__always)
    func add(_ value: UInt64, at index: Int) {
        cells[index].wrappingAdd(value, ordering: .relaxed)
    }

    /// Adds to a counter of a row that no other thread writes: a load and a store, without a locked instruction.
    @inline(__always)
    func addSingleWriter(_ value: UInt64, at index: Int) {
        cells[index].store(cells[index].load(ordering: .relaxed) &+ value, ordering: .relaxed)
    }

    /// The value of a counter.
    func load(_ index: Int) -> UInt64 { cells[index].load(ordering: .relaxed) }
}

/// Rows of counters, one for each event loop and one for all other threads, so that loops do not share cache lines.
///
/// Own code: swift-metrics with a Prometheus backend takes a lock, or an atomic shared by all loops, for each of the five counts
/// of a request. A package with per-thread counters that is no slower in `Benchmarks/hits.sh` can replace this folder;
/// `StatisticsTable` would remain.
struct ShardedCells: Sendable {
    private let shards: [AtomicCells]

    /// Creates a row for each of `loops` event loops, and one for all other threads.
    init(loops: Int) {
        shards = (0..<max(0, loops) + 1).map { _ in AtomicCells() }
    }

    /// Adds to a counter; `loop` is `nil` on any other thread.
    @inline(__always)
    func add(_ value: UInt64, at index: Int, loop: Int?) {
        let last = shards.count - 1
        shards[min(loop ?? last, last)].add(value, at: index)
    }

    /// Adds to a counter of an event loop, on the loop's thread, if nothing but that thread adds to it.
    @inline(__always)
    func addSingleWriter(_ value: UInt64, at index: Int, loop: Int) {
        shards[min(loop, shards.count - 1)].addSingleWriter(value, at: index)
    }

    /// The sum of a counter over all rows, which are not read atomically.
    func sum(_ index: Int) -> UInt64 {
        shards.reduce(0) { $0 &+ $1.load(index) }
    }
}
