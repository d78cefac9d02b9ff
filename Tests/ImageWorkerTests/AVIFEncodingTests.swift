import CVips
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// AVIF stills: what the file states, what the pixels are, and how small it is.
@Suite(.timeLimit(.minutes(2)), .enabled(if: Workbench.encodes(.avif)))
struct AVIFEncodingTests {
    /// Soft colours with noise, as in a photograph.
    private static let textured = PixelImage(width: 192, height: 128) { x, y in
        let wave = (x * x / 40 + y * 3) % 97
        let grain = (x &* 7919 ^ y &* 104_729) % 23
        return [UInt8(60 + wave + grain), UInt8(70 + wave / 2 + grain), UInt8(90 + y / 2 + grain), 255]
    }

    /// Strokes of strong colours.
    private static let drawn = PixelImage(width: 96, height: 64) { x, y in
        (x / 3 + y / 3).isMultiple(of: 2) ? [240, 20, 20, 255] : [20, 40, 230, 255]
    }

    /// Colours and alpha that change with every pixel.
    private static func detailed(_ width: Int, _ height: Int) -> PixelImage {
        PixelImage(width: width, height: height) { x, y in
            [UInt8(x * 37 % 256), UInt8(y * 53 % 256), UInt8((x * y * 11) % 256), UInt8(254 - (x + y) % 200)]
        }
    }

    private func make(_ query: String, of image: PixelImage) throws -> [UInt8] {
        try Workbench.make("format=avif&\(query)", of: Workbench.png(image), as: .png).bytes
    }

    /// What a file states about its samples.
    private struct Statement: Equatable {
        /// ITU-T H.273: primaries, transfer characteristics and matrix.
        var codes: [Int]
        var isFullRange: Bool
        var depth: Int
        var isSubsampled: Bool
    }

    /// Reads the `nclx` description (ISO/IEC 14496-12 §12.1.5) and `av1C` (AV1 ISOBMFF §2.3.3) of a file's first item.
    private func statement(of file: [UInt8]) throws -> Statement {
        let colour = try #require(file.firstRange(of: Array("colrnclx".utf8))).upperBound
        let codes = (0..<3).map { Int(file[colour + 2 * $0]) << 8 | Int(file[colour + 2 * $0 + 1]) }
        let configuration = try #require(file.firstRange(of: Array("av1C".utf8))).upperBound
        let flags = file[configuration + 2]
        let depth = flags & 0x40 == 0 ? 8 : flags & 0x20 == 0 ? 10 : 12
        return Statement(
            codes: codes,
            isFullRange: file[colour + 6] & 0x80 != 0,
            depth: depth,
            isSubsampled: flags & 0x0C == 0x0C
        )
    }

    @Test(arguments: [
        ("", 10, true), ("effort=0", 8, true), ("effort=2&q=90", 10, true), ("chroma=444", 10, false),
        ("chroma=444&effort=2", 10, false),
    ])
    func `a file states sRGB, full range, its depth and its subsampling`(query: String, depth: Int, half: Bool) throws {
        let file = try make(query, of: Self.textured)
        let stated = Statement(codes: [1, 13, 6], isFullRange: true, depth: depth, isSubsampled: half)
        #expect(try statement(of: file) == stated)
        let colour = HEIFColour(file.span)
        #expect(colour?.primaries == 1 && colour?.transfer == 13)
    }

    @Test func `a drawing keeps full chroma with ten bits`() throws {
        let stated = try statement(of: make("bg=fff", of: Self.drawn))
        #expect(stated.depth == 10 && !stated.isSubsampled)
        let shown = try Workbench.decode(make("bg=fff", of: Self.drawn), as: .avif)
        #expect(ImageComparison.meanDifference(shown, Self.opaque(Self.drawn)) < 6)
    }

    private static func opaque(_ image: PixelImage) -> PixelImage {
        PixelImage(width: image.width, height: image.height, channels: 3) { x, y in Array(image[x, y].prefix(3)) }
    }

