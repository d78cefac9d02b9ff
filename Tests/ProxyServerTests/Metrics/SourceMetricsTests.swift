import LinuxSystem
import TestSupport
import Testing

@testable import ImagePipeline
@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct SourceMetricsTests {
    private func finish(_ metrics: SourceMetrics, _ source: Int, _ result: RequestResult = .memory, loop: Int = 0) {
        metrics.finished(source, result, bytes: 10, saved: 3, microseconds: 2_000, loop: loop)
    }

    @Test func `counts each source up to the bound, and all others together`() throws {
        let metrics = SourceMetrics(bound: 2, loops: 2)
        for source in 1...4 { finish(metrics, source, loop: source % 2) }
        finish(metrics, 1, .miss)
        let readings = metrics.read(["a", "b", "c", "d"])
        #expect(readings.map(\.name) == ["a", "b", "other"])
        #expect(readings.map { $0.results.reduce(0, +) } == [2, 1, 2])
        #expect(readings.map(\.bytes) == [20, 10, 20] && readings.map(\.savedBytes) == [6, 3, 6])
        #expect(readings[0].results[RequestResult.miss.index] == 1)
        #expect(readings[0].durations.cumulative.prefix(2) == [0, 2] && readings[0].durations.sum == 4_000)
    }

    @Test func `has no row for others while there are none`() {
        #expect(SourceMetrics(bound: 2, loops: 1).read(["a", "b"]).map(\.name) == ["a", "b"])
    }

    @Test func `adds the others to a source with their name`() {
        let metrics = SourceMetrics(bound: 1, loops: 1)
        finish(metrics, 1)
        finish(metrics, 2)
        let readings = metrics.read(["other", "b"])
        #expect(readings.map(\.name) == ["other"] && readings.map(\.bytes) == [20])
        #expect(readings[0].durations.cumulative.last == 2)
    }

    @Test func `counts all together with a bound of 0`() {
        let metrics = SourceMetrics(bound: 0, loops: 1)
        finish(metrics, 7)
        #expect(metrics.read(["a"]).map(\.name) == ["other"])
        #expect(metrics.read(["a"])[0].bytes == 10)
    }

    @Test func `numbers sources once, and keeps the number`() {
        let numbers = SourceNumbers()
        #expect(["a", "b", "a", "c"].map(numbers.number) == [1, 2, 1, 3])
        #expect(numbers.names == ["a", "b", "c"])
    }

    @Test func `a tag holds result, format and source, and leaves the upper half free`() {
        let bits =
            RequestResult.revalidated.tag | AnswerTag.bits(ofSource: 65_535) | AnswerTag.shed
            | UInt64(EntityFormat.other.rawValue) << 9
        let tag = AnswerTag(bits | 0xFFFF_FFFF << 32)
        #expect(bits >> 32 == 0 && tag.result == .revalidated && tag.source == 65_535 && tag.format == .other)
        #expect(tag.isShed && !tag.isUnhandled)
        let none = AnswerTag(RequestResult.unhandled)
        #expect(none.isUnhandled && none.format == nil && none.source == 0 && !none.isShed)
        #expect(EntityFormat.allCases.allSatisfy { AnswerTag(UInt64($0.rawValue) << 9).format == $0 })
    }

    @Test func `knows the format of every media type that is sent`() {
        #expect(EntityFormat(mediaType: "image/avif") == .avif && EntityFormat(mediaType: "image/svg+xml") == .svg)
        #expect(EntityFormat(mediaType: "application/json") == .json)
        #expect(EntityFormat(mediaType: "text/plain; charset=utf-8") == .text)
        #expect(EntityFormat(mediaType: "video/mp4") == .other)
    }

    @Test func `counts requests of real sources, in the bound of the configuration`() throws {
        let picture = TestImages.gradient(width: 200, height: 150)
        let rig = try EndToEndRig("metrics: { sources: 1 }") { _, connection in
            connection.respond("200 OK", ["Cache-Control: max-age=600"], body: picture)
        }
        for _ in 1...3 { #expect(try rig.get("/photos/a.png?w=8&format=png").status == 200) }
        // By name, `fetch` is after `photos` and beyond the bound.
        #expect(try rig.get("/fetch?url=http://127.0.0.1:9/").status == 403)
        #expect(try rig.get("/photos/a.png?w=8&format=png", [("If-None-Match", "*")]).status == 304)
        try rig.waitUntil("edgeprint_source_duration_seconds_count", is: 4)
        let text = try rig.admin("GET", "/metrics").text
        for line in [
            "edgeprint_source_requests_total{source=\"photos\",result=\"memory\"} 3",
            "edgeprint_source_requests_total{source=\"photos\",result=\"miss\"} 1",
            "edgeprint_source_duration_seconds_count{source=\"photos\"} 4",
            "edgeprint_format_responses_total{format=\"png\"} 3", "edgeprint_excess_bytes_total 0",
            "edgeprint_result_duration_seconds_count{result=\"memory\"} 3",
        ] {
            #expect(text.contains(line + "\n"), "\(line)")
        }
        let one = picture.count - (try rig.get("/photos/a.png?w=8&format=png").body.count)
        #expect(one > 0)
        // Descriptions are no smaller images.
        for description in ["json", "blurhash", "lqip"] {
            #expect(try rig.get("/photos/a.png?format=\(description)").status == 200)
        }
        try rig.waitUntil("edgeprint_source_duration_seconds_count", is: 8)
        try rig.waitUntil("edgeprint_source_saved_bytes_total", is: Double(4 * one))
        #expect(try rig.metric("edgeprint_saved_bytes_total") == Double(4 * one))
    }
}
