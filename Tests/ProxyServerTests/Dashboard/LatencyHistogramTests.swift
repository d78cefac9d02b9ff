import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct LatencyHistogramTests {
    private func text(_ family: String, _ label: String, _ counts: [Int]) -> String {
        zip(["0.001", "0.01", "0.1", "+Inf"], counts).map { bound, count in
            "\(family)_bucket{\(label)le=\"\(bound)\"} \(count)\n"
        }.joined() + "\(family)_sum 12\n\(family)_count \(counts.last ?? 0)\n"
    }

    @Test func `interpolates within the bucket that a quantile falls into`() throws {
        let histogram = LatencyHistogram("a_seconds", in: text("a_seconds", "", [50, 90, 100, 100]))
        #expect(histogram.total == 100)
        #expect(try #require(histogram.quantile(0.5)) == 0.001)
        #expect(abs(try #require(histogram.quantile(0.7)) - 0.0055) < 1e-9)
        #expect(abs(try #require(histogram.quantile(0.95)) - 0.055) < 1e-9)
    }

    @Test func `a quantile beyond the last bound is that bound, and nothing has none`() {
        #expect(LatencyHistogram("a", in: text("a", "", [0, 0, 1, 10])).quantile(0.99) == 0.1)
        #expect(LatencyHistogram("a", in: text("a", "", [0, 0, 0, 0])).quantile(0.5) == nil)
        #expect(LatencyHistogram("a", in: "").quantile(0.5) == nil)
    }

    @Test func `sums over other labels, and takes no other family`() {
        let metrics =
            text("a", "result=\"memory\",", [1, 2, 3, 4]) + text("a", "result=\"miss\",", [0, 0, 4, 6])
            + text("a_b", "", [9, 9, 9, 9])
        #expect(LatencyHistogram("a", in: metrics).total == 10)
    }

    @Test func `counts what came since an earlier reading, unless the daemon was restarted`() {
        let earlier = LatencyHistogram("a", in: text("a", "", [10, 10, 10, 10]))
        let later = LatencyHistogram("a", in: text("a", "", [10, 10, 20, 20]))
        #expect(later.since(earlier).total == 10 && abs((later.since(earlier).quantile(0.5) ?? 0) - 0.055) < 1e-9)
        #expect(earlier.since(later).total == 10 && later.since(nil).total == 20)
    }
}
