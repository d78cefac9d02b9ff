import Foundation
import TestSupport
import Testing

/// `data:` URLs through the real daemon.
@Suite(.timeLimit(.minutes(1)))
struct DataURLRequestTests {
    private let picture = TestImages.gradient(width: 40, height: 30)

    private func text(_ bytes: [UInt8]) -> String {
        "data:image/png;base64," + Data(bytes).base64EncodedString().replacing("+", with: "%2B")
    }

    private func rig(_ extra: String = "remote: { data: any }", source: String = "") throws -> EndToEndRig {
        try EndToEndRig(extra, source: source) { _, connection in connection.respond("404 Not Found", text: "no") }
    }

    @Test func `the content is transformed, stored and served like any original`() throws {
        let rig = try rig()
        let target = "/fetch?url=\(text(picture))"
        let small = try rig.get("\(target)&w=20&format=png")
        #expect(small.status == 200, "\(small.text)")
        #expect(PictureHeader.size(ofPNG: small.body) == [20, 15])
        #expect(try rig.cacheStatus("\(target)&w=20&format=png") == "edgeprint; hit; detail=memory")
        #expect(try rig.cacheStatus("\(target)&w=10&format=png") == "edgeprint; hit; detail=original")
        let bare = try rig.get(target)
        #expect(bare.status == 200 && bare.body == picture && bare["Content-Type"] == "image/png")
        #expect(bare["Cache-Control"]?.contains("max-age=31536000") == true)
        let entityTag = try #require(bare["ETag"])
        #expect(try rig.get(target, [("If-None-Match", entityTag)]).status == 304)
        #expect(rig.origin.requests == 0)
    }

    @Test func `content that is no image, and more than the limit, are refused`() throws {
        let rig = try rig("remote: { data: any }\nlimits: { source-bytes: 1KiB }")
        #expect(try rig.get("/fetch?url=data:text/html,%253Cb%253E&w=1").status == 415)
        #expect(try rig.get("/fetch?url=data:,\(String(repeating: "a", count: 2_000))&w=1").status == 413)
    }

    @Test func `without a signature it is 403`() throws {
        let rig = try rig("")
        let answer = try rig.get("/fetch?url=\(text(picture))&w=20")
        #expect(answer.status == 403 && answer.text.contains("remote.data"))
    }

    @Test func `may be the fallback image of a source`() throws {
        let fallback = "data:image/png;base64," + Data(picture).base64EncodedString()
        let rig = try rig("", source: ", fallback: { image: \"\(fallback)\", status: 404, ttl: 1m }")
        let answer = try rig.get("/photos/missing.png?w=20&format=png")
        #expect(answer.status == 404 && PictureHeader.size(ofPNG: answer.body) == [20, 15], "\(answer.text)")
        #expect(rig.origin.requests == 1)
    }
}
