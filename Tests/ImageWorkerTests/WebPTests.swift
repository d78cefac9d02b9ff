import CVips
import CWebP
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

@Suite(.timeLimit(.minutes(2)))
struct WebPTests {
    private static let picture = PixelImage(width: 120, height: 90) { x, y in
        [UInt8(x * 2), UInt8(y * 2), UInt8((x * y) & 255), UInt8(min(255, x * 4))]
    }
    private let source = Workbench.png(picture)

    private func options(_ query: String, _ webp: WebPOptions = WebPOptions()) throws -> EncodingOptions {
        let plan = try RequestLanguage.parse(query: query, options: ParseOptions()).plan
        let deadline = Deadline(milliseconds: 60_000)
        return EncodingOptions(plan, QualityDefaults(webpOptions: webp), format: .webp, deadline: deadline)
    }

    private func encode(_ query: String, _ webp: WebPOptions = WebPOptions()) throws -> [UInt8] {
        let picture = try FinishedPicture(
            frames: [Raster.sRGB(Self.picture.bytes, width: 120, height: 90, bands: 4)],
            animation: nil,
            filter: MetadataFilter(policy: .strip)
        )
        return try WebPCoder().encode(picture, options(query, webp)).copy
    }

    @Test func `a request overrides the operator, and the operator overrides libwebp`() throws {
        var webp = WebPOptions()
        (webp.method, webp.alphaQuality, webp.nearLossless, webp.snsStrength) = (5, 40, 70, 10)
        (webp.segments, webp.filterStrength, webp.targetPSNR, webp.exact) = (2, 33, 44, true)
        let plain = try WebPConfiguration.make(options("w=1", webp), targetBytes: nil)
        #expect(plain.method == 5 && plain.alpha_quality == 40 && plain.sns_strength == 10 && plain.segments == 2)
        #expect(plain.filter_strength == 33 && plain.target_PSNR == 44 && plain.exact == 1 && plain.lossless == 0)
        #expect(plain.quality == 79 && plain.thread_level == 0 && plain.use_sharp_yuv == 0)
        let asked = try WebPConfiguration.make(
            options("w=1&q=33&effort=9&alpha_q=5&sharp_yuv=1", webp),
            targetBytes: nil
        )
        #expect(asked.method == 6 && asked.alpha_quality == 5 && asked.use_sharp_yuv == 1 && asked.quality == 33)
        let near = try WebPConfiguration.make(options("near_lossless=20", webp), targetBytes: nil)
        #expect(near.lossless == 1 && near.near_lossless == 20)
        let lossless = try WebPConfiguration.make(options("lossless=1", webp), targetBytes: nil)
        #expect(lossless.lossless == 1 && lossless.near_lossless == 70)
        webp.lossless = true
        #expect(try WebPConfiguration.make(options("w=1", webp), targetBytes: nil).lossless == 1)
        #expect(try WebPConfiguration.make(options("q=50", webp), targetBytes: nil).lossless == 0)
    }

    @Test func `libwebp accepts every option at both ends of its range`() throws {
        for (path, range) in WebPOptions.numbers {
            for value in [range.lowerBound, range.upperBound] {
                var webp = WebPOptions()
                webp[keyPath: path] = value
                #expect(throws: Never.self) { try WebPConfiguration.make(options("w=1", webp), targetBytes: nil) }
            }
        }
    }

    @Test func `settings have their documented effect`() throws {
        let plain = try encode("w=1")
        #expect(try encode("effort=6").count < encode("effort=0").count)
        #expect(try encode("alpha_q=0").count < plain.count)
        #expect(try encode("sharp_yuv=1") != plain)
        #expect(try encode("near_lossless=0").count < encode("lossless=1").count)
        #expect(try encode("q=20").count < plain.count)
    }

