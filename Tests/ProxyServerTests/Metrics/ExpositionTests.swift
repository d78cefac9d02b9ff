import LinuxSystem
import TestSupport
import Testing

@testable import HTTPKit
@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct ExpositionTests {
    @Test func `writes two labels, durations by label, and facts as labels`() {
        let table: [Statistic<Int>] = [
            .crossCounters(Metric("a_total", "A.", label: "x", "y")) {
                [("p", [("q", $0), ("r", 2)]), ("s", [("q", 3)])]
            },
            .labelledDurations(Metric("b_seconds", "B.", label: "x")) { _ in
                [("p\"\\\n", DurationCounts(bounds: [500], counts: [1, 1], sum: 1_500_000))]
            },
            .labels(Metric("c_info", "C.")) { _ in [("v", "1.0"), ("none", "")] },
            .total(Metric("d_total", "D.")) { Double($0) / 4 },
        ]
        #expect(
            Exposition(table, of: 1).text == #"""
                # HELP a_total A.
                # TYPE a_total counter
                a_total{x="p",y="q"} 1
                a_total{x="p",y="r"} 2
                a_total{x="s",y="q"} 3
                # HELP b_seconds B.
                # TYPE b_seconds histogram
                b_seconds_bucket{x="p\"\\\n",le="0.0005"} 1
                b_seconds_bucket{x="p\"\\\n",le="+Inf"} 2
                b_seconds_sum{x="p\"\\\n"} 1.5
                b_seconds_count{x="p\"\\\n"} 2
                # HELP c_info C.
                # TYPE c_info gauge
                c_info{v="1.0"} 1
                # HELP d_total D.
                # TYPE d_total counter
                d_total 0.25

                """#
        )
    }

    @Test func `counts turns of loops in buckets`() {
        let (first, second) = (TurnCounter(), TurnCounter())
        for nanoseconds in [-5, 100_000, 100_999, 101_000] as [Int64] { first.note(nanoseconds: nanoseconds) }
        second.note(nanoseconds: 5_000_000_000)
        var turns = first.durations
        turns.add(second.durations)
        #expect(turns.cumulative.prefix(2) == [3, 4] && turns.cumulative.suffix(2) == [4, 5])
        #expect(turns.sum == 5_000_301 && turns.cumulative.count == TurnCounter.bounds.count + 1)
    }

    @Test func `measures turns of the daemon's loops`() throws {
        let rig = try EndToEndRig { _, connection in connection.respond("404 Not Found", text: "no") }
        for _ in 1...3 { _ = try rig.get("/photos/none.png") }
        let count = try #require(try rig.metric("edgeprint_loop_turn_seconds_count"))
        #expect(count >= 3)
        #expect(try #require(try rig.metric("edgeprint_loop_turn_seconds_sum")) < 60)
    }

    @Test func `tells the versions of libraries, that of libvips once it is known`() throws {
        let rig = try EndToEndRig { _, connection in connection.respond("404 Not Found", text: "no") }
        func info() throws -> Substring {
            let lines = try rig.admin("GET", "/metrics").text.split(separator: "\n")
            return try #require(lines.first { $0.hasPrefix("edgeprint_build_info{") })
        }
        let first = try info()
        #expect(first.hasPrefix("edgeprint_build_info{version=\"\(Version.text)\",curl=\"") && first.hasSuffix("} 1"))
        #expect(first.contains(",sqlite=\"3.") && !first.contains("vips"))
        #expect(try RawHTTPClient(port: rig.daemon.admin, timeoutMilliseconds: 30_000).get("/stats").status == 200)
        #expect(try info().contains(",vips=\"8."))
    }
}
