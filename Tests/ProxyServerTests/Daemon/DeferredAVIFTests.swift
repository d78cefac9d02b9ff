import Foundation
import TestSupport
import Testing

/// Deferred AVIF, through the real daemon and its workers.
@Suite(.timeLimit(.minutes(2)))
struct DeferredAVIFTests {
    private static let accept = [("Accept", "image/avif,image/webp,*/*")]
    private static let target = "/photos/a.png?w=200"
    /// Soft hills, of which AVIF takes less than WebP.
    private static let hills: [UInt8] = {
        let image = PixelImage(width: 240, height: 180) { x, y in
            let wave = sin(Double(x) / 17) * cos(Double(y) / 13) * 90 + 128
            return [UInt8(wave), UInt8((wave + Double(x)) / 2), UInt8((wave + Double(y)) / 2), 255]
        }
        return TestImages.png(width: 240, height: 180, rgba: image.bytes)
    }()

    private func rig(_ avif: String, fields: [String]) throws -> EndToEndRig {
        let script = ScriptedOrigin.pictures(["a.png": Self.hills], fields: fields)
        return try EndToEndRig("avif: { \(avif) }", script: script)
    }

    @Test func `the first responses are WebP for half a minute, later ones AVIF with the origin's lifetime`()
        throws
    {
        let dated = ["Cache-Control: max-age=3600", "Last-Modified: Wed, 01 Jan 2020 00:00:00 GMT", "Age: 100"]
        let rig = try rig("budget: 0ms, effort: 0", fields: dated)
        let first = try rig.get(Self.target, Self.accept)
        #expect(first["Content-Type"] == "image/webp")
        // Its age, which grows while it is made, and 30 s.
        let lifetime = first["Cache-Control"].flatMap { Int($0.dropFirst("max-age=".count)) }
        #expect(lifetime.map((130..<200).contains) == true, "\(first["Cache-Control"] ?? "")")
        #expect(first["Cache-Status"] == "edgeprint; fwd=uri-miss; detail=deferred")
        #expect(first["Last-Modified"] == nil && first["Vary"] == "Accept, Save-Data")
        let tag = try #require(first["ETag"])
        try rig.waitUntil("edgeprint_deferred_swapped_total", is: 1)
        let later = try rig.get(Self.target, Self.accept + [("If-None-Match", tag)])
        #expect(later.status == 200 && later["Content-Type"] == "image/avif")
        #expect(later["Cache-Status"] == "edgeprint; hit; detail=memory")
        #expect(later["Cache-Control"] == "max-age=3600" && later["Last-Modified"] != nil && later["ETag"] != tag)
        #expect(later.body.count < first.body.count)
        let others = try rig.get(Self.target, [("Accept", "image/webp")])
        #expect(others["Content-Type"] == "image/webp" && others["Cache-Control"] == "max-age=3600")
        #expect(try rig.metric("edgeprint_deferred_total") == 1)
        // The original, the WebP, the AVIF, and WebP's own variant.
        try rig.waitForStores(4)
        try rig.restartAfterKill("avif: { budget: 0ms, effort: 0 }")
        let stored = try rig.get(Self.target, Self.accept)
        #expect(stored["Content-Type"] == "image/avif" && stored["Cache-Status"] == "edgeprint; hit; detail=disk")
        #expect(stored.body == later.body && rig.origin.requests == 1)
    }

    @Test func `within the budget, AVIF is the first response`() throws {
        let rig = try rig("budget: 1m, effort: 0", fields: ["Cache-Control: max-age=3600"])
        let answer = try rig.get(Self.target, Self.accept)
        #expect(answer["Content-Type"] == "image/avif" && answer["Cache-Control"] == "max-age=3600")
        #expect(answer["Cache-Status"] == "edgeprint; fwd=uri-miss")
        #expect(try rig.get(Self.target, [("Accept", "image/avif")]).body == answer.body)
    }

    @Test func `a single worker gets no background work`() throws {
        let script = ScriptedOrigin.pictures(["a.png": Self.hills])
        let rig = try EndToEndRig("avif: { budget: 0ms }\nworkers: { count: 1 }", script: script)
        let answer = try rig.get(Self.target, Self.accept)
        #expect(answer["Content-Type"] == "image/webp" && answer["Cache-Control"] == "max-age=3600")
        #expect(try rig.metric("edgeprint_deferred_total") == 0)
    }

    @Test func `with avif.auto off, clients that accept AVIF share the WebP of the others`() throws {
        let rig = try rig("auto: off", fields: ["Cache-Control: max-age=3600"])
        let answer = try rig.get(Self.target, Self.accept)
        #expect(answer["Content-Type"] == "image/webp")
        let others = try rig.get(Self.target, [("Accept", "image/webp")])
        #expect(others["Cache-Status"] == "edgeprint; hit; detail=memory" && others.body == answer.body)
    }
}
