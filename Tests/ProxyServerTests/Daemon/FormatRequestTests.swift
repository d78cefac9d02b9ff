import Glibc
import TestSupport
import Testing

/// Disabled formats and the budget of decoded bytes, through the real daemon and its workers.
@Suite(.timeLimit(.minutes(1)))
struct FormatRequestTests {
    private static let picture = TestImages.gradient(width: 40, height: 20)
    private static let all = "image/avif,image/webp,*/*"

    private func rig(_ extra: String = "", source: String = "") throws -> EndToEndRig {
        try EndToEndRig(extra, source: source, script: ScriptedOrigin.pictures(["a.png": Self.picture]))
    }

    @Test func `a format that is not written is never chosen, and a 400 if requested`() throws {
        let rig = try rig(source: ", formats: { avif: off, webp: read }")
        let chosen = try rig.get("/photos/a.png?w=9", [("Accept", Self.all)])
        #expect(chosen.status == 200 && chosen["Content-Type"] == "image/png", "\(chosen.description)")
        for (format, use) in [("avif", "off"), ("webp", "read")] {
            let named = try rig.get("/photos/a.png?w=9&format=\(format)")
            #expect(named.status == 400 && named.text.contains("formats.\(format) is \(use)"), "\(named.text)")
            #expect(named.text.contains("\"parameter\":\"format\""))
        }
        let other = try self.rig("formats: { avif: off }", source: ", formats: { avif: on }")
        #expect(try other.get("/photos/a.png?w=9&format=avif").status == 200)
    }

    @Test func `a format that is not read is a 415, unchanged or not, also after a reload`() throws {
        let rig = try rig()
        for query in ["", "?w=9"] { #expect(try rig.get("/photos/a.png" + query).status == 200) }
        try rig.rewrite("formats: { png: write }")
        rig.daemon.signal(SIGHUP)
        try rig.daemon.waitForLog("configuration reloaded")
        for query in ["", "?w=9&format=jpeg"] {
            let refused = try rig.get("/photos/a.png" + query)
            #expect(refused.status == 415 && refused.text.contains("formats.png is write"), "\(query): \(refused.text)")
        }
    }

    @Test func `an image over the decoding budget is a 422 that names the setting`() throws {
        let jpeg = try rig().get("/photos/a.png?w=400&enlarge=1&format=jpeg").body
        let rig = try EndToEndRig(
            source: ", limits: { decode-bytes: 100KiB }",
            script: ScriptedOrigin.pictures(["a.jpg": jpeg, "a.png": Self.picture])
        )
        #expect(try rig.get("/photos/a.png?w=9").status == 200)
        #expect(try rig.get("/photos/a.jpg?w=200").status == 200)
        #expect(try rig.get("/photos/a.jpg").status == 200)
        for query in ["?w=201", "?format=webp"] {
            let refused = try rig.get("/photos/a.jpg" + query)
            #expect(refused.status == 422 && refused.text.contains("limits.decode-bytes"), "\(query): \(refused.text)")
        }
    }
}
