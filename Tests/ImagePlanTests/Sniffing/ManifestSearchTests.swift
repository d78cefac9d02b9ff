import ImagePlan
import TestSupport
import Testing

/// Where C2PA manifests are found in image files.
@Suite(.timeLimit(.minutes(1)))
struct ManifestSearchTests {
    private static let png = TestImages.gradient(width: 8, height: 8)
    /// Segments of a JPEG up to its scan; the search reads no further.
    private static let jpeg: [UInt8] =
        [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xFF, 0xDB, 0, 3, 0, 0xFF, 0xDA, 0, 2, 9, 9, 0xFF, 0xD9]
    private static let webp: [UInt8] =
        Array("RIFF".utf8) + [17, 0, 0, 0] + Array("WEBPVP8 ".utf8) + [3, 0, 0, 0, 1, 2, 3, 0]
    private static let gif = TestImages.gif(
        width: 2,
        height: 2,
        palette: [(1, 2, 3), (4, 5, 6), (7, 8, 9), (0, 0, 0)],
        frames: [GIFFrame(width: 2, height: 2, colour: 1)],
        loop: 0
    )
    private static let boxes: [UInt8] =
        [0, 0, 0, 12] + Array("ftypavif".utf8) + [0, 0, 0, 1] + Array("mdat".utf8) + [0, 0, 0, 0, 0, 0, 0, 17, 5]

    private func finds(_ format: ImageFormat, _ file: [UInt8]) -> Bool {
        ManifestSearch.finds(in: format, length: file.count) { range in
            // A read past the end must not happen.
            file.indices.contains(range.lowerBound) && range.upperBound <= file.count ? Array(file[range]) : nil
        }
    }

    private static let pairs: [(ImageFormat, plain: [UInt8], signed: [UInt8])] = [
        (.jpeg, jpeg, TestManifests.jpeg(jpeg)), (.png, png, TestManifests.png(png)),
        (.webp, webp, TestManifests.webp(webp)), (.gif, gif, TestManifests.gif(gif)),
        (.avif, boxes, TestManifests.heif(boxes)), (.heic, boxes, TestManifests.heif(boxes)),
        (.jxl, boxes, boxes + TestManifests.store),
        (.tiff, tiff(0x0100), tiff(0xCD41)),
        (.tiff, bigTIFF(0x0100), bigTIFF(0xCD41)),
        (
            .svg, Array("<svg xmlns:c2pa='http://c2pa.org/manifest'/>".utf8),
            Array("<svg><metadata><c2pa:manifest>AAAA</c2pa:manifest></metadata></svg>".utf8)
        ),
    ]

    /// A directory with one tag, and a second one with the wanted one.
    private static func tiff(_ tag: Int) -> [UInt8] {
        func entry(_ tag: Int) -> [UInt8] { [UInt8(tag & 255), UInt8(tag >> 8), 3, 0, 1, 0, 0, 0, 0, 0, 0, 0] }
        let first = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0] + entry(0x0101) + [26, 0, 0, 0]
        return first + [1, 0] + entry(tag) + [0, 0, 0, 0]
    }

    private static func bigTIFF(_ tag: Int) -> [UInt8] {
        let header: [UInt8] = [0x4D, 0x4D, 0, 43, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 1]
        return header + [UInt8(tag >> 8), UInt8(tag & 255), 0, 3] + [UInt8](repeating: 0, count: 24)
    }

    @Test func `manifests are found where the specification puts them`() {
        for (format, plain, signed) in Self.pairs {
            #expect(!finds(format, plain), "\(format)")
            #expect(finds(format, signed), "\(format)")
        }
    }

    @Test func `other JUMBF boxes are no manifests`() {
        var other = TestManifests.store
        other[16] = UInt8(ascii: "x")
        #expect(!finds(.jpeg, TestManifests.jpeg(Self.jpeg, other)))
        #expect(!finds(.jxl, Self.boxes + other))
    }

    @Test func `after the first scan of a JPEG nothing is looked for`() {
        let behind = Self.jpeg + TestManifests.jpeg(Self.jpeg)
        #expect(!finds(.jpeg, behind))
    }

    @Test func `truncated and damaged files end the search`() {
        var generator = SeededGenerator(seed: 19)
        for (format, _, signed) in Self.pairs {
            for length in 0..<signed.count { _ = finds(format, Array(signed[..<length])) }
            for _ in 0..<300 {
                var bytes = signed
                for _ in 0..<4 {
                    bytes[Int.random(in: 0..<bytes.count, using: &generator)] =
                        [0, 1, 0x7F, 0x80, 0xFF]
                        .randomElement(using: &generator) ?? 0
                }
                _ = finds(format, bytes)
            }
        }
        // A directory that follows itself, and boxes without end.
        var loop = Self.tiff(0x0100)
        loop[22] = 8
        #expect(!finds(.tiff, loop))
        #expect(!finds(.avif, [UInt8](repeating: 0, count: 100_000)))
        #expect(!finds(.png, [UInt8](repeating: 0, count: 1_000_000)))
    }
}
