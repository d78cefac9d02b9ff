import CVips
import Foundation
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// `format=json`, `blurhash`, `lqip`, and the placeholder made together with an image.
@Suite(.timeLimit(.minutes(1)))
struct DescriptionTests {
    /// Two thirds red, one third blue.
    private let flag = Workbench.png(
        PixelImage(width: 300, height: 150) { x, _ in x < 200 ? [200, 20, 20, 255] : [20, 20, 200, 255] }
    )

    private func object(_ made: Workbench.Made) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(made.bytes)) as? [String: Any])
    }

    private func text(_ made: Workbench.Made) -> String { String(decoding: made.bytes, as: UTF8.self) }

    @Test func `json describes the original without steps`() throws {
        let made = try Workbench.make("format=json", of: flag, as: .png)
        #expect(made.description.format == .json)
        let object = try object(made)
        #expect(object["width"] as? Int == 300 && object["height"] as? Int == 150)
        #expect(object["type"] as? String == "image/png" && object["bytes"] as? Int == flag.count)
        let color = try #require(object["color"] as? [String: Any])
        #expect(color["dominant"] as? String == "#c81414")
        #expect(
            (color["palette"] as? [[String: Any]])?.compactMap { $0["color"] as? String }.prefix(2) == [
                "#c81414", "#1414c8",
            ]
        )
        #expect((object["exif"] as? [String: Any])?.isEmpty == true)
    }

    @Test func `json describes the result of steps and its original`() throws {
        let made = try Workbench.make("crop=200,0,100,150&w=60&format=json", of: flag, as: .png)
        let object = try object(made)
        #expect(object["width"] as? Int == 60 && object["height"] as? Int == 90)
        #expect(made.description.width == 60 && made.description.height == 90)
        #expect(object["bytes"] as? Int == flag.count)
        let color = try #require(object["color"] as? [String: Any])
        #expect(color["dominant"] as? String == "#1414c8")
    }

    @Test func `the image is examined upright`() throws {
        let upright = PixelImage(width: 64, height: 32) { x, _ in x < 32 ? [230, 230, 230, 255] : [10, 10, 10, 255] }
        let plain = Workbench.png(upright)
        let turned = try Workbench.make("rotate=90&format=png", of: plain, as: .png)
        let straight = try text(Workbench.make("rotate=90&format=blurhash", of: plain, as: .png))
        #expect(try text(Workbench.make("format=blurhash", of: turned.bytes, as: .png)) == straight)
        #expect(straight != (try text(Workbench.make("format=blurhash", of: plain, as: .png))))
    }

    @Test func `thumbhash is the hash of the thumbnail, in base64`() throws {
        let small = PixelImage(width: 40, height: 30) { x, y in [UInt8(x * 6), UInt8(y * 8), 90, 255] }
        let made = try Workbench.make("format=thumbhash", of: Workbench.png(small), as: .png)
        let picture = try #require(TinyPicture(width: 40, height: 30, rgba: small.bytes))
        #expect(made.description.format == .text)
        #expect(text(made) == Base64.encode(ThumbHash.encode(picture)))
    }

    @Test func `blurhash is the hash of the thumbnail`() throws {
        let small = PixelImage(width: 40, height: 30) { x, y in [UInt8(x * 6), UInt8(y * 8), 90, 255] }
        let made = try Workbench.make("format=blurhash", of: Workbench.png(small), as: .png)
        let picture = try #require(TinyPicture(width: 40, height: 30, rgba: small.bytes))
        #expect(made.description.format == .text)
        #expect(text(made) == BlurHash.encode(picture))
    }

    @Test(.enabled(if: SharedImages.isAvailable), arguments: ["bus-12mp.jpg", "photo.webp", "exif-landscape-6.jpg"])
    func `a photograph's preview is a similar WebP of at most 300 bytes`(name: String) throws {
        let format: ImageFormat = name.hasSuffix("webp") ? .webp : .jpeg
        let photograph = try Workbench.photograph(name)
        let uri = try text(Workbench.make("format=lqip", of: photograph, as: format))
        #expect(uri.utf8.count <= 300, "\(uri.utf8.count)")
        let prefix = "data:image/webp;base64,"
        try #require(uri.hasPrefix(prefix))
        let bytes = try #require(Data(base64Encoded: String(uri.dropFirst(prefix.count))))
        let preview = try Workbench.decode(Array(bytes), as: .webp)
        let expected = try Workbench.pixels(
            "w=\(preview.width)&h=\(preview.height)&fit=fill",
            of: photograph,
            as: format
        )
        #expect(max(preview.width, preview.height) >= 8)
        #expect(ImageComparison.meanDifference(preview, expected) < 24)
    }

    @Test func `every image has a preview, which keeps transparency`() throws {
        var generator = SeededGenerator(seed: 5)
        let noise = PixelImage(width: 200, height: 200) { x, _ in
            (0..<3).map { _ in UInt8.random(in: 0...255, using: &generator) } + [x < 100 ? 255 : 0]
        }
        let uri = try text(Workbench.make("format=lqip", of: Workbench.png(noise), as: .png))
        #expect(uri.utf8.count <= 300)
        let bytes = try #require(Data(base64Encoded: String(uri.dropFirst(23))))
        let preview = try Workbench.decode(Array(bytes), as: .webp)
        #expect(preview.alpha(0, 0) > 200 && preview.alpha(preview.width - 1, 0) < 55)
    }

    @Test func `a job makes the original's placeholder regardless of its steps`() throws {
        let alone = try Workbench.makeAll([Placeholder.planText], of: flag, as: .png)[0]
        let placeholder = try #require(Placeholder(text: alone.bytes))
        #expect(placeholder.dominant?.text == "c81414" && alone.description.format == .text)
        for query in ["w=40&format=png", "flip=h&blur=4&w=30&format=webp", "rotate=90&format=png", "format=jpeg"] {
            let both = try Workbench.makeAll([query, Placeholder.planText], of: flag, as: .png)
            #expect(both.count == 2)
            #expect(Placeholder(text: both[1].bytes)?.dominant == placeholder.dominant, "\(query)")
            #expect(Placeholder(text: both[1].bytes)?.blurHash == placeholder.blurHash, "\(query)")
            // The picture equals one made without the placeholder.
            #expect(both[0].bytes == (try Workbench.make(query, of: flag, as: .png).bytes), "\(query)")
        }
    }

    @Test(.enabled(if: SharedImages.isAvailable))
    func `a photograph is decoded once, as small as the result allows`() throws {
        let photograph = try Workbench.photograph("exif-landscape-6.jpg")
        let alone = try Workbench.makeAll([Placeholder.planText], of: photograph, as: .jpeg)[0]
        let both = try Workbench.makeAll(["w=300&format=jpeg", Placeholder.planText], of: photograph, as: .jpeg)
        #expect(both[0].bytes == (try Workbench.make("w=300&format=jpeg", of: photograph, as: .jpeg).bytes))
        // Another shrink on load: all but the last digits are the same.
        let (one, other) = try (
            #require(Placeholder(text: alone.bytes)), #require(Placeholder(text: both[1].bytes))
        )
        #expect(one.blurHash.prefix(1) == other.blurHash.prefix(1))
        let colors = try [#require(one.dominant), #require(other.dominant)].map { [$0.red, $0.green, $0.blue] }
        #expect(ImageComparison.colourDistance(colors[0], colors[1]) < 6)
    }

    @Test func `an animation is described by its first frame`() throws {
        let pixels =
            [[UInt8]](repeating: [UInt8](repeating: 1, count: 64), count: 1) + [[UInt8](repeating: 2, count: 64)]
        let gif = TestImages.gif(
            width: 8,
            height: 8,
            palette: [(0, 0, 0), (250, 250, 0), (0, 0, 250), (9, 9, 9)],
            frames: pixels,
            delays: [10, 10],
            loop: 0
        )
        let object = try object(Workbench.make("format=json", of: gif, as: .gif))
        #expect(object["frames"] as? Int == 2)
        #expect((object["color"] as? [String: Any])?["dominant"] as? String == "#fafa00")
        let both = try Workbench.makeAll(["w=4&format=gif", Placeholder.planText], of: gif, as: .gif)
        #expect(Placeholder(text: both[1].bytes)?.dominant?.text == "fafa00")
        #expect(both[0].description.frames == 2)
    }

    @Test func `json contains the camera's data unless the source strips metadata`() throws {
        let jpeg = TestImages.withCamera("Edge", try Workbench.make("format=jpeg", of: flag, as: .png).bytes)
        let open = try object(Workbench.make("format=json", of: jpeg, as: .jpeg))
        #expect((open["exif"] as? [String: String]) == ["make": "Edge"])
        let clean = try object(
            Workbench.makeAll([PictureDescription.cleanPlan("1?format=json")], of: jpeg, as: .jpeg)[0]
        )
        #expect((clean["exif"] as? [String: String])?.isEmpty == true)
        #expect(clean["width"] as? Int == 300)
    }

    @Test func `after the deadline there is no placeholder, and a later job tries again`() throws {
        let late = try Workbench.placeholderText(of: flag, as: .png, milliseconds: 0)
        #expect(Placeholder(text: Array(late.utf8)) == nil)
        let made = try Workbench.placeholderText(of: flag, as: .png, milliseconds: 20_000)
        #expect(Placeholder(text: Array(made.utf8))?.dominant?.text == "c81414")
    }

    @Test func `a description of a broken image fails like a result`() throws {
        let broken = Array(flag[..<(flag.count / 2)])
        for query in ["format=json", "format=lqip", "format=blurhash"] {
            #expect(throws: WorkerReply.Failure.self) { try Workbench.make(query, of: broken, as: .png) }
        }
        // Alone, an empty placeholder is a result, not a failure.
        let made = try Workbench.makeAll([Placeholder.planText], of: broken, as: .png)[0]
        #expect(Placeholder(text: made.bytes) == Placeholder.none)
    }
}
