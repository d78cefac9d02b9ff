import Foundation
import Glibc
import TestSupport
import Testing

/// Spans as a real collector understands them.
///
/// `make test` installs it and requires it; without it, `swift test` alone skips these.
@Suite(
    .timeLimit(.minutes(1)),
    .enabled(if: Rotel.program != nil || TestEnvironment.value("EDGEPRINT_ENGINES") == "required")
)
struct RotelTests {
    @Test func `a real collector accepts and understands the spans of a miss and of a hit`() throws {
        let collector = try Rotel()
        let settings = "tracing: { endpoint: \"\(collector.endpoint)\", sample: 1, interval: 10ms }"
        let picture = TestImages.gradient(width: 64, height: 48)
        let rig = try EndToEndRig(settings, script: ScriptedOrigin.pictures(["a.png": picture]))
        for _ in 1...2 { #expect(try rig.get("/photos/a.png?w=20&format=webp").status == 200) }
        try rig.waitUntil("edgeprint_requests_in_flight", is: 0)
        let recorded = try #require(try rig.metric("edgeprint_trace_spans_total"))
        try rig.waitUntil("edgeprint_trace_spans_exported_total", is: recorded)
        #expect(try rig.metric("edgeprint_trace_spans_dropped_total") == 0)
        // It prints after it has responded.
        #expect(collector.waits(for: "GET /photos/*", times: 2))
        let output = collector.output
        for expected in [
            "service.name: Str(edgeprint)", "Name           : fetch", "Name           : encode",
            "Kind           : SPAN_KIND_SERVER", "Kind           : SPAN_KIND_CLIENT",
            "http.response.status_code: Int(200)", "edgeprint.cache: Str(memory)",
        ] {
            #expect(output.contains(expected), "\(expected)")
        }
    }
}
