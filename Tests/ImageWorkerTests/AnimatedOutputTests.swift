import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// Animations as APNG and AVIF, and ranges of frames.
@Suite(.timeLimit(.minutes(1)))
struct AnimatedOutputTests {
    /// Five frames of 40×24: a square that moves over a gradient, with a transparent corner.
    private static func pixel(_ frame: Int, _ x: Int, _ y: Int) -> [UInt8] {
        if x < 8, y < 8 { return [0, 0, 0, 0] }
        let isSquare = (frame * 6 + 8..<frame * 6 + 16).contains(x) && (8..<16).contains(y)
        return isSquare ? [250, 40, 20, 255] : [UInt8(x * 5), UInt8(y * 9), 128, 255]
    }

    private static let frames = (0..<5).map { frame in PixelImage(width: 40, height: 24) { pixel(frame, $0, $1) } }

    /// The frames as an animated PNG of 100, 200, … 500 ms that plays three times.
    private static let source: [UInt8] = {
        let shown = frames.enumerated().map { index, image in
            var frame = TestImages.PNGFrame(40, 24, [0, 0, 0, 0])
            frame.rgba = image.bytes
            frame.delay = (index + 1, 10)
            return frame
        }
        return TestImages.animatedPNG(width: 40, height: 24, frames: shown, rounds: 3)
    }()

    private func frame(_ index: Int, of stack: PixelImage) -> PixelImage {
        PixelImage(width: 40, height: 24, channels: stack.channels) { stack[$0, index * 24 + $1] }
    }