    @Test(arguments: [(1, 1), (7, 9), (64, 33)])
    func `lossless files have exactly the pixels`(width: Int, height: Int) throws {
        let image = Self.detailed(width, height)
        let file = try make("lossless=1", of: image)
        // No matrix: RGB as it is.
        let stated = Statement(codes: [1, 13, 0], isFullRange: true, depth: 8, isSubsampled: false)
        #expect(try statement(of: file) == stated)
        #expect(try Workbench.decode(file, as: .avif) == image)
    }

    @Test(arguments: ["", "effort=0", "chroma=444", "chroma=420&effort=3"], [(1, 1), (7, 9), (2, 65)])
    func `odd sizes keep their colours and alpha`(query: String, size: (Int, Int)) throws {
        let image = PixelImage(width: size.0, height: size.1) { _, y in [200, 120, 60, y < 5 ? 255 : 40] }
        let shown = try Workbench.decode(make("q=90&\(query)", of: image), as: .avif)
        #expect(shown.width == size.0 && shown.height == size.1)
        let differences = (0..<3).map { abs(Int(shown[0, 0][$0]) - [200, 120, 60][$0]) }
        #expect(differences.allSatisfy { $0 <= 6 }, "\(shown[0, 0])")
        #expect(shown.alpha(0, 0) >= 250 && abs(Int(shown.alpha(0, size.1 - 1)) - (size.1 > 5 ? 40 : 255)) <= 6)
    }

    @Test(arguments: [0, 1])
    func `hard edges of alpha stay hard at any effort`(effort: Int) throws {
        let image = PixelImage(width: 160, height: 160) { x, y in
            let isInside = (x - 80) * (x - 80) + (y - 80) * (y - 80) < 3600
            return [UInt8(x), 120, UInt8(y), isInside ? (x / 6).isMultiple(of: 4) ? 128 : 255 : 0]
        }
        let shown = try Workbench.decode(make("q=60&effort=\(effort)", of: image), as: .avif)
        var worst = 0
        for y in 0..<160 {
            for x in 0..<160 { worst = max(worst, abs(Int(shown.alpha(x, y)) - Int(image.alpha(x, y)))) }
        }
        #expect(worst < 40, "\(worst)")
    }

    /// A disc of one colour with green hidden around it.
    private static let disc = PixelImage(width: 160, height: 120) { x, y in
        let isInside = (x - 80) * (x - 80) + (y - 60) * (y - 60) < 2000
        return isInside ? [200, 60, 60, 255] : [0, 255, 0, 0]
    }

    @Test(arguments: [
        "", "effort=0", "chroma=420&effort=2", "chroma=444", "chroma=420&q=90", "max_bytes=100000", "q=auto",
    ])
    func `hidden colours do not show at visible edges`(query: String) throws {
        let shown = try Workbench.decode(make(query, of: Self.disc), as: .avif)
        var worst = 0
        for y in 0..<120 {
            for x in 0..<160 where Self.disc.alpha(x, y) == 255 {
                for channel in 0..<3 {
                    worst = max(worst, abs(Int(shown[x, y][channel]) - Int(Self.disc[x, y][channel])))
                }
            }
        }
        #expect(worst <= 6, "\(worst)")
    }

    @Test func `lossless files keep hidden colours`() throws {
        #expect(try Workbench.decode(make("lossless=1", of: Self.disc), as: .avif) == Self.disc)
    }

    @Test(arguments: ["", "effort=0", "chroma=444", "lossless=1"])
    func `the same request makes the same bytes`(query: String) throws {
        #expect(try make(query, of: Self.textured) == make(query, of: Self.textured))
    }

