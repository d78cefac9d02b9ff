/// A number that only grows, a value for each case of its label; any thread.
struct Counter<Label: MetricLabel>: Sendable {
    private let cells: ShardedCells

    /// Creates counters at 0.
    init(loops: Int) {
        precondition(Label.allCases.allSatisfy { $0.index < AtomicCells.count })
        cells = ShardedCells(loops: loops)
    }

    /// Counts; `loop` is the event loop's index, `nil` on any other thread.
    @inline(__always)
    func add(_ count: UInt64 = 1, _ label: Label, loop: Int? = nil) {
        cells.add(count, at: label.index, loop: loop)
    }

    /// The count of a case.
    func value(_ label: Label) -> UInt64 { cells.sum(label.index) }

    /// The counts by the cases' names.
    var values: [(String, Int)] { Label.allCases.map { ($0.value, Int(clamping: value($0))) } }
}

extension Counter where Label == NoLabel {
    /// Counts; `loop` is the event loop's index, `nil` on any other thread.
    @inline(__always)
    func add(_ count: UInt64 = 1, loop: Int? = nil) { add(count, .only, loop: loop) }

    /// The count.
    var value: UInt64 { value(.only) }
}

/// A number of things under way; any thread.
struct UpDownCounter: Sendable {
    private let cells: ShardedCells

    /// Creates a counter at 0.
    init(loops: Int) { cells = ShardedCells(loops: loops) }

    /// One more.
    @inline(__always)
    func begin(loop: Int? = nil) { cells.add(1, at: 0, loop: loop) }

    /// One less; may be called from another thread than `begin`.
    @inline(__always)
    func end(loop: Int? = nil) { cells.add(.max, at: 0, loop: loop) }

    /// How many there are; never negative, although the rows are not read at one instant.
    var value: Int64 { max(0, Int64(bitPattern: cells.sum(0))) }
}
