import Foundation

/// A histogram of durations as `/metrics` reports it, from which quantiles are estimated.
struct LatencyHistogram: Sendable, Hashable {
    /// Upper bounds in seconds, ascending; the last one is infinite.
    private var bounds: [Double] = []
    /// Observations up to each bound.
    private var counts: [Double] = []

    /// Reads a family from a Prometheus text, summed over all labels but `le`; empty if it has none.
    init(_ name: String, in metrics: String) {
        var sums: [Double: Double] = [:]
        for line in metrics.split(separator: "\n") where line.hasPrefix("\(name)_bucket{") {
            guard let mark = line.firstRange(of: "le=\""),
                let end = line[mark.upperBound...].firstIndex(of: "\""),
                let count = line.split(separator: " ").last.flatMap({ Double($0) })
            else { continue }
            let text = line[mark.upperBound..<end]
            guard let bound = text == "+Inf" ? .infinity : Double(text) else { continue }
            sums[bound, default: 0] += count
        }
        bounds = sums.keys.sorted()
        counts = bounds.map { sums[$0] ?? 0 }
    }

    /// The observations since an earlier reading; all of them if that is not one of the same histogram.
    func since(_ earlier: LatencyHistogram?) -> LatencyHistogram {
        guard let earlier, earlier.bounds == bounds,
            zip(counts, earlier.counts).allSatisfy({ $0 >= $1 })
        else { return self }
        var change = self
        change.counts = zip(counts, earlier.counts).map { $0 - $1 }
        return change
    }

    /// The number of observations.
    var total: Double { counts.last ?? 0 }

    /// The duration in seconds that a share of all observations does not exceed, interpolated within its bucket; `nil` without
    /// observations.
    ///
    /// - Parameter share: 0–1.
    func quantile(_ share: Double) -> Double? {
        guard total > 0, let index = counts.firstIndex(where: { $0 >= share * total }) else { return nil }
        let start = index > 0 ? bounds[index - 1] : 0
        guard bounds[index].isFinite else { return start }
        let before = index > 0 ? counts[index - 1] : 0
        let inside = counts[index] - before
        guard inside > 0 else { return bounds[index] }
        return start + (bounds[index] - start) * (share * total - before) / inside
    }
}
