import Foundation
import TestSupport
import Testing

/// Popular images are encoded again, through the real daemon and its workers.
@Suite(.timeLimit(.minutes(2)))
struct RecompressionRequestTests {
    private static let target = "/photos/a.png?w=200&format=webp"
    /// Soft hills with grain, of which more effort makes a smaller WebP.
    private static let hills: [UInt8] = {
        var noise = SeededGenerator(seed: 7)
        let image = PixelImage(width: 240, height: 180) { x, y in
            let wave = sin(Double(x) / 17) * cos(Double(y) / 13) * 80 + 128
            let grain = Double(noise.next() % 24)
            return [UInt8(wave + grain), UInt8((wave + Double(x)) / 2 + grain), UInt8((wave + Double(y)) / 2), 255]
        }
        return TestImages.png(width: 240, height: 180, rgba: image.bytes)
    }()

    @Test func `a popular WebP gives way to a smaller one with another entity tag, also after a restart`() throws {
        let script = ScriptedOrigin.pictures(["a.png": Self.hills], fields: ["Cache-Control: max-age=3600"])
        // With method 0, the second encoding is smaller by far.
        let configuration = "recompress-after: 1\nwebp: { method: 0 }"
        let rig = try EndToEndRig(configuration, script: script)
        let first = try rig.get(Self.target)
        try rig.waitForStores(2)
        let hit = try rig.get(Self.target)
        #expect(hit["Cache-Status"] == "edgeprint; hit; detail=memory")
        try rig.waitUntil("edgeprint_recompressions_total", is: 1)
        let tag = try #require(first["ETag"])
        let later = try rig.get(Self.target, [("If-None-Match", tag)])
        #expect(later.status == 200 && later["Content-Type"] == "image/webp" && later["ETag"] != tag)
        #expect(later["Cache-Control"] == "max-age=3600" && later.body.count < first.body.count)
        let saved = try #require(try rig.metric("edgeprint_recompression_saved_bytes_total"))
        #expect(Int(saved) == first.body.count - later.body.count)
        try rig.waitForStores(3)
        try rig.restartAfterKill(configuration)
        let stored = try rig.get(Self.target)
        #expect(stored["Cache-Status"] == "edgeprint; hit; detail=disk" && stored.body == later.body)
        #expect(rig.origin.requests == 1)
    }
}
