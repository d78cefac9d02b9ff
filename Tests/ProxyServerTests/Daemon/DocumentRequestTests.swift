import Glibc
import TestSupport
import Testing

/// PDF originals, through the real daemon and its workers.
@Suite(.timeLimit(.minutes(1)))
struct DocumentRequestTests {
    private func rig(_ extra: String, source: String) throws -> EndToEndRig {
        let script = ScriptedOrigin.pictures(["a.pdf": TestDocuments.pdf(["1 0 0 rg 0 0 100 100 re f"])])
        return try EndToEndRig(extra, source: source, script: script)
    }

    @Test func `documents are rendered and served only if the configuration enables it`() throws {
        let off = try rig("", source: "")
        let refused = try off.get("/photos/a.pdf?w=20&format=png")
        #expect(refused.status == 415 && refused.text.contains("formats.pdf is off"))
        #expect(try off.get("/photos/a.pdf").status == 415)
        // Turning it on applies at once, also to cached refusals.
        try off.rewrite("formats: { pdf: on }")
        off.daemon.signal(SIGHUP)
        try off.daemon.waitForLog("configuration reloaded")
        #expect(PictureHeader.size(ofPNG: try off.get("/photos/a.pdf?w=20&format=png").body) == [20, 10])
        let bare = try off.get("/photos/a.pdf")
        #expect(bare.status == 200 && bare["Content-Type"] == "application/pdf")
        // So does turning it off, also to cached images.
        try off.rewrite()
        off.daemon.signal(SIGHUP)
        try off.daemon.waitForLog("configuration reloaded", times: 2)
        #expect(try off.get("/photos/a.pdf").status == 415)
        #expect(try off.get("/photos/a.pdf?w=20&format=png").status == 415)
    }

    @Test func `a source can override it`() throws {
        let on = try rig("", source: ", formats: { pdf: on }")
        #expect(PictureHeader.size(ofPNG: try on.get("/photos/a.pdf?format=png").body) == [200, 100])
        let large = try on.get("/photos/a.pdf?dpi=1200&format=png&w=5")
        #expect(large.status == 200)
        let other = try rig("formats: { pdf: on }", source: ", formats: { pdf: off }")
        #expect(try other.get("/photos/a.pdf?w=20").status == 415)
    }
}