    @Test func `a file has the metadata that the request keeps`() throws {
        let raster = try Raster.sRGB([UInt8](repeating: 99, count: 192), width: 8, height: 8, bands: 3)
        let tagged = try Workbench.tagged(raster, as: .jpeg)
        for (query, camera, packet) in [
            ("", false, false), ("meta=copyright", false, false), ("meta=keep", true, true),
        ] {
            let made = try Workbench.make("format=avif&\(query)", of: tagged, as: .jpeg)
            let metadata = try Workbench.metadata(made)
            #expect(metadata.has("exif-ifd0-Copyright") == !query.isEmpty, "\(query)")
            #expect(metadata.has("exif-ifd0-Make") == camera && metadata.has("xmp-data") == packet, "\(query)")
            #expect(try statement(of: made.bytes).codes == [1, 13, 6])
        }
    }

    @Test func `no effort is faster than a lower one, and no quality coarser than a lower one`() {
        for keepsColours in [false, true] {
            let speeds = AVIFTuning.efforts.map {
                AVIFTuning.still(quality: 60, effort: $0, keepsColours: keepsColours).speed
            }
            #expect(speeds == speeds.sorted(by: >) && speeds.last == 0)
            for effort in [0, 1, 5] {
                for isTuned in [false, true] {
                    let levels = (1...100).compactMap {
                        AVIFTuning.still(quality: $0, effort: effort, keepsColours: keepsColours, isTuned: isTuned)
                            .level
                    }
                    #expect(levels == levels.sorted(by: >) && levels.count == 100)
                    // Level 0 is lossless coding.
                    #expect(levels.allSatisfy { (0...63).contains($0) } && levels[99] == 0 && levels[90] > 0)
                }
            }
        }
        #expect(AVIFTuning.still(quality: nil, effort: 0, keepsColours: true).level == nil)
    }

    @Test func `a libavif that tunes itself is left to do so`() {
        let names = { (isTuned: Bool) in
            AVIFTuning.still(quality: 60, effort: 0, keepsColours: false, isTuned: isTuned).codecOptions.map(\.name)
        }
        #expect(names(false).contains("color:enable-qm") && names(true) == ["end-usage", "cq-level"])
    }

    @Test func `without memory for ten bits a file has eight`() {
        for keepsColours in [false, true] {
            let tuning = AVIFTuning.still(quality: 60, effort: 2, keepsColours: keepsColours, mostBits: 8)
            #expect(tuning.depth == 8 && tuning.speed == 7)
        }
    }

    /// The bytes at a score, by interpolation between qualities.
    private func bytes(
        at score: Double,
        of raster: Raster,
        _ reference: PerceptualScore,
        _ tuning: (Int) -> AVIFTuning
    ) throws -> Double {
        var last: (score: Double, bytes: Double)?
        for quality in stride(from: 30, through: 95, by: 5) {
            let options = EncodingOptions(quality: quality, deadline: Deadline(milliseconds: 20_000))
            let encoder = AVIFEncoder(options: options, tuning: tuning(quality), keepsColours: false)
            let file = try encoder.encode(raster, nil).copy
            let shown = try Workbench.decode(file, as: .avif)
            let found = unsafe shown.bytes.withUnsafeBytes { reference(of: $0, bands: shown.channels) }
            if found >= score, let last {
                let share = (score - last.score) / (found - last.score)
                return last.bytes + share * (Double(file.count) - last.bytes)
            }
            last = (found, Double(file.count))
        }
        throw WorkerReply.Failure.worker("no quality scores \(score)")
    }

    @Test(arguments: [1, 3])
    func `at an equal score files are smaller than untuned ones`(effort: Int) throws {
        precondition(Workbench.isStarted)
        let image = Self.opaque(Self.textured)
        let raster = try Raster.sRGB(image.bytes, width: image.width, height: image.height, bands: 3)
        let reference = try PerceptualScore(of: raster)
        for score in [70.0, 78] {
            let tuned = try bytes(at: score, of: raster, reference) {
                .still(quality: $0, effort: effort, keepsColours: false)
            }
            // As libvips and libheif encoded stills before: with aom's defaults, and effort 0.
            let plain = try bytes(at: score, of: raster, reference) { .animation(quality: $0, effort: 0) }
            #expect(tuned < 0.95 * plain, "\(tuned) of \(plain)")
        }
    }
}