    @Test func `an animated PNG is exact, with delays and loop count`() throws {
        let made = try Workbench.make("format=png", of: Self.source, as: .png)
        #expect(made.description.frames == 5 && made.description.hasAlpha)
        let metadata = try Workbench.metadata(made)
        #expect(metadata.integers("delay") == [100, 200, 300, 400, 500] && metadata.integer("loop") == 3)
        let stack = try Workbench.decode(made)
        for index in 0..<5 { #expect(frame(index, of: stack).bytes == Self.frames[index].bytes, "\(index)") }
        // Only the square changes from frame to frame.
        #expect(made.bytes.count < 2 * Workbench.png(Self.frames[0]).count)
        guard case .image(let header) = ImageSniffer.sniff(made.bytes.span, totalLength: made.bytes.count) else {
            Issue.record("not a PNG")
            return
        }
        #expect(header.frames == 5 && header.width == 40 && header.height == 24)
    }

    @Test func `few colours are encoded with a palette, many without, and both are exact`() throws {
        let flat = (0..<3).map { frame in
            PixelImage(width: 20, height: 10) { x, y in
                x == frame * 5 ? [255, 0, 0, 128] : y < 5 ? [0, 90, 0, 255] : [0, 0, 0, 0]
            }
        }
        let frames = flat.map { image in
            var frame = TestImages.PNGFrame(20, 10, [0, 0, 0, 0])
            frame.rgba = image.bytes
            return frame
        }
        let file = TestImages.animatedPNG(width: 20, height: 10, frames: frames)
        let made = try Workbench.make("format=png", of: file, as: .png)
        #expect(made.bytes[25] == 3)
        let stack = try Workbench.decode(made)
        for index in 0..<3 {
            for (x, y) in [(index * 5, 2), (index * 5, 8), (1, 1), (1, 8)] {
                let (shown, expected) = (stack[x, index * 10 + y], flat[index][x, y])
                #expect(shown == expected, "\(index): \(x), \(y)")
            }
        }
        #expect(try Workbench.make("format=png", of: Self.source, as: .png).bytes[25] == 6)
    }

    @Test func `equal frames and long delays are kept`() throws {
        var frame = TestImages.PNGFrame(8, 8, [9, 8, 7, 255])
        frame.delay = (100, 1)
        let file = TestImages.animatedPNG(width: 8, height: 8, frames: [frame, frame, frame])
        let made = try Workbench.make("format=png", of: file, as: .png)
        #expect(try Workbench.metadata(made).integers("delay") == [100_000, 100_000, 100_000])
        #expect(made.description.frames == 3)
    }

    @Test func `an AVIF sequence keeps frames, delays, loop count and transparency`() throws {
        let made = try Workbench.make("format=avif&q=90&chroma=444&effort=2", of: Self.source, as: .png)
        #expect(made.description.frames == 5 && made.description.hasAlpha)
        let metadata = try Workbench.metadata(made)
        #expect(metadata.integers("delay") == [100, 200, 300, 400, 500] && metadata.integer("loop") == 3)
        let stack = try Workbench.decode(made)
        #expect(stack.height == 120)
        for index in 0..<5 {
            let shown = frame(index, of: stack)
            #expect(shown.alpha(3, 3) < 8 && shown.alpha(30, 20) > 248, "\(index)")
            #expect(ImageComparison.meanDifference(Self.opaque(shown), Self.opaque(Self.frames[index])) < 4, "\(index)")
        }
        // libheif reads the first frame as the still image.
        let first = try Workbench.decode(Workbench.make("frame=0&format=png", of: made.bytes, as: .avif))
        #expect(ImageComparison.meanDifference(Self.opaque(first), Self.opaque(frame(0, of: stack))) < 2)
    }

    @Test func `colours under transparency do not show at visible edges of an AVIF sequence`() throws {
        let frames = (0..<3).map { index in
            PixelImage(width: 80, height: 60) { x, y in
                let isInside = (x - 30 - 8 * index) * (x - 30 - 8 * index) + (y - 30) * (y - 30) < 400
                return isInside ? [200, 60, 60, 255] : [0, 255, 0, 0]
            }
        }
        let source = TestImages.animatedPNG(
            width: 80,
            height: 60,
            frames: frames.map { image in
                var frame = TestImages.PNGFrame(80, 60, [0, 0, 0, 0])
                frame.rgba = image.bytes
                return frame
            }
        )
        let stack = try Workbench.decode(Workbench.make("format=avif&chroma=420", of: source, as: .png))
        var worst = 0
        for (index, frame) in frames.enumerated() {
            for y in 0..<60 {
                for x in 0..<80 where frame.alpha(x, y) == 255 {
                    for channel in 0..<3 {
                        worst = max(worst, abs(Int(stack[x, index * 60 + y][channel]) - Int(frame[x, y][channel])))
                    }
                }
            }
        }
        #expect(worst <= 8, "\(worst)")
    }

    /// The image over grey.
    private static func opaque(_ image: PixelImage) -> PixelImage {
        PixelImage(width: image.width, height: image.height, channels: 3) { x, y in
            let pixel = image[x, y].map { Int($0) }
            return (0..<3).map { UInt8((pixel[$0] * pixel[3] + 128 * (255 - pixel[3])) / 255) }
        }
    }

    @Test(arguments: [0, 1, 7, 65_535])
    func `an AVIF sequence has the requested loop count`(rounds: Int) throws {
        let made = try Workbench.make("format=avif&loop=\(rounds)", of: Self.source, as: .png)
        #expect(try Workbench.metadata(made).integer("loop") == rounds)
        #expect(try Workbench.decode(made).height == 120)
    }

    @Test func `aom's real-time mode is used where it neither crashes nor claims to be lossless`() {
        let speeds = (0...3).map { AVIFTuning.animation(quality: 60, effort: $0).speed }
        #expect(speeds == [9, 8, 6, 6])
        #expect((0...3).allSatisfy { AVIFTuning.animation(quality: 100, effort: $0).speed == 6 })
    }

    @Test(arguments: 0...4)
    func `a lossless AVIF sequence is exact with low efforts, too`(effort: Int) throws {
        let query = "lossless=1&bg=fff&enlarge=1&w=96&effort=\(effort)"
        let made = try Workbench.make(query + "&format=avif", of: Self.source, as: .png)
        #expect(made.description.frames == 5)
        let shown = try Workbench.decode(made)
        let exact = try Workbench.pixels("bg=fff&enlarge=1&w=96", of: Self.source, as: .png)
        #expect(shown.width == exact.width && shown.height == exact.height)
        var different = 0
        for y in 0..<exact.height {
            for x in 0..<exact.width where shown[x, y].prefix(3) != exact[x, y].prefix(3) { different += 1 }
        }
        #expect(different == 0)
    }

    @Test func `max_bytes and q=auto apply to AVIF sequences`() throws {
        let large = try Workbench.make("format=avif&q=95", of: Self.source, as: .png).bytes.count
        let made = try Workbench.make("format=avif&q=95&max_bytes=\(large - 1)", of: Self.source, as: .png)
        #expect(made.bytes.count < large && made.description.frames == 5)
        let found = try Workbench.make("format=avif&q=auto", of: Self.source, as: .png)
        #expect(found.description.frames == 5 && found.description.quality != nil)
    }

    @Test func `AVIF sequences and animated PNGs contain the metadata that the request keeps`() throws {
        let frames = try [99, 200].map { (grey: UInt8) in
            try Raster.sRGB([UInt8](repeating: grey, count: 192), width: 8, height: 8, bands: 3)
        }
        let tagged = try Workbench.tagged(
            Raster.stacked(frames).withMetadata { metadata in
                metadata.set("page-height", 8)
                metadata.set("n-pages", 2)
                metadata.set("delay", [100, 100])
            },
            as: .webp
        )
        for format in ["avif", "png"] {
            let kept = try Workbench.make("format=\(format)&meta=keep", of: tagged, as: .webp)
            #expect(kept.description.frames == 2)
            #expect(kept.bytes.firstRange(of: Array("Someone".utf8)) != nil, "\(format)")
            #expect(kept.bytes.firstRange(of: Array("x:xmpmeta".utf8)) != nil, "\(format)")
            let stripped = try Workbench.make("format=\(format)", of: tagged, as: .webp)
            #expect(stripped.bytes.firstRange(of: Array("Someone".utf8)) == nil, "\(format)")
        }
    }

    @Test(arguments: ["gif", "webp", "png", "avif"])
    func `a range keeps its frames and their delays`(format: String) throws {
        let made = try Workbench.make("frames=1-3&format=\(format)&q=95&bg=808080", of: Self.source, as: .png)
        #expect(made.description.frames == 3)
        #expect(try Workbench.metadata(made).integers("delay") == [200, 300, 400])
        let stack = try Workbench.decode(made)
        for index in 0..<3 {
            let shown = stack[12 + (index + 1) * 6, index * 24 + 12]
            #expect(shown[0] > 200 && shown[1] < 90, "\(format) \(index): \(shown)")
        }
        // The same of a file in that format.
        let whole = try Workbench.make("format=\(format)&q=95&bg=808080", of: Self.source, as: .png)
        let source = try #require(whole.description.format.image)
        let part = try Workbench.make("frames=3-9&format=png", of: whole.bytes, as: source)
        #expect(part.description.frames == 2)
        #expect(try Workbench.metadata(part).integers("delay") == [400, 500])
        let last = try Workbench.decode(part)[12 + 4 * 6, 24 + 12]
        #expect(last[0] > 200 && last[1] < 90, "\(format): \(last)")
    }

    @Test func `a range can be reversed, sped up and reduced`() throws {
        let made = try Workbench.make("frames=1-3&reverse=1&speed=2&format=png", of: Self.source, as: .png)
        #expect(try Workbench.metadata(made).integers("delay") == [200, 150, 100])
        // The cost of decoding four frames and keeping two, of 960 pixels each.
        let cost = 960 * (4 * 6 + 2 * 16) / 16
        let few = try Workbench.make("frames=1-3&format=webp&q=90", of: Self.source, as: .png, maximumAnimation: cost)
        #expect(few.description.frames == 2)
        // Frames 1 and 2: the second is shown for its delay and that of the third.
        #expect(try Workbench.metadata(few).integers("delay") == [200, 700])
    }
}
