import ImagePipeline
import LinuxSystem
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

    @Test func `loses no counts between threads`() async {
        let counter = Counter<NoLabel>(loops: 1)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask { for _ in 0..<10_000 { counter.add(loop: task % 3) } }
            }
        }
        #expect(counter.value == 80_000)
    }

    @Test func `decrements on another thread than it increments`() {
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
        check(ReloadResult.self)
        check(NoLabel.self)
        check(EntityFormat.self)
        check(ShedReason.self)
    }

    @Test func `sorts durations into buckets`() {
        let histogram = Histogram(bounds: [10, 100], loops: 1)
        for value in [0, 10, 11, 100, 101, 1_000_000] as [UInt64] { histogram.observe(value, loop: 0) }
        #expect(histogram.durations.cumulative == [2, 4, 6])
        #expect(histogram.durations.sum == 1_000_222)
    }

    /// The values that the table of the following tests reads.
    private struct Reading {
        let counter = Counter<StatusClass>(loops: 0)
        let histogram = Histogram(bounds: [500, 1_000_000], loops: 0)
        var isShort = false
    }

    private let table: [Statistic<Reading>] = [
        .counters("c", Metric("c_total", "A \\ help\nline.", label: "status")) { $0.counter.values },
        .fact("g.memory", Metric("g", "G.", label: "tier", is: "memory")) { _ in .decimal(1.5) },
        .gauge("h", nil) { _ in 3 },
        .fact("g.disk", Metric("g", "G.", label: "tier", is: "disk")) { _ in .null },
        .gauge("g.variants", Metric("g", "G.", label: "tier", is: "variants")) { _ in 2 },
        .fact("ok", Metric("ok", "1 while it is.") { $0 == .string("yes") ? 1 : 0 }) { _ in .string("yes") },
        .durations(Metric("h_seconds", "H.")) { $0.histogram.durations },
        .counter("rare.hits", isListed: \.isShort) { _ in 4 },
        .fact("rare.note") { _ in .null },
    ]

    @Test func `writes counters, gauges and histograms`() {
        let reading = Reading()
        reading.counter.add(3, StatusClass(status: 204))
        reading.counter.add(1, StatusClass(status: 503))
        reading.counter.add(1, StatusClass(status: 999))
        reading.histogram.observe(400)
        reading.histogram.observe(2_000_000)
        #expect(
            Exposition(table, of: reading).text == #"""
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
                # HELP ok 1 while it is.
                # TYPE ok gauge
                ok 1
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

    @Test func `nests values by path, with null for an object without members`() {
        var reading = Reading()
        #expect(
            JSONValue(Array(table.dropLast()), of: reading).text
                == #"{"c":{"1xx":0,"2xx":0,"3xx":0,"4xx":0,"5xx":0},"g":{"memory":1.5,"disk":null,"variants":2},"#
                + #""h":3,"ok":"yes","rare":null}"#
        )
        reading.isShort = true
        #expect(JSONValue(table, of: reading).text.hasSuffix(#","rare":{"hits":4,"note":null}}"#))
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
