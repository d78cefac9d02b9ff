import ImagePlan
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct FormatNegotiationTests {
    /// The encoders of a worker with all libraries.
    private static let all: [ImageFormat: EncoderTraits] = [
        .jpeg: EncoderTraits(hasAlpha: false, hasAnimation: false, isLosslessPossible: false, longestSide: 65_535),
        .png: EncoderTraits(hasAlpha: true, hasAnimation: false, isLosslessPossible: true, longestSide: 1_000_000),
        .gif: EncoderTraits(hasAlpha: true, hasAnimation: true, isLosslessPossible: true, longestSide: 65_535),
        .webp: EncoderTraits(hasAlpha: true, hasAnimation: true, isLosslessPossible: true, longestSide: 16_383),
        .avif: EncoderTraits(hasAlpha: true, hasAnimation: false, isLosslessPossible: true, longestSide: 16_384),
        .jxl: EncoderTraits(hasAlpha: true, hasAnimation: false, isLosslessPossible: true, longestSide: 65_535),
    ]

    private func choose(
        _ query: String,
        bucket: FormatBucket = .rest,
        source: ImageFormat,
        alpha: Bool? = false,
        frames: Int = 1,
        size: PixelSize? = nil,
        encoders: [ImageFormat: EncoderTraits] = all
    ) throws -> ImageFormat {
        let plan = try RequestLanguage.parse(query: query, options: ParseOptions()).plan
        return FormatNegotiation.choose(
            plan.settings.format,
            bucket: bucket,
            sourceFormat: source,
            hasAlpha: alpha,
            frames: frames,
            plan: plan,
            outputSize: size,
            encoders: EncoderTable(encoders)
        )
    }

    @Test(arguments: [
        (ImageFormat.jpeg, false, 1, ImageFormat.jpeg), (.png, false, 1, .png), (.png, true, 1, .png),
        (.gif, false, 1, .gif),
        (.gif, true, 9, .gif), (.png, false, 9, .gif), (.png, true, 9, .gif), (.webp, false, 1, .jpeg),
        (.webp, true, 1, .png), (.webp, false, 9, .gif),
        (.webp, true, 9, .gif),
        (.avif, false, 1, .jpeg), (.heic, true, 1, .png), (.tiff, false, 1, .jpeg), (.bmp, false, 1, .jpeg),
        (.svg, true, 1, .png),
        (.pdf, false, 1, .jpeg),
    ])
    func `chooses a universal format for other clients`(
        source: ImageFormat,
        alpha: Bool,
        frames: Int,
        expected: ImageFormat
    ) throws {
        #expect(try choose("w=3", source: source, alpha: alpha, frames: frames) == expected)
    }

    @Test func `never chooses JPEG for a plan that adds alpha`() throws {
        for source in ImageFormat.allCases {
            #expect(try choose("round=5", source: source) != .jpeg)
            #expect(try choose("w=3&h=3&fit=pad", source: source) != .jpeg)
        }
        #expect(try choose("round=5", source: .jpeg) == .png)
        #expect(try choose("round=5&bg=fff", source: .jpeg) == .jpeg)
        #expect(try choose("bg=fff", source: .webp, alpha: true) == .jpeg)
    }

    @Test func `keeps unknown alpha`() throws {
        #expect(try choose("w=3", source: .heic, alpha: nil) == .png)
    }

    @Test func `chooses WebP and AVIF for their buckets`() throws {
        for source in ImageFormat.allCases {
            for alpha in [true, false] {
                #expect(try choose("w=3", bucket: .webp, source: source, alpha: alpha) == .webp)
                #expect(try choose("w=3", bucket: .avif, source: source, alpha: alpha) == .avif)
            }
        }
    }

    @Test func `chooses WebP in AVIF's bucket if AVIF is larger, unsuitable or unavailable`() throws {
        #expect(try choose("w=3", bucket: .avif, source: .gif, frames: 3) == .webp)
        #expect(try choose("w=3&lossless=1", bucket: .avif, source: .png) == .webp)
        let none = Self.all.filter { $0.key != .avif }
        #expect(try choose("w=3", bucket: .avif, source: .png, encoders: none) == .webp)
        let rest = none.filter { $0.key != .webp }
        #expect(try choose("w=3", bucket: .avif, source: .png, encoders: rest) == .png)
        // AVIF's longest side is one more than WebP's.
        #expect(try choose("w=3", bucket: .avif, source: .jpeg, size: PixelSize(width: 16_384, height: 1)) == .avif)
        #expect(try choose("w=3", bucket: .avif, source: .jpeg, size: PixelSize(width: 16_385, height: 1)) == .jpeg)
    }

    @Test func `chooses JPEG XL for photographs, and AVIF for drawings and transparency`() throws {
        for source in ImageFormat.allCases {
            let isPhotograph = [.jpeg, .webp, .avif, .heic, .jxl, .jp2, .tiff].contains(source)
            for alpha in [true, false] {
                // The headers of these two do not tell of transparency.
                let isUnknown = source == .jxl || source == .jp2
                let expected = isPhotograph && (!alpha || isUnknown) ? ImageFormat.jxl : .avif
                #expect(try choose("w=3", bucket: .avifJXL, source: source, alpha: alpha) == expected)
                #expect(try choose("w=3", bucket: .jxl, source: source, alpha: alpha) == .jxl)
            }
        }
        #expect(try choose("round=5", bucket: .avifJXL, source: .jpeg) == .avif)
        #expect(try choose("round=5&bg=fff", bucket: .avifJXL, source: .jpeg) == .jxl)
    }

    @Test(arguments: [FormatBucket.jxl, .avifJXL])
    func `chooses the next format where JPEG XL is larger, unsuitable or unavailable`(bucket: FormatBucket) throws {
        #expect(try choose("w=3", bucket: bucket, source: .gif, frames: 3) == .webp)
        #expect(try choose("w=3&lossless=1", bucket: bucket, source: .png) == .webp)
        #expect(try choose("w=3", bucket: bucket, source: .jpeg, size: PixelSize(width: 65_535, height: 1)) == .jxl)
        let others = Self.all.filter { $0.key != .jxl }
        #expect(try choose("w=3", bucket: bucket, source: .jpeg, encoders: others) == (bucket.hasAVIF ? .avif : .webp))
    }

    @Test func `an image too long for WebP gets a universal format`() throws {
        #expect(try choose("w=3", bucket: .webp, source: .jpeg, size: PixelSize(width: 16_383, height: 1)) == .webp)
        #expect(try choose("w=3", bucket: .webp, source: .jpeg, size: PixelSize(width: 1, height: 16_384)) == .jpeg)
    }

    @Test func `a format requested by name is used`() throws {
        for (name, format) in [
            ("jpeg", ImageFormat.jpeg), ("png", .png), ("webp", .webp), ("avif", .avif), ("gif", .gif),
        ] {
            #expect(try choose("round=5&format=\(name)", bucket: .webp, source: .bmp) == format)
        }
    }

    @Test(arguments: [
        (ImageFormat.jpeg, ImageFormat.jpeg), (.png, .png), (.gif, .gif), (.webp, .webp), (.avif, .avif),
        (.heic, .jpeg), (.bmp, .jpeg),
        (.tiff, .jpeg),
    ])
    func `source keeps a format that has an encoder`(source: ImageFormat, expected: ImageFormat) throws {
        #expect(try choose("format=source", bucket: .webp, source: source) == expected)
    }

    @Test func `source keeps no TIFF, which no browser shows`() throws {
        var encoders = Self.all
        encoders[.tiff] = EncoderTraits(
            hasAlpha: true,
            hasAnimation: false,
            isLosslessPossible: true,
            longestSide: 65_535
        )
        #expect(try choose("w=3&format=source", source: .tiff, encoders: encoders) == .jpeg)
        #expect(try choose("w=3&format=source", source: .tiff, alpha: true, encoders: encoders) == .png)
        #expect(try choose("w=3&format=tiff", source: .tiff, encoders: encoders) == .tiff)
        #expect(try choose("w=3&format=source", source: .jxl, encoders: encoders) == .jxl)
    }

    @Test func `never negotiates a format without an encoder, but keeps one requested by name`() throws {
        let none = Self.all.filter { $0.key != .webp }
        #expect(try choose("w=3", bucket: .webp, source: .jpeg, encoders: none) == .jpeg)
        #expect(try choose("w=3", bucket: .webp, source: .webp, alpha: true, frames: 3, encoders: none) == .gif)
        #expect(try choose("format=webp", source: .jpeg, encoders: none) == .webp)
        #expect(try choose("format=source", source: .webp, encoders: none) == .jpeg)
        let withoutGIF = Self.all.filter { $0.key != .gif }
        #expect(try choose("w=3", source: .gif, alpha: true, frames: 3, encoders: withoutGIF) == .png)
    }

    @Test func `never chooses an unsuitable encoder`() throws {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<5_000 {
            let encoders = Self.all.filter { $0.key == .png || Bool.random(using: &generator) }
            let source = ImageFormat.allCases.randomElement(using: &generator) ?? .jpeg
            let alpha = Bool.random(using: &generator)
            let frames = Bool.random(using: &generator) ? 1 : 5
            let side = [100, 16_383, 16_384, 65_535, 65_536].randomElement(using: &generator) ?? 1
            let query = ["w=3", "lossless=1"].randomElement(using: &generator) ?? ""
            let chosen = try choose(
                query,
                bucket: FormatBucket.allCases.randomElement(using: &generator) ?? .rest,
                source: source,
                alpha: alpha,
                frames: frames,
                size: PixelSize(width: side, height: 1),
                encoders: encoders
            )
            let traits = try #require(encoders[chosen])
            #expect(traits.longestSide >= side)
            #expect(traits.hasAlpha || !alpha)
            #expect(traits.isLosslessPossible || query != "lossless=1")
            // Frames are dropped last, if no encoder for the bucket keeps them.
            if frames > 1, encoders[.gif] != nil, side <= 65_535 { #expect(traits.hasAnimation) }
        }
    }

    @Test func `lossless chooses a lossless format`() throws {
        #expect(try choose("lossless=1", source: .jpeg) == .png)
        #expect(try choose("lossless=1", bucket: .webp, source: .jpeg) == .webp)
    }
}
