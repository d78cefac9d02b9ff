import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// AVIFs whose boxes crop, rotate and mirror, compared with the picture that they were made of.
@Suite(.timeLimit(.minutes(1)), .enabled(if: Workbench.decodes(.avif)))
struct TransformedHEIFTests {
    private static let width = 48
    private static let height = 32

    private static func pixel(_ x: Int, _ y: Int) -> [UInt8] {
        [UInt8(x * 255 / 47), UInt8(y * 255 / 31), UInt8(255 - x * 3)]
    }

    /// The gradient as a viewer shows it: quarter turns anticlockwise first, then a mirror with top and bottom (0) or left and right
    /// (1) exchanged.
    private static func shown(turns: Int, axis: Int) -> PixelImage {
        let isOnItsSide = turns % 2 == 1
        let (width, height) = isOnItsSide ? (Self.height, Self.width) : (Self.width, Self.height)
        return PixelImage(width: width, height: height, channels: 3) { x, y in
            var (x, y) = axis == 0 ? (x, height - 1 - y) : (width - 1 - x, y)
            var (w, h) = (width, height)
            // Inverts each anticlockwise quarter turn.
            for _ in 0..<turns {
                (x, y) = (h - 1 - y, x)
                (w, h) = (h, w)
            }
            return pixel(x, y)
        }
    }

    /// The sample with other values in its boxes.
    private static func sample(turns: Int, axis: Int) throws -> [UInt8] {
        var bytes = try SampleFiles.bytes("turned-10bit.avif")
        for (name, value) in [("irot", turns), ("imir", axis)] {
            let start = try #require(bytes.indices.first { bytes[$0...].starts(with: Array(name.utf8)) })
            bytes[start + 4] = UInt8(value)
        }
        return bytes
    }

    @Test(arguments: 0...3, 0...1)
    func `10-bit images are rotated and mirrored by their boxes`(turns: Int, axis: Int) throws {
        let source = try Self.sample(turns: turns, axis: axis)
        let expected = Self.shown(turns: turns, axis: axis)
        let pixels = try Workbench.pixels("", of: source, as: .avif)
        #expect(pixels.width == expected.width && pixels.height == expected.height)
        #expect(ImageComparison.meanDifference(pixels, expected) < 3)
        let half = try Workbench.make("w=\(expected.width / 2)&format=webp", of: source, as: .avif)
        #expect(half.description.height == expected.height / 2)
    }

    @Test func `alpha is cropped, rotated and mirrored with the colours`() throws {
        // --crop 8,4,32,20 --irot 1 --imir 0; alpha as red, from 0 to 255 to the right.
        let source = try SampleFiles.bytes("cut-turned-alpha.avif")
        let pixels = try Workbench.pixels("", of: source, as: .avif)
        try #require(pixels.width == 20 && pixels.height == 32 && pixels.channels == 4)
        for (x, y) in [(0, 0), (19, 0), (0, 31), (19, 31), (7, 20)] {
            // Rotated anticlockwise and flipped, rows become columns.
            let expected = Self.pixel(8 + y, 4 + x)
            let found = pixels[x, y]
            #expect(abs(Int(found[3]) - Int(expected[0])) <= 4, "alpha at \(x), \(y)")
            for band in 0..<3 { #expect(abs(Int(found[band]) - Int(expected[band])) <= 24, "\(band) at \(x), \(y)") }
        }
        let text = String(decoding: try Workbench.make("format=json", of: source, as: .avif).bytes, as: UTF8.self)
        #expect(text.hasPrefix(#"{"width":20,"height":32,"hasAlpha":true,"#), "\(text)")
    }

    @Test func `the header has the size and the orientation`() throws {
        for (name, width, height, orientation) in [
            ("turned-10bit.avif", 48, 32, 5), ("cut-turned-alpha.avif", 32, 20, 5),
        ] {
            let source = try SampleFiles.bytes(name)
            guard case .image(let header) = ImageSniffer.sniff(source.span, totalLength: source.count) else {
                Issue.record("no header: \(name)")
                continue
            }
            #expect(header.width == width && header.height == height && header.orientation == orientation, "\(name)")
            let facts = try Workbench.withDecoder(of: source, as: .avif) { try $0.facts() }
            #expect(facts.size == header.size && facts.orientation == orientation, "\(name)")
        }
    }

    @Test func `cropped-away pixels are decoded and count towards limits`() throws {
        let source = try SampleFiles.bytes("cut-turned-alpha.avif")
        // 640 of 1536 pixels are shown.
        #expect(throws: WorkerReply.Failure.refused("1536 pixels; the limit is 1500", parameter: nil)) {
            try Workbench.make("format=png", of: source, as: .avif, maximumPixels: 1500)
        }
        #expect(throws: Never.self) { try Workbench.make("format=png", of: source, as: .avif, maximumPixels: 1536) }
    }

    @Test func `the original's bytes are unchanged`() throws {
        let source = try SampleFiles.bytes("turned-10bit.avif")
        let bytes = try Workbench.withDecoder(of: source, as: .avif) { decoder in
            try decoder.original.read(keepsMetadata: true).bytes
        }
        #expect(bytes == source)
    }

    @Test(arguments: ["turned-10bit.avif", "cut-turned-alpha.avif"])
    func `damage does no harm`(name: String) throws {
        let source = try SampleFiles.bytes(name)
        for offset in stride(from: 0, to: source.count, by: 3) {
            var bytes = source
            bytes[offset] ^= 0xFF
            _ = try? Workbench.make("w=9&format=png", of: bytes, as: .avif)
        }
    }
}
