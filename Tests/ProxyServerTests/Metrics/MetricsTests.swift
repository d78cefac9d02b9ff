import Synchronization
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct MetricsTests {
    @Test func `counts per loop and sums up`() {
        let counter = Counter<RequestResult>(loops: 2)
        counter.add(1, .memory, loop: 0)
        counter.add(2, .memory, loop: 1)
        counter.add(4, .memory)
        counter.add(8, .memory, loop: 99)
        counter.add(1, .error, loop: 1)
        #expect(counter.value(.memory) == 15)
        #expect(counter.value(.error) == 1)
        #expect(counter.value(.disk) == 0)
    }

    @Test func `loses no count among threads`() async {
        let counter = Counter<NoLabel>(loops: 1)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask { for _ in 0..<10_000 { counter.add(loop: task % 3) } }
            }
        }
        #expect(counter.value == 80_000)
    }

    @Test func `counts down on another thread than up`() {
        let counter = UpDownCounter(loops: 2)
        counter.begin(loop: 0)
        counter.begin(loop: 0)
        counter.end(loop: 1)
        #expect(counter.value == 1)
        counter.end()
        counter.end()
        #expect(counter.value == 0)
    }

    @Test func `has a cell for every label`() {
        func check<Label: MetricLabel>(_ type: Label.Type) {
            let indices = Label.allCases.map(\.index)
            #expect(Set(indices).count == indices.count)
            #expect(indices.allSatisfy { (0..<AtomicCells.count).contains($0) })
            #expect(Set(Label.allCases.map(\.value)).count == indices.count)
            let isSound = Label.allCases.allSatisfy { label in
                label.value.utf8.allSatisfy { (48...57).contains($0) || (97...122).contains($0) || $0 == 95 }
            }
            #expect(isSound, "\(type)")
        }
        check(RequestResult.self)
        check(StatusClass.self)
        check(CacheTier.self)
        check(NoLabel.self)
    }

    @Test func `sorts durations into buckets`() {
        let histogram = Histogram(bounds: [10, 100], loops: 1)
        for value in [0, 10, 11, 100, 101, 1_000_000] as [UInt64] { histogram.observe(value, loop: 0) }
        #expect(histogram.cumulative == [2, 4, 6])
        #expect(histogram.sum == 1_000_222)
    }

    @Test func `writes counters, gauges and histograms`() {
        var text = Exposition()
        let counter = Counter<StatusClass>(loops: 0)
        counter.add(3, StatusClass(status: 204))
        counter.add(1, StatusClass(status: 503))
        counter.add(1, StatusClass(status: 999))
        text.counter("c_total", "A \\ help\nline.", counter)
        text.gauge("g", "G.") { (tier: CacheTier) in tier == .memory ? 1.5 : tier == .variants ? 2 : nil }
        let histogram = Histogram(bounds: [500, 1_000_000], loops: 0)
        histogram.observe(400)
        histogram.observe(2_000_000)
        text.histogram("h_seconds", "H.", histogram)
        #expect(
            text.text == #"""
                # HELP c_total A \\ help\nline.
                # TYPE c_total counter
                c_total{status="1xx"} 0
                c_total{status="2xx"} 3
                c_total{status="3xx"} 0
                c_total{status="4xx"} 0
                c_total{status="5xx"} 2
                # HELP g G.
                # TYPE g gauge
                g{tier="memory"} 1.5
                g{tier="variants"} 2
                # HELP h_seconds H.
                # TYPE h_seconds histogram
                h_seconds_bucket{le="0.0005"} 1
                h_seconds_bucket{le="1"} 1
                h_seconds_bucket{le="+Inf"} 2
                h_seconds_sum 2.0004
                h_seconds_count 2

                """#
        )
    }

    @Test func `tells everything that it counts, in a form that can be read`() {
        let metrics = Metrics(loops: 2)
        metrics.finished(.memory, status: 200, bytes: 1_000, microseconds: 70, loop: 1)
        metrics.finished(.error, status: 502, bytes: 10, microseconds: 3_000, loop: 0)
        metrics.inFlight.begin(loop: 0)
        metrics.read { $0.gauge("edgeprint_connections", "Open client connections.", 7) }
        let text = metrics.exposition()
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        for expected in [
            "edgeprint_requests_total{result=\"memory\"} 1", "edgeprint_requests_total{result=\"error\"} 1",
            "edgeprint_requests_total{result=\"disk\"} 0", "edgeprint_responses_total{status=\"2xx\"} 1",
            "edgeprint_response_bytes_total 1010", "edgeprint_requests_in_flight 1",
            "edgeprint_request_duration_seconds_bucket{le=\"0.0001\"} 1", "edgeprint_request_duration_seconds_count 2",
            "edgeprint_connections 7",
        ] {
            #expect(lines.contains(expected), "\(expected)")
        }
        #expect(lines.last == "")
        var families: Set<String> = []
        for line in lines.dropLast() {
            if line.hasPrefix("# HELP ") {
                #expect(families.insert(String(line.split(separator: " ")[2])).inserted, "\(line)")
            }
            guard !line.hasPrefix("#") else { continue }
            #expect(line.wholeMatch(of: /[a-z_]+(\{[a-z]+="[^"\\]*"\})? [0-9.e+-]+/) != nil, "\(line)")
        }
        #expect(families.count >= 11)
    }

    @Test(arguments: [
        (0.0, "0"), (1, "1"), (-2, "-2"), (0.5, "0.5"), (1e15, "1000000000000000"), (Double.infinity, "+Inf"),
        (-Double.infinity, "-Inf"),
        (Double.nan, "NaN"),
    ])
    func `writes numbers`(value: Double, expected: String) {
        #expect(Exposition.number(value) == expected)
    }
}
