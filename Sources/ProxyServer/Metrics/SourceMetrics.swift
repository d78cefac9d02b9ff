import LinuxSystem

/// Counts of requests by source.
///
/// There is a row of counters for each event loop and each of the first sources, up to `metrics.sources`; further sources share a
/// row. A row is written by its loop's thread only.
struct SourceMetrics: Sendable {
    /// The maximum number of sources that are counted separately.
    let bound: Int
    private let loops: Int
    /// `bound` + 1 rows for each loop; the first is that of all sources beyond the bound.
    private let rows: [AtomicCells]

    /// The upper bounds of durations, in microseconds: fewer than those of all requests, so that a source fits in one row.
    static let bounds: [UInt64] = [
        1_000, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 10_000_000,
    ]

    // The cells of a row: requests by result, durations by bucket, their sum, and bytes.
    private static let results = RequestResult.allCases.count
    private static let sumIndex = results + bounds.count + 1
    private static let bytesIndex = sumIndex + 1
    private static let savedIndex = sumIndex + 2

    /// The label's value of all sources beyond the bound.
    static let rest = "other"

    /// Creates counts at 0.
    init(bound: Int, loops: Int) {
        precondition(Self.savedIndex < AtomicCells.count)
        (self.bound, self.loops) = (max(0, bound), max(1, loops))
        rows = (0..<(self.bound + 1) * self.loops).map { _ in AtomicCells() }
    }

    /// Records a finished request of a source, on the loop's thread.
    ///
    /// - Parameters:
    ///   - source: the source's number, from 1.
    ///   - saved: the bytes by which an image was smaller than its original; 0 if it was not.
    func finished(
        _ source: Int,
        _ result: RequestResult,
        bytes: UInt64,
        saved: UInt64,
        microseconds: UInt64,
        loop: Int
    ) {
        let row = rows[min(loop, loops - 1) * (bound + 1) + (source <= bound ? source : 0)]
        var bucket = 0
        while bucket < Self.bounds.count, microseconds > Self.bounds[bucket] { bucket += 1 }
        row.addSingleWriter(1, at: result.index)
        row.addSingleWriter(1, at: Self.results + bucket)
        row.addSingleWriter(microseconds, at: Self.sumIndex)
        row.addSingleWriter(bytes, at: Self.bytesIndex)
        if saved > 0 { row.addSingleWriter(saved, at: Self.savedIndex) }
    }

    /// The counts of each source, and of all beyond the bound if there are any.
    ///
    /// - Parameter names: the sources by number.
    func read(_ names: [String]) -> [SourceReading] {
        var readings = names.prefix(bound).enumerated().map { reading(of: $0.element, row: $0.offset + 1) }
        guard names.count > bound else { return readings }
        let others = reading(of: Self.rest, row: 0)
        // A source may have that name.
        if let index = readings.firstIndex(where: { $0.name == Self.rest }) {
            readings[index].add(others)
        } else {
            readings.append(others)
        }
        return readings
    }

    private func reading(of name: String, row: Int) -> SourceReading {
        func sum(_ index: Int) -> UInt64 {
            (0..<loops).reduce(0) { $0 &+ rows[$1 * (bound + 1) + row].load(index) }
        }
        return SourceReading(
            name: name,
            results: RequestResult.allCases.map { sum($0.index) },
            durations: DurationCounts(
                bounds: Self.bounds,
                counts: (0...Self.bounds.count).map { sum(Self.results + $0) },
                sum: sum(Self.sumIndex)
            ),
            bytes: sum(Self.bytesIndex),
            savedBytes: sum(Self.savedIndex)
        )
    }
}

/// The counts of one source.
struct SourceReading: Sendable {
    let name: String
    /// Requests, in the order of `RequestResult.allCases`.
    private(set) var results: [UInt64]
    private(set) var durations: DurationCounts
    /// Bytes sent, heads included.
    private(set) var bytes: UInt64
    /// Bytes by which images were smaller than their originals.
    private(set) var savedBytes: UInt64

    fileprivate mutating func add(_ other: SourceReading) {
        results = zip(results, other.results).map { $0 &+ $1 }
        durations.add(other.durations)
        bytes &+= other.bytes
        savedBytes &+= other.savedBytes
    }
}
