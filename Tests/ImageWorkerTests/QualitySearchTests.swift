import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// `q=auto` and `auto: smallest`, on real encoders.
@Suite(.timeLimit(.minutes(2)))
struct QualitySearchTests {
    /// Waves and noise, which are expensive for lossy formats.
    private static let texture = opaque(texturePicture(seed: 3, amplitude: 40))
    /// Two colours, sharp edges.
    private static let drawing = opaque(
        PixelImage(width: 200, height: 160) { x, y in
            (x / 23 + y / 31).isMultiple(of: 2) ? [240, 240, 240, 255] : [20, 60, 160, 255]
        }
    )

    /// Four frames of stripes that move, in a palette of four greys.
    private static let animation = TestImages.gif(
        width: 96,
        height: 64,
        palette: [(0, 0, 0), (80, 80, 80), (160, 160, 160), (240, 240, 240)],
        frames: (0..<4).map { stripes(shiftedBy: $0) },
        delays: [5, 5, 5, 5],
        loop: 0
    )

    /// A PNG without an alpha band.
    private static func opaque(_ picture: PixelImage) -> [UInt8] {
        (try? Workbench.make("bg=ffffff&format=png", of: Workbench.png(picture), as: .png))?.bytes ?? []
    }

    private static func stripes(shiftedBy shift: Int) -> [UInt8] {
        var pixels: [UInt8] = []
        for y in 0..<64 {
            for x in 0..<96 { pixels.append(UInt8((x / 5 + y / 7 + shift) % 4)) }
        }
        return pixels
    }

    private static func texturePicture(seed: UInt64, amplitude: Int) -> PixelImage {
        var generator = SeededGenerator(seed: seed)
        return PixelImage(width: 160, height: 120) { x, y in
            let noise = Int.random(in: 0...amplitude, using: &generator)
            return [UInt8(clamping: x + noise), UInt8(clamping: 2 * y + noise), UInt8(clamping: 90 + noise), 255]
        }
    }

    private func make(
        _ query: String,
        of source: [UInt8],
        as format: ImageFormat = .png,
        bucket: FormatBucket = .rest,
        distance: Int = QualityDefaults.standardDistance,
        search: EncodingSearch = EncodingSearch(),
        milliseconds: Int = 20_000
    ) throws -> Workbench.Made {
        let plan = try RequestLanguage.parse(query: query, options: ParseOptions()).plan.canonicalText
        var quality = QualityDefaults()
        quality.distance = distance
        let output = WorkerJob.Output(plan: plan, bucket: bucket, quality: quality, search: search)
        return try Workbench.make(output, of: source, as: format, milliseconds: milliseconds)
    }

    private func score(_ picture: PixelImage, _ made: Workbench.Made) throws -> Double {
        try Workbench.score(picture, Workbench.decode(made))
    }

    @Test(arguments: ["jpeg", "webp", "avif", "jxl"])
    func `q=auto comes near the score, and a larger distance gives fewer bytes`(format: String) throws {
        let picture = try Workbench.pixels("", of: Self.texture)
        var last = Int.max
        for thousandths in [700, 1_000, 1_500, 2_000] {
            let made = try make("format=\(format)&q=auto", of: Self.texture, distance: thousandths)
            let quality = try #require(made.description.quality)
            let target = QualityDefaults.score(at: thousandths)
            let found = try score(picture, made)
            let isAtEnd = !QualitySteps.range.dropFirst().dropLast().contains(quality)
            #expect(abs(found - target) < 5 || isAtEnd, "\(thousandths): \(found) at \(quality)")
            #expect(made.description.score == Int((found * 10).rounded()))
            #expect((1...QualitySteps.most).contains(made.description.tries))
            #expect(made.bytes.count <= last)
            last = made.bytes.count
        }
        let plain = try make("format=\(format)", of: Self.texture)
        #expect(plain.description.quality != nil && plain.description.tries == 0 && plain.description.score == nil)
    }

    @Test(.enabled(if: Workbench.encodes(.jxl) && Workbench.decodes(.jxl)))
    func `the first guess for a JPEG XL needs no second try`() throws {
        // Slopes with edges, one half of them with more grain.
        let picture = PixelImage(width: 224, height: 160) { x, y in
            let noise = ((x * 7919) ^ (y * 6007) ^ (x * y * 31)) % 23
            let grain = x + 2 * y > 224 ? 6 * noise / 11 - 6 : noise / 11 - 1
            let edge = (x / 37 + y / 45).isMultiple(of: 3) ? 30 : 0
            let light = 60 + x / 2 + y / 4 + grain
            let colour: [Int] = [light + edge * 3, light - edge * 3 / 2, 180 - x / 3 + grain + edge, 255]
            return colour.map { UInt8(clamping: $0) }
        }
        let traits = unsafe picture.bytes.withUnsafeBytes {
            PerceptualScore(of: $0, width: picture.width, height: picture.height, bands: 4).traits
        }
        let known = try #require(traits)
        // As computed with Benchmarks/quality.py; it was 79.0 with the numbers fitted to another encoder's settings.
        let guess = QualityModel.of(.jxl).quality(for: 75, known)
        #expect(abs(guess - 74.6) < 0.5, "\(guess)")
        // libjxl 0.7 scores 73.3 at 70, 74.2 at 73, 75.4 at 77 and 75.7 at 79.
        let made = try make("format=jxl&q=auto", of: Self.opaque(picture))
        let quality = try #require(made.description.quality)
        let found = try score(picture, made)
        #expect(made.description.tries == 1 && (73...77).contains(quality), "\(quality)")
        #expect(abs(found - 75) < 1, "\(found)")
    }

