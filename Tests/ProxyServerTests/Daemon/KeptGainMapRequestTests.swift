import TestSupport
import Testing

/// `hdr=keep`, through the real daemon and its workers.
@Suite(.timeLimit(.minutes(2)))
struct KeptGainMapRequestTests {
    private static let accept = [("Accept", "image/avif,image/webp,*/*")]

    /// A JPEG with a gain map, and the same without.
    private func files() throws -> [String: [UInt8]] {
        let picture = TestImages.gradient(width: 160, height: 120)
        let maker = try EndToEndRig(script: ScriptedOrigin.pictures(["a.png": picture]))
        let plain = try maker.get("/photos/a.png?format=jpeg").body
        let map = try maker.get("/photos/a.png?w=40&filter=grayscale&format=jpeg").body
        return ["hdr.jpg": UltraHDR.file(plain, UltraHDR.map(map)), "sdr.jpg": plain]
    }

    @Test func `the result has the gain map, from every tier, and auto is JPEG only with one`() throws {
        let rig = try EndToEndRig(script: ScriptedOrigin.pictures(try files()))
        let first = try rig.get("/photos/hdr.jpg?w=80&hdr=keep", Self.accept)
        #expect(
            first.status == 200 && first["Content-Type"] == "image/jpeg" && first["Vary"]?.contains("Accept") == true
        )
        let images = try #require(TwoImages(first.body))
        #expect(TwoImages.packets(images.secondSegments).count == 1)
        #expect(try rig.get("/photos/hdr.jpg?w=80", Self.accept)["Content-Type"] != "image/jpeg")
        #expect(try rig.get("/photos/sdr.jpg?w=80&hdr=keep", Self.accept)["Content-Type"] != "image/jpeg")
        // The same URL without hdr, and a smaller box for which nothing else changes, are other results.
        let named = try rig.get("/photos/hdr.jpg?w=80&format=jpeg")
        #expect(named["Content-Type"] == "image/jpeg" && TwoImages(named.body) == nil)
        #expect(TwoImages(try rig.get("/photos/hdr.jpg?w=80&format=jpeg&hdr=keep").body) != nil)
        // The unchanged original keeps what it has.
        #expect(try rig.get("/photos/hdr.jpg").body == files()["hdr.jpg"])
        // A placeholder, or a better encoding, may be stored later.
        try waitWhile(rig.metric("edgeprint_disk_stores_total") ?? 0 < 7)
        try rig.restartAfterKill()
        let stored = try rig.get("/photos/hdr.jpg?w=80&hdr=keep", Self.accept)
        #expect(stored["Cache-Status"] == "edgeprint; hit; detail=disk" && stored.body == first.body)
        // The record tells of the gain map after the restart, too.
        let other = try rig.get("/photos/hdr.jpg?w=60&hdr=keep", Self.accept)
        #expect(other["Content-Type"] == "image/jpeg" && TwoImages(other.body) != nil)
    }

    @Test(
        arguments: [
            ("w=80&hdr=keep", "kept if the original"), ("w=80&hdr=keep&blur=2", "not kept: it cannot follow blur"),
            ("w=80&hdr=keep&format=webp", "not kept: only a JPEG"),
        ]
    )
    func `explain tells what becomes of the gain map`(query: String, words: String) throws {
        let rig = try EndToEndRig(script: ScriptedOrigin.pictures([:]))
        let target = "/photos/a.jpg?\(query)"
        let answer = try rig.admin(
            "GET",
            "/explain?path=" + target.replacing("?", with: "%3F").replacing("&", with: "%26")
        )
        #expect(answer.status == 200 && answer.text.contains(words), "\(answer.text)")
    }
}