    @Test func `colours under full transparency are kept only with the operator's exact option`() throws {
        var webp = WebPOptions()
        let lossy = try Workbench.decode(encode("lossless=1", webp), as: .webp)
        webp.exact = true
        let exact = try Workbench.decode(encode("lossless=1", webp), as: .webp)
        #expect(exact == Self.picture)
        #expect(lossy != Self.picture)
        for y in 0..<90 { for x in 1..<120 { #expect(lossy[x, y] == Self.picture[x, y]) } }
    }

    @Test(arguments: [("strip", []), ("copyright", ["EXIF"]), ("keep", ["EXIF", "XMP "])] as [(String, [String])])
    func `meta selects the chunks of a file`(policy: String, expected: [String]) throws {
        let rgb = Self.picture.bytes.enumerated().filter { $0.offset % 4 < 3 }.map(\.element)
        let tagged = try Workbench.tagged(Raster.sRGB(rgb, width: 120, height: 90, bands: 3), as: .jpeg)
        let query = policy == "strip" ? "format=webp" : "meta=\(policy)&format=webp"
        let made = try Workbench.make(query, of: tagged, as: .jpeg)
        var names: [String] = []
        var place = 12
        while place + 8 <= made.bytes.count {
            names.append(String(decoding: made.bytes[place..<place + 4], as: UTF8.self))
            let size = (0..<4).reduce(0) { $0 | Int(made.bytes[place + 4 + $1]) << (8 * $1) }
            place += 8 + size + size % 2
        }
        #expect(names.filter { ["ICCP", "EXIF", "XMP "].contains($0) } == expected)
        #expect(try Workbench.decode(made).width == 120)
        let metadata = try Workbench.metadata(made)
        #expect(metadata.has("exif-ifd0-Copyright") == (policy != "strip"))
        #expect(metadata.has("exif-ifd0-Make") == (policy == "keep"))
    }

    @Test func `encoding stops at the deadline`() throws {
        #expect(throws: WorkerReply.Failure.deadline) {
            let picture = try FinishedPicture(
                frames: [Raster.sRGB(Self.picture.bytes, width: 120, height: 90, bands: 4).inMemory()],
                animation: nil,
                filter: MetadataFilter(policy: .strip)
            )
            var slow = try options("effort=6")
            slow = EncodingOptions(quality: slow.quality, deadline: Deadline(milliseconds: 0))
            _ = try WebPCoder().encode(picture, slow)
        }
    }

    @Test(.enabled(if: SharedImages.isAvailable))
    func `keeps ninety-nine frames with their delays`() throws {
        let source = try Workbench.photograph("animated-99-frames.webp")
        let before = try Workbench.metadata(Workbench.made(source, as: .webp))
        let made = try Workbench.make("w=32&format=webp", of: source, as: .webp)
        let after = try Workbench.metadata(made)
        #expect(after.integers("delay") == before.integers("delay"))
        #expect(after.integer("loop") == before.integer("loop"))
    }

    @Test(
        .enabled(if: SharedImages.isAvailable),
        arguments: ["dispose-background.gif", "dispose-previous.gif", "trans-x.gif", "cogs.gif"]
    )
    func `frames are decoded like libwebp's player shows them`(name: String) throws {
        let made = try Workbench.make("lossless=1&format=webp", of: Workbench.photograph(name), as: .gif)
        #expect(made.bytes.count > 100)
        let shown = try Workbench.decode(made)
        let expected = try Self.played(made.bytes)
        #expect(expected.count == made.description.frames)
        for (index, frame) in expected.enumerated() {
            let own = shown.cropped(x: 0, y: index * frame.height, width: frame.width, height: frame.height)
            var worst = 0
            for pixel in 0..<frame.width * frame.height {
                let alpha = Int(frame.bytes[pixel * 4 + 3])
                let ownAlpha = own.channels == 4 ? Int(own.bytes[pixel * 4 + 3]) : 255
                worst = max(worst, abs(alpha - ownAlpha))
                for channel in 0..<3 where alpha > 0 {
                    let difference =
                        Int(frame.bytes[pixel * 4 + channel]) - Int(own.bytes[pixel * own.channels + channel])
                    worst = max(worst, abs(difference))
                }
            }
            #expect(worst <= 1, "\(name), frame \(index)")
        }
    }

    /// All frames in RGBA as composed by WebPAnimDecoder.
    private static func played(_ file: [UInt8]) throws -> [PixelImage] {
        var frames: [PixelImage] = []
        unsafe file.withUnsafeBufferPointer { bytes in
            var data = unsafe WebPData(bytes: bytes.baseAddress, size: bytes.count)
            guard let decoder = unsafe WebPAnimDecoderNew(&data, nil) else { return }
            defer { unsafe WebPAnimDecoderDelete(decoder) }
            var info = WebPAnimInfo()
            unsafe WebPAnimDecoderGetInfo(decoder, &info)
            while unsafe WebPAnimDecoderHasMoreFrames(decoder) != 0 {
                var buffer: UnsafeMutablePointer<UInt8>?
                var time: CInt = 0
                guard unsafe WebPAnimDecoderGetNext(decoder, &buffer, &time) != 0, let buffer = unsafe buffer else {
                    return
                }
                let (width, height) = (Int(info.canvas_width), Int(info.canvas_height))
                let pixels = unsafe Array(UnsafeBufferPointer(start: buffer, count: width * height * 4))
                frames.append(PixelImage(width: width, height: height, channels: 4, bytes: pixels))
            }
        }
        return frames
    }

    @Test func `a frame's time is limited to the format's range`() throws {
        let picture = try Raster.sRGB(Self.picture.bytes, width: 120, height: 90, bands: 4)
        let stack = try Raster.stacked([picture, picture]).withMetadata { $0.set("delay", [Int(CInt.max), -5]) }
        let animation = Animation(of: stack)
        #expect((0..<3).map { animation.delay(ofFrame: $0) } == [16_777_215, 0, 100])
        let frames = try [picture, picture.flipped(VIPS_DIRECTION_HORIZONTAL)]
        let encoder = try WebPEncoder(
            configuration: WebPConfiguration.make(options("w=1"), targetBytes: nil),
            deadline: Deadline(milliseconds: 60_000)
        )
        let (file, _) = try encoder.encode(frames, animation)
        #expect(try Self.played(file.copy).count == 2)
    }

    @Test func `an animation keeps its metadata, too`() throws {
        let gif = TestImages.gif(
            width: 8,
            height: 8,
            palette: [(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0)],
            frames: (0..<3).map { [UInt8](repeating: UInt8($0), count: 64) },
            delays: [5, 0, 20],
            loop: 0
        )
        let made = try Workbench.make("format=webp&meta=keep", of: gif, as: .gif)
        #expect(made.description.frames == 3)
        let metadata = try Workbench.metadata(made)
        #expect(metadata.integer("n-pages") == 3)
        #expect(!metadata.has("exif-data"), "none is invented")
    }
}