    @Test func `a WebP with fine colours scores what only sharp_yuv reaches`() throws {
        // Saturated rectangles, whose edges subsampled chroma blurs.
        let picture = PixelImage(width: 160, height: 120) { x, y in
            (x / 11 + y / 7).isMultiple(of: 2) ? [220, 30, 40, 255] : [50, 90, 40, 255]
        }
        let source = Self.opaque(picture)
        let found = try make("format=webp&q=auto:best", of: source)
        let plain = try make("format=webp&q=95", of: source)
        let quality = try #require(found.description.quality)
        let sharp = try make("format=webp&q=\(quality)&sharp_yuv=1", of: source)
        #expect(found.bytes == sharp.bytes)
        #expect(try score(picture, found) > score(picture, plain) + 20)
        #expect(found.description.tries <= QualitySteps.most)
    }

    @Test func `a WebP is encoded without sharp_yuv where that scores more`() throws {
        // Fine stripes of equal luma, which no other luma imitates.
        let picture = PixelImage(width: 160, height: 120) { x, y in
            (x / 3 + y / 5).isMultiple(of: 2) ? [200, 60, 60, 255] : [60, 110, 70, 255]
        }
        let source = Self.opaque(picture)
        let found = try make("format=webp&q=auto:best", of: source)
        let quality = try #require(found.description.quality)
        let plain = try make("format=webp&q=\(quality)", of: source)
        #expect(found.bytes == plain.bytes)
        let sharp = try make("format=webp&q=\(quality)&sharp_yuv=1", of: source)
        #expect(try score(picture, found) > score(picture, sharp))
    }

    @Test func `animations with fine colours are encoded as they were scored`() throws {
        let rectangles: [[UInt8]] = (0..<3).map { (shift: Int) -> [UInt8] in
            var pixels: [UInt8] = []
            for y in 0..<120 {
                for x in 0..<160 { pixels.append(UInt8(((x + shift) / 11 + y / 7) % 2)) }
            }
            return pixels
        }
        let source = TestImages.gif(
            width: 160,
            height: 120,
            palette: [(220, 30, 40), (50, 90, 40), (0, 0, 0), (255, 255, 255)],
            frames: rectangles,
            delays: [5, 5, 5],
            loop: 0
        )
        let found = try make("format=webp&q=auto:best", of: source, as: .gif)
        let quality = try #require(found.description.quality)
        let sharp = try make("format=webp&q=\(quality)&sharp_yuv=1", of: source, as: .gif)
        #expect(found.bytes == sharp.bytes)
    }

    /// The root of the mean squared difference from a score of 75.
    private static func miss(_ scores: [Double]) -> Double {
        (scores.reduce(0) { $0 + ($1 - 75) * ($1 - 75) } / Double(scores.count)).squareRoot()
    }

    @Test(arguments: ["jpeg", "webp", "avif", "jxl"])
    func `scores of different images miss the target by much less than at a fixed quality`(format: String) throws {
        var (searched, fixed) = ([Double](), [Double]())
        for (seed, amplitude) in [(1, 6), (2, 12), (3, 24), (4, 40), (5, 60)] as [(UInt64, Int)] {
            let source = Self.opaque(Self.texturePicture(seed: seed, amplitude: amplitude))
            let picture = try Workbench.pixels("", of: source)
            try searched.append(score(picture, make("format=\(format)&q=auto", of: source)))
            try fixed.append(score(picture, make("format=\(format)", of: source)))
        }
        #expect(Self.miss(searched) <= 0.6 * Self.miss(fixed), "\(searched) \(fixed)")
    }

    @Test(.enabled(if: SharedImages.isAvailable), arguments: ["jpeg", "webp", "avif", "jxl"])
    func `photographs take few encodes and are nearer to the score than at a fixed quality`(format: String) throws {
        var (searched, fixed, tries) = ([Double](), [Double](), 0)
        for name in ["fox.jpg", "hato.jpg", "kimono.jpg", "exif-landscape-1.jpg"] {
            let source = try Workbench.make("w=400&format=png", of: Workbench.photograph(name), as: .jpeg)
            let picture = try Workbench.decode(source)
            let made = try make("format=\(format)&q=auto", of: source.bytes)
            tries += made.description.tries
            try searched.append(score(picture, made))
            try fixed.append(score(picture, make("format=\(format)", of: source.bytes)))
        }
        #expect(tries <= 5 && Self.miss(searched) < Self.miss(fixed), "\(tries): \(searched) \(fixed)")
        #expect(searched.allSatisfy { abs($0 - 75) < 3 }, "\(searched)")
    }

