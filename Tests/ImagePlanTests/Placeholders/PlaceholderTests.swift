import Foundation
import ImagePlan
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct PlaceholderTests {
    @Test func `round-trips through its text`() throws {
        let placeholder = Placeholder(of: try .soft(40, 30))
        #expect(Placeholder(text: Array(placeholder.text.utf8)) == placeholder)
        #expect(Placeholder(text: Array(Placeholder.none.text.utf8)) == Placeholder.none)
        #expect(placeholder.blurHash.count == 28 && placeholder.dominant != nil)
    }

    @Test(arguments: [
        "", "\n", "\n\n\n", "L00000\n\n", "\n====\n#ffffff", "\n\nffffff00", "\n\nFFFFFF", "\n\nfff", "00TSUA\r\n\n",
        "00TSUA\nAAA\n", "00TSUA\nA:B=\nffffff", "00TSUA\n\n12345\u{0}",
    ])
    func `rejects text that could inject a header field`(text: String) {
        #expect(Placeholder(text: Array(text.utf8)) == nil)
    }

    @Test func `rejects overlong text`() {
        #expect(Placeholder(text: [UInt8](repeating: 0x41, count: 1 << 20)) == nil)
        #expect(Placeholder(text: Array("\n\(String(repeating: "A", count: 40))\n".utf8)) == nil)
    }

    @Test func `base64 matches Foundation's`() {
        for count in 0..<40 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 67 + 13) }
            #expect(Base64.encode(bytes) == Data(bytes).base64EncodedString())
            #expect(Base64.encodedCount(count) == Base64.encode(bytes).utf8.count)
            let forURL = Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            #expect(Base64.encodeForURL(bytes) == forURL.prefix { $0 != "=" })
        }
    }

    @Test func `a description is valid JSON`() throws {
        let description = PictureDescription(
            size: PixelSize(width: 4000, height: 3000),
            hasAlpha: false,
            format: .jpeg,
            bytes: 123_456,
            frames: 1,
            orientation: 6,
            camera: CameraFacts(exif: CameraFactsTests.block(isBig: false)),
            picture: try .make(90, 60) { x, _ in x < 60 ? [200, 20, 20, 255] : [20, 20, 200, 255] }
        )
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(description.json.utf8)) as? [String: Any]
        )
        #expect(object["width"] as? Int == 4000 && object["height"] as? Int == 3000)
        #expect(object["type"] as? String == "image/jpeg" && object["bytes"] as? Int == 123_456)
        #expect(object["orientation"] as? Int == 6 && object["frames"] as? Int == 1)
        let color = try #require(object["color"] as? [String: Any])
        #expect(color["dominant"] as? String == "#c81414")
        let palette = try #require(color["palette"] as? [[String: Any]])
        #expect(palette.map { $0["share"] as? Double } == [0.667, 0.333])
        let exif = try #require(object["exif"] as? [String: Any])
        #expect(exif["model"] as? String == "Print \"One\"" && exif["iso"] as? Int == 400)
        #expect((object["blurhash"] as? String)?.count == 28 && object["thumbhash"] is String)
    }
}
