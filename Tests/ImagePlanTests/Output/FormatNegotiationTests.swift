import ImagePlan
import Testing

@Suite(.timeLimit(.minutes(1)))
struct FormatNegotiationTests {
    private func choose(
        _ query: String,
        bucket: FormatBucket = .rest,
        source: ImageFormat,
        alpha: Bool? = false,
        frames: Int = 1,
        size: PixelSize? = nil
    ) throws -> ImageFormat {
        let plan = try RequestLanguage.parse(query: query, options: ParseOptions()).plan
        return FormatNegotiation.choose(
            plan.settings.format,
            bucket: bucket,
            sourceFormat: source,
            hasAlpha: alpha,
            frames: frames,
            plan: plan,
            outputSize: size
        )
    }

    @Test(arguments: [
        (ImageFormat.jpeg, false, 1, ImageFormat.jpeg), (.png, false, 1, .png), (.png, true, 1, .png),
        (.gif, false, 1, .gif),
        (.gif, true, 9, .gif), (.webp, false, 1, .jpeg), (.webp, true, 1, .png), (.webp, false, 9, .gif),
        (.webp, true, 9, .gif),
        (.avif, false, 1, .jpeg), (.heic, true, 1, .png), (.tiff, false, 1, .jpeg), (.bmp, false, 1, .jpeg),
        (.svg, true, 1, .png),
        (.pdf, false, 1, .jpeg),
    ])
    func `answers the rest with what every client shows`(
        source: ImageFormat,
        alpha: Bool,
        frames: Int,
        expected: ImageFormat
    ) throws {
        #expect(try choose("w=3", source: source, alpha: alpha, frames: frames) == expected)
    }

    @Test func `a plan that makes alpha never chooses JPEG`() throws {
        for source in ImageFormat.allCases {
            #expect(try choose("round=5", source: source) != .jpeg)
            #expect(try choose("w=3&h=3&fit=pad", source: source) != .jpeg)
        }
        #expect(try choose("round=5", source: .jpeg) == .png)
        #expect(try choose("round=5&bg=fff", source: .jpeg) == .jpeg)
        #expect(try choose("bg=fff", source: .webp, alpha: true) == .jpeg)
    }

    @Test func `unknown alpha is not lost`() throws {
        #expect(try choose("w=3", source: .heic, alpha: nil) == .png)
    }

    @Test func `WebP answers its bucket, and AVIF's for now`() throws {
        for source in ImageFormat.allCases {
            #expect(try choose("w=3", bucket: .webp, source: source) == .webp)
            #expect(try choose("w=3", bucket: .avif, source: source) == .webp)
        }
    }

    @Test func `a picture too long for WebP is answered as by the rest`() throws {
        #expect(try choose("w=3", bucket: .webp, source: .jpeg, size: PixelSize(width: 16_383, height: 1)) == .webp)
        #expect(try choose("w=3", bucket: .webp, source: .jpeg, size: PixelSize(width: 1, height: 16_384)) == .jpeg)
    }

    @Test func `a format that is asked for is given`() throws {
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
    func `source keeps a format that is encoded here`(source: ImageFormat, expected: ImageFormat) throws {
        #expect(try choose("format=source", bucket: .webp, source: source) == expected)
    }
}
