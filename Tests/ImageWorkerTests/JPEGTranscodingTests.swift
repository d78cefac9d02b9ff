import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// JPEG originals as JPEG XL without another loss.
@Suite(.timeLimit(.minutes(1)), .enabled(if: Workbench.encodes(.jxl)))
struct JPEGTranscodingTests {
    private static let picture = PixelImage(width: 256, height: 192) { x, y in
        [UInt8(truncatingIfNeeded: x * x / 7 ^ y), UInt8(y), UInt8(truncatingIfNeeded: x * y / 9), 255]
    }

    private func restored(_ made: Workbench.Made) throws -> [UInt8]? {
        let file = try unsafe made.bytes.withUnsafeBytes { try unsafe SourceMapping(copying: $0) }
        return try JPEGTranscoder.restore(file, atMost: 1 << 24)
    }

    @Test func `an unchanged JPEG is restored byte for byte, with metadata only if that is kept`() throws {
        let jpeg = try TaggedImages.make(Self.picture, as: .jpeg)
        for query in ["", "&w=256", "&w=9000"] {
            let kept = try Workbench.make("format=jxl&lossless=1&meta=keep\(query)", of: jpeg, as: .jpeg)
            #expect(kept.description.format == .picture(.jxl) && kept.bytes.count < jpeg.count)
            // Its EXIF orientation turns it.
            let shown = try Workbench.decode(kept)
            #expect(kept.description.width == 192 && kept.description.height == 256 && kept.description.quality == nil)
            #expect(shown.width == 192 && shown.height == 256)
            #expect(try restored(kept) == jpeg)
            let clean = try Workbench.make("format=jxl&lossless=1\(query)", of: jpeg, as: .jpeg)
            #expect(try restored(clean) == Workbench.clean(jpeg, as: .jpeg).bytes)
            #expect(!clean.bytes.contains(TaggedImages.secret))
        }
    }

    @Test(arguments: ["w=100", "flip=h", "meta=copyright", "blur=1"])
    func `another plan encodes the pixels`(query: String) throws {
        let jpeg = try TaggedImages.make(Self.picture, as: .jpeg)
        let made = try Workbench.make("\(query)&format=jxl&lossless=1", of: jpeg, as: .jpeg)
        #expect(try made.description.format == .picture(.jxl) && restored(made) == nil)
    }

    @Test func `a JPEG of very many scans is not transcoded, since each takes time for all of the picture`() throws {
        let jpeg = try Workbench.make("format=jpeg&progressive=1", of: Workbench.png(Self.picture), as: .png).bytes
        func transcoded(scans: Int) throws -> Bool {
            // A comment with what looks like the marker of a scan.
            let comment = UltraHDR.marker(0xFE, (0..<scans).flatMap { _ in [0xFF, 0xDA] as [UInt8] })
            let source = jpeg[..<2] + comment + jpeg[2...]
            return try restored(Workbench.make("format=jxl&lossless=1&meta=keep", of: Array(source), as: .jpeg)) != nil
        }
        #expect(try transcoded(scans: 20) && !transcoded(scans: 41))
    }

    @Test func `a lossy JPEG XL and that of another format are not restored`() throws {
        let jpeg = try TaggedImages.make(Self.picture, as: .jpeg)
        #expect(try restored(Workbench.make("format=jxl", of: jpeg, as: .jpeg)) == nil)
        let png = Workbench.png(Self.picture)
        #expect(try restored(Workbench.make("format=jxl&lossless=1", of: png, as: .png)) == nil)
    }

    @Test(
        .enabled(if: SharedImages.isAvailable),
        arguments: [("exif-landscape-6.jpg", 0.85), ("icc-xyb.jpg", 0.9), ("kimono.jpg", 0.9), ("fox.jpg", 0.95)]
    )
    func `photographs become smaller, and are upright`(name: String, most: Double) throws {
        let jpeg = try Workbench.photograph(name)
        let made = try Workbench.make("format=jxl&lossless=1&meta=keep", of: jpeg, as: .jpeg)
        #expect(Double(made.bytes.count) < most * Double(jpeg.count), "\(made.bytes.count) of \(jpeg.count)")
        #expect(try restored(made) == jpeg)
        let shown = try Workbench.decode(made)
        #expect(shown.width == made.description.width && shown.height == made.description.height)
        let expected = try Workbench.pixels("", of: jpeg, as: .jpeg)
        #expect(shown.width == expected.width && shown.height == expected.height)
    }
}
