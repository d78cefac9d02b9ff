import Foundation
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// The colours and single pixels that `format=json` reports.
@Suite(.timeLimit(.minutes(1)))
struct OriginalColoursTests {
    private func object(_ query: String, of source: [UInt8], as format: ImageFormat) throws -> [String: Any] {
        let made = try Workbench.make(query, of: source, as: format)
        return try #require(JSONSerialization.jsonObject(with: Data(made.bytes)) as? [String: Any])
    }

    private func facts(_ source: [UInt8], as format: ImageFormat) throws -> [String] {
        let object = try object("format=json", of: source, as: format)
        return ["depth", "space", "profile", "hdr"].map { object[$0].map { "\($0)" } ?? "-" }
    }

    /// Quarters in red, green, blue and half-transparent white.
    private let quarters = Workbench.png(
        PixelImage(width: 40, height: 20) { x, y in
            y < 10 ? x < 20 ? [255, 0, 0, 255] : [0, 255, 0, 255] : x < 20 ? [0, 0, 255, 255] : [255, 255, 255, 128]
        }
    )

    /// A PNG with a chunk after its header.
    private func png(with chunk: String, _ content: [UInt8]) -> [UInt8] {
        let end = AnimatedPNG.signature.count + 25
        return Array(quarters[..<end]) + PNGChunk.encoded(chunk, content) + quarters[end...]
    }

    @Test func `json reports depth and space of declared colours`() throws {
        #expect(try facts(quarters, as: .png) == ["8", "srgb", "-", "0"])
        #expect(try facts(png(with: "cICP", [12, 13, 0, 1]), as: .png) == ["8", "display-p3", "-", "0"])
        #expect(try facts(png(with: "cICP", [9, 16, 0, 1]), as: .png) == ["8", "bt2020", "-", "1"])
        #expect(try facts(png(with: "cICP", [9, 18, 0, 1]), as: .png) == ["8", "bt2020", "-", "1"])
    }

    @Test(arguments: [
        ("gradient-12bit.avif", ImageFormat.avif, "12"), ("gradient-8bit.avif", .avif, "8"),
        ("gradient-16bit.jxl", .jxl, "16"),
    ])
    func `json reports the depth of samples`(name: String, format: ImageFormat, depth: String) throws {
        guard Workbench.decodes(format) else { return }
        let facts = try facts(SampleFiles.bytes(name), as: format)
        #expect(facts[0] == depth && facts[3] == "0", "\(facts)")
    }

    @Test(.enabled(if: SharedImages.isAvailable))
    func `json reports depth, space and profile of photographs`() throws {
        #expect(try facts(Workbench.photograph("sample-16bit.png"), as: .png)[0] == "16")
        #expect(try facts(Workbench.photograph("sample-16bit.tif"), as: .tiff)[0] == "16")
        let photograph = try facts(Workbench.photograph("icc-red-at-12-oclock.jpg"), as: .jpeg)
        #expect(photograph[0] == "8" && photograph[2] != "-", "\(photograph)")
        if Workbench.decodes(.avif) {
            #expect(try facts(Workbench.photograph("fox-10bit.avif"), as: .avif)[0] == "10")
        }
    }

    @Test func `a gain map makes an image HDR`() throws {
        let jpeg = try Workbench.make("format=jpeg", of: quarters, as: .png).bytes
        #expect(try facts(jpeg, as: .jpeg)[3] == "0")
        let note = Array(
            "http://ns.adobe.com/xap/1.0/\0<x xmlns:hdrgm=\"http://ns.adobe.com/hdr-gain-map/1.0/\"/>".utf8
        )
        let segment: [UInt8] = [0xFF, 0xE1, 0, UInt8(note.count + 2)] + note
        #expect(try facts(Array(jpeg[..<2]) + segment + jpeg[2...], as: .jpeg)[3] == "1")
    }

    @Test(arguments: [
        ("", 5, 5, "#ff0000"), ("", 25, 5, "#00ff00"), ("", 5, 15, "#0000ff"), ("", 39, 19, "#ffffff80"),
        ("rotate=90&", 15, 5, "#ff0000"), ("crop=20,0,20,20&", 5, 5, "#00ff00"), ("w=20&", 1, 1, "#ff0000"),
        ("bg=000&", 39, 19, "#808080"), ("flip=h&", 5, 5, "#00ff00"),
    ])
    func `reports the colour of a pixel of the result`(steps: String, x: Int, y: Int, colour: String) throws {
        let object = try object("\(steps)format=json&pixel=\(x),\(y)", of: quarters, as: .png)
        let pixel = try #require(object["pixel"] as? [String: Any])
        #expect(pixel["x"] as? Int == x && pixel["y"] as? Int == y && pixel["color"] as? String == colour, "\(pixel)")
    }

    @Test func `a pixel outside the result is refused`() throws {
        let failure = WorkerReply.Failure.refused("pixel: is 20,5, but the result is 20x10", parameter: "pixel")
        #expect(throws: failure) { try Workbench.make("w=20&format=json&pixel=20,5", of: quarters, as: .png) }
        for query in [
            "pixel=1,1", "format=png&pixel=1,1", "format=json&pixel=1", "format=json&pixel=-1,0",
            "format=json&pixel=a,b",
        ] {
            let error = #expect(throws: RequestError.self) {
                try RequestLanguage.parse(query: query, options: ParseOptions())
            }
            #expect(error?.parameter == "pixel", "\(query)")
        }
    }

    @Test func `a JPEG over the decoding budget is loaded smaller`() throws {
        let jpeg = try Workbench.make("format=jpeg&w=400&enlarge=1", of: quarters, as: .png).bytes
        func make(_ query: String, _ bytes: Int, of source: [UInt8], as format: ImageFormat) throws -> [UInt8] {
            try Workbench.make(query, of: source, as: format, limits: AnimationLimits(bytes: bytes)).bytes
        }
        // 400×200 need 320,000 bytes, half of each side 80,000.
        let free = try make("w=190&format=png", 320_000, of: jpeg, as: .jpeg)
        let tight = try make("w=190&format=png", 80_000, of: jpeg, as: .jpeg)
        #expect(free != tight)
        let (one, other) = (try Workbench.decode(free, as: .png), try Workbench.decode(tight, as: .png))
        #expect(one.width == 190 && other.width == 190 && ImageComparison.meanDifference(one, other) < 6)
        let refusal = "400×200 pixels need 320000 bytes to decode, more than the limit of 80000 (limits.decode-bytes)"
        #expect(throws: WorkerReply.Failure.refused(refusal)) {
            try make("w=201&format=png", 80_000, of: jpeg, as: .jpeg)
        }
        #expect(throws: WorkerReply.Failure.self) { try make("w=20&format=png", 3_199, of: quarters, as: .png) }
        #expect(try make("w=20&format=png", 3_200, of: quarters, as: .png).count > 0)
    }
}
