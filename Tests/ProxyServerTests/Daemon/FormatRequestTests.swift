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

    @Test(arguments: [
        ("", "jxl", "avif"), (", formats: { jxl: off }", "avif", "avif"), (", avif: { auto: off }", "jxl", "jxl"),
        (", formats: { jxl: read }, avif: { auto: off }", "webp", "webp"),
    ])
    func `a client that accepts JPEG XL gets it, or the next format that the source writes`(
        source: String,
        photograph: String,
        drawing: String
    ) throws {
        let jpeg = try rig().get("/photos/a.png?format=jpeg").body
        let rig = try EndToEndRig(
            source: source,
            script: ScriptedOrigin.pictures(["a.jpg": jpeg, "a.png": Self.picture])
        )
        let safari = "image/webp,image/avif,image/jxl,image/heic,image/heic-sequence,video/*;q=0.8,image/png,*/*;q=0.5"
        for (name, format) in [("a.jpg", photograph), ("a.png", drawing)] {
            for status in ["fwd=uri-miss", "hit; detail=memory"] {
                let response = try rig.get("/photos/\(name)?w=9", [("Accept", safari)])
                #expect(response["Content-Type"] == "image/\(format)", "\(response.description)")
                #expect(response["Vary"]?.contains("Accept") == true)
                #expect(response["Cache-Status"]?.contains(status) == true, "\(response.description)")
            }
            // Clients that do not accept it have variants of their own.
            let other = try rig.get("/photos/\(name)?w=9", [("Accept", "image/webp")])
            #expect(other["Content-Type"] == "image/webp")
        }
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

    @Test func `a stored variant is a 415 once its original's format is no longer read, also after a restart`() throws {
        let rig = try rig()
        #expect(try rig.get("/photos/a.png?w=9&format=jpeg").status == 200)
        try rig.waitUntil("edgeprint_cache_entries{tier=\"variants\"}", is: 1)
        try rig.restartAfterKill("formats: { png: write }")
        let refused = try rig.get("/photos/a.png?w=9&format=jpeg")
        #expect(refused.status == 415 && refused.text.contains("formats.png is write"), "\(refused.text)")
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
