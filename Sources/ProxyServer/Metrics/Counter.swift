/// A counter that only increases, with a value for each case of its label; any thread.
struct Counter<Label: MetricLabel>: Sendable {
    private let cells: ShardedCells

    /// Creates counters at 0.
    init(loops: Int) {
        precondition(Label.allCases.allSatisfy { $0.index < AtomicCells.count })
        cells = ShardedCells(loops: loops)
    }

    /// Increments the counter; `loop` is the event loop's index, or `nil` on any other thread.
    @inline(__always)
    func add(_ count: UInt64 = 1, _ label: Label, loop: Int? = nil) {
        cells.add(count, at: label.index, loop: loop)
    }

    /// Increments the counter on the loop's thread, if only the loops' threads increment it.
    @inline(__always)
    func addSingleWriter(_ count: UInt64 = 1, _ label: Label, loop: Int) {
        cells.addSingleWriter(count, at: label.index, loop: loop)
    }

    /// The count of a case.
    func value(_ label: Label) -> UInt64 { cells.sum(label.index) }

    /// The counts by label value.
    var values: [(String, Int)] { Label.allCases.map { ($0.value, Int(clamping: value($0))) } }
}

extension Counter where Label == NoLabel {
    /// Increments the counter; `loop` is the event loop's index, or `nil` on any other thread.
    @inline(__always)
    func add(_ count: UInt64 = 1, loop: Int? = nil) { add(count, .only, loop: loop) }

    /// The count.
    var value: UInt64 { value(.only) }
}

/// A counter of operations in progress; any thread.
struct UpDownCounter: Sendable {
    private let cells: ShardedCells

    /// Creates a counter at 0.
    init(loops: Int) { cells = ShardedCells(loops: loops) }

    /// Records the start of an operation.
    @inline(__always)
    func begin(loop: Int? = nil) { cells.add(1, at: 0, loop: loop) }

    /// Records the end of an operation, possibly on another thread than `begin`.
    @inline(__always)
    func end(loop: Int? = nil) { cells.add(.max, at: 0, loop: loop) }

    /// The number of operations in progress; never negative, although the rows are not read atomically.
    var value: Int64 { max(0, Int64(bitPattern: cells.sum(0))) }
}