    @Test func `a flat image gets a low quality, a small one the default`() throws {
        let flat = Workbench.png(PixelImage(width: 120, height: 113) { _, _ in [90, 120, 200, 255] })
        #expect(try #require(make("format=webp&q=auto", of: flat).description.quality) <= 40)
        for (width, height) in [(7, 40), (160, 112)] {
            let small = Workbench.png(PixelImage(width: width, height: height) { x, _ in [UInt8(x), 120, 200, 255] })
            let made = try make("format=webp&q=auto", of: small)
            #expect(made.description.quality == QualityDefaults().webp && made.description.tries == 0)
            #expect(made.description.score == nil)
        }
    }

    @Test(arguments: ["png", "webp&lossless=1", "gif", "tiff"])
    func `lossless formats need no search`(format: String) throws {
        let made = try make("format=\(format)&q=auto", of: Self.texture)
        #expect(made.description.quality == nil && made.description.tries == 0)
        #expect(try made.bytes == make("format=\(format)", of: Self.texture).bytes)
    }

    @Test func `max_bytes takes precedence over q=auto`() throws {
        let free = try make("format=jpeg&q=auto", of: Self.texture)
        let bound = try make("format=jpeg&q=auto&max_bytes=\(free.bytes.count * 2 / 3)", of: Self.texture)
        #expect(bound.bytes.count <= free.bytes.count * 2 / 3)
        // What was found is not what was made.
        #expect(free.description.score != nil && bound.description.score == nil)
    }

    @Test func `an animation gets one quality, found on its frames`() throws {
        let animation = Self.animation
        let made = try make("format=webp&q=auto", of: animation, as: .gif)
        #expect(made.description.frames == 4 && made.description.tries > 0)
        #expect(QualitySteps.range.contains(try #require(made.description.quality)))
    }

    @Test(.enabled(if: SharedImages.isAvailable), arguments: ["fox.jpg", "hato.jpg"])
    func `a sample of a large photograph gives the result of the whole`(name: String) throws {
        let source = try Workbench.make("w=1200&format=png&effort=0", of: Workbench.photograph(name), as: .jpeg)
        let picture = try Workbench.decode(source)
        let made = try make("format=jpeg&q=auto", of: source.bytes)
        #expect(picture.width * picture.height > SampleSheet.largestWhole)
        let found = try score(picture, made)
        let sampled = Double(try #require(made.description.score)) / 10
        #expect(abs(found - sampled) < 2 && abs(found - 75) < 5, "\(found) \(sampled)")
    }

    @Test func `the smallest format that the client accepts is used`() throws {
        let smallest = EncodingSearch(takesSmallest: true)
        for bucket in FormatBucket.allCases {
            let made = try make("blur=2", of: Self.texture, bucket: bucket, search: smallest)
            // AVIF as auto makes it.
            let formats =
                ["jpeg"] + (bucket >= .webp ? ["webp"] : []) + (bucket.hasJXL ? ["jxl"] : [])
                + (bucket.hasAVIF ? ["avif&effort=\(QualityDefaults.standardAVIFEffort)"] : [])
            let sizes = try formats.map { try make("blur=2&format=\($0)", of: Self.texture).bytes.count }
            #expect(made.bytes.count == sizes.min(), "\(bucket): \(sizes)")
        }
    }

    @Test func `a drawing is encoded losslessly if that is smallest`() throws {
        let smallest = EncodingSearch(takesSmallest: true)
        let webp = try make("", of: Self.drawing, bucket: .webp, search: smallest)
        #expect(webp.description.quality == nil)
        #expect(try Workbench.decode(webp).bytes == Workbench.pixels("", of: Self.drawing).bytes)
        let rest = try make("", of: Self.drawing, bucket: .rest, search: smallest)
        #expect(rest.description.format == .png && rest.bytes.count >= webp.bytes.count)
    }

    @Test func `transparency and a format requested by name are kept`() throws {
        let search = EncodingSearch(takesSmallest: true)
        let clear = Workbench.png(
            PixelImage(width: 64, height: 64) { x, y in [UInt8(x * 4), UInt8(y * 4), 77, UInt8(x * 4)] }
        )
        let made = try make("", of: clear, bucket: .webp, search: search)
        #expect(made.description.hasAlpha && made.description.format != .jpeg)
        #expect(try make("format=png", of: Self.texture, bucket: .webp, search: search).description.format == .png)
    }
}
