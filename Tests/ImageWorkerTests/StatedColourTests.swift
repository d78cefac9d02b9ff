import CVips
import CZlib
import Glibc
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// Colours that files state in numbers: AVIF's `colr` box and PNG's cICP, gAMA and cHRM.
@Suite(.timeLimit(.minutes(1)))
struct StatedColourTests {
    private static let side = 16
    /// Display P3's (200, 100, 50) is sRGB's (215, 93, 31).
    private static let (p3, srgb): ([UInt8], [UInt8]) = ([200, 100, 50], [215, 93, 31])
    private static let (displayP3, bt2020, pq, hlg, sRGBCurve) = (12, 9, 16, 18, 13)

    // MARK: Files

    private static func flat(_ colour: [UInt8]) -> PixelImage {
        PixelImage(width: side, height: side) { _, _ in colour + [255] }
    }

    /// A PNG of one colour, with one channel per sample, and chunks before its pixels.
    private static func png(
        _ colour: [UInt8],
        _ chunks: [(name: String, content: [UInt8])],
        depth: UInt8 = 8
    ) -> [UInt8] {
        let line: [UInt8] = [0] + (0..<side).flatMap { _ in colour }
        let kind: UInt8 = [1: 0, 3: 2, 4: 6][colour.count * 8 / Int(depth)] ?? 2
        return AnimatedPNG.signature
            + PNGChunk.encoded("IHDR", PNGChunk.word(side) + PNGChunk.word(side) + [depth, kind, 0, 0, 0])
            + chunks.flatMap { PNGChunk.encoded($0.name, $0.content) }
            + PNGChunk.encoded("IDAT", compressed((0..<side).flatMap { _ in line })) + PNGChunk.encoded("IEND", [])
    }

    /// An animated PNG of two frames of one colour, with chunks before its pixels.
    private static func animation(_ colour: [UInt8], _ chunks: [(name: String, content: [UInt8])]) -> [UInt8] {
        let line: [UInt8] = [0] + (0..<side).flatMap { _ in colour }
        let data = compressed((0..<side).flatMap { _ in line })
        let size = PNGChunk.word(side) + PNGChunk.word(side)
        func control(_ number: Int) -> [UInt8] {
            PNGChunk.encoded(
                "fcTL",
                PNGChunk.word(number) + size + PNGChunk.word(0) + PNGChunk.word(0) + [0, 1, 0, 10, 0, 0]
            )
        }
        var file = AnimatedPNG.signature + PNGChunk.encoded("IHDR", size + [8, 2, 0, 0, 0])
        for (name, content) in chunks { file += PNGChunk.encoded(name, content) }
        file += PNGChunk.encoded("acTL", PNGChunk.word(2) + PNGChunk.word(0)) + control(0)
        file += PNGChunk.encoded("IDAT", data) + control(1)
        return file + PNGChunk.encoded("fdAT", PNGChunk.word(2) + data) + PNGChunk.encoded("IEND", [])
    }

    private static func compressed(_ bytes: [UInt8]) -> [UInt8] {
        var count = compressBound(uLong(bytes.count))
        var output = [UInt8](repeating: 0, count: Int(count))
        let status = unsafe compress(&output, &count, bytes, uLong(bytes.count))
        precondition(status == Z_OK)
        return Array(output[..<Int(count)])
    }

    private static func cICP(_ primaries: Int, _ transfer: Int, range: UInt8 = 1) -> (name: String, content: [UInt8]) {
        ("cICP", [UInt8(primaries), UInt8(transfer), 0, range])
    }

    /// iCCP with a profile of other primaries and sRGB's curve.
    private static func profile(_ primaries: Int) throws -> (name: String, content: [UInt8]) {
        let stated = try #require(StatedColour(primaries: primaries, transfer: sRGBCurve))
        return ("iCCP", Array("a\0\0".utf8) + compressed(try #require(stated.profile(isGrey: false))))
    }

    private static func gamma(_ value: Int) -> (name: String, content: [UInt8]) { ("gAMA", PNGChunk.word(value)) }

    private static let primariesOfP3: (name: String, content: [UInt8]) = (
        "cHRM", [31_270, 32_900, 68_000, 32_000, 26_500, 69_000, 15_000, 6_000].flatMap(PNGChunk.word)
    )

    /// A lossless AVIF of one colour whose `nclx` box has other code points.
    private static func avif(_ colour: [UInt8], primaries: Int, transfer: Int) throws -> [UInt8] {
        var file = try Workbench.make("format=avif&lossless=1", of: Workbench.png(flat(colour)), as: .png).bytes
        let mark = Array("colrnclx".utf8)
        let place = try #require(
            file.indices.dropLast(mark.count + 7).first { Array(file[$0..<$0 + mark.count]) == mark }
        )
        file.replaceSubrange(place + 8..<place + 12, with: [0, UInt8(primaries), 0, UInt8(transfer)])
        return file
    }

    private static func colour(_ file: [UInt8], as format: ImageFormat = .png, _ query: String = "") throws -> [Int] {
        try Workbench.pixels(query, of: file, as: format)[side / 4, side / 4].prefix(3).map { Int($0) }
    }

    private static func isNear(_ colour: [Int], _ expected: [UInt8], within most: Int = 1) -> Bool {
        zip(colour, expected).allSatisfy { abs($0 - Int($1)) <= most }
    }

    // MARK: Display P3

    @Test func `a PNG with a cICP of Display P3 is converted to sRGB`() throws {
        let file = Self.png(Self.p3, [Self.cICP(Self.displayP3, Self.sRGBCurve)])
        for query in ["", "w=8"] {
            let shown = try Self.colour(file, query)
            #expect(Self.isNear(shown, Self.srgb), "\(query): \(shown)")
        }
    }

    @Test(.enabled(if: Workbench.encodes(.avif)))
    func `an AVIF with a colr box of Display P3 is converted to sRGB`() throws {
        let file = try Self.avif(Self.p3, primaries: Self.displayP3, transfer: Self.sRGBCurve)
        for query in ["", "w=8"] {
            let shown = try Self.colour(file, as: .avif, query)
            #expect(Self.isNear(shown, Self.srgb), "\(query): \(shown)")
        }
        let plain = try Self.avif(Self.p3, primaries: 1, transfer: Self.sRGBCurve)
        #expect(try Self.isNear(Self.colour(plain, as: .avif), Self.p3))
    }

    @Test func `gAMA and cHRM of Display P3 are converted to sRGB`() throws {
        let shown = try Self.colour(Self.png(Self.p3, [Self.gamma(45_455), Self.primariesOfP3]))
        #expect(Self.isNear(shown, Self.srgb), "\(shown)")
    }

    @Test func `the frames of an animated PNG are in sRGB`() throws {
        let p3 = try Self.profile(Self.displayP3)
        let cases: [[(name: String, content: [UInt8])]] = [
            [Self.cICP(Self.displayP3, Self.sRGBCurve)], [p3], [("sRGB", [0]), p3],
        ]
        for chunks in cases {
            let file = Self.animation(Self.p3, chunks)
            let names = chunks.map(\.name)
            for frame in 0...1 {
                let shown = try Self.colour(file, "frame=\(frame)")
                #expect(Self.isNear(shown, Self.srgb), "\(names), \(frame): \(shown)")
            }
            let made = try Workbench.make("format=webp&lossless=1&anim=keep", of: file, as: .png)
            let animation = try Workbench.decode(made)
            #expect(Self.isNear(animation[4, 4].map { Int($0) }, Self.srgb), "\(names)")
        }
    }

    // MARK: Precedence

    @Test func `cICP overrides a profile, a profile sRGB, and sRGB gAMA and cHRM`() throws {
        let wide = try Self.profile(Self.bt2020)
        let p3 = try Self.profile(Self.displayP3)
        let cases: [(String, [(name: String, content: [UInt8])], [UInt8])] = [
            ("cICP", [Self.cICP(Self.displayP3, Self.sRGBCurve), wide, Self.gamma(100_000)], Self.srgb),
            ("cICP of sRGB", [Self.cICP(1, Self.sRGBCurve), wide], Self.p3),
            ("a profile", [p3, ("sRGB", [0]), Self.gamma(100_000)], Self.srgb),
            ("a profile after sRGB", [("sRGB", [0]), p3], Self.srgb),
            ("a profile after sRGB and others", [("sRGB", [0]), Self.gamma(45_455), ("sRGB", [0]), p3], Self.srgb),
            (
                "no profile after sRGB",
                [("sRGB", [0]), ("iCCP", [1, 0, 0, 1]), Self.gamma(100_000), Self.primariesOfP3], Self.p3
            ),
            ("sRGB", [("sRGB", [0]), Self.gamma(100_000), Self.primariesOfP3], Self.p3),
            ("an invalid cICP", [("cICP", [12, 13, 1, 1]), p3], Self.srgb),
            ("an unknown cICP", [Self.cICP(99, Self.sRGBCurve), p3], Self.srgb),
            ("cHRM alone", [Self.primariesOfP3], Self.p3),
            ("cHRM with a gAMA of nothing", [Self.gamma(0), Self.primariesOfP3], Self.p3),
            ("gAMA of nothing", [Self.gamma(0), ("cHRM", [UInt8](repeating: 0, count: 32))], Self.p3),
        ]
        for (name, chunks, expected) in cases {
            let shown = try Self.colour(Self.png(Self.p3, chunks))
            #expect(Self.isNear(shown, expected), "\(name): \(shown)")
        }
    }

    @Test func `a profile of an AVIF overrides its code points`() throws {
        let stated = try #require(StatedColour(primaries: Self.displayP3, transfer: Self.sRGBCurve))
        let profile = try #require(stated.profile(isGrey: false))
        let raster = try Raster.sRGB(Self.p3, width: 1, height: 1, bands: 3).withMetadata { metadata in
            metadata.set(VIPS_META_ICC_NAME, profile)
        }
        let described = try raster.withColour(StatedColour(primaries: Self.bt2020, transfer: Self.pq))
        #expect(described.bytes(VIPS_META_ICC_NAME) == profile)
    }

    // MARK: Curves

    @Test(arguments: [[128], [128, 128, 128]] as [[UInt8]])
    func `linear light and other exponents are converted to sRGB's curve`(samples: [UInt8]) throws {
        // 128 of 255 in linear light is 188 in sRGB; with an exponent of 1.8 it is 147.
        for (value, expected) in [(100_000, 188), (55_556, 147), (45_455, 128), (45_000, 128)] {
            let shown = try Self.colour(Self.png(samples, [Self.gamma(value)]))
            #expect(shown.allSatisfy { abs($0 - expected) <= 1 }, "\(value): \(shown)")
        }
    }

    @Test func `a narrow range is stretched`() throws {
        for (value, expected) in [(16, 0), (235, 255), (126, 128)] as [(UInt8, Int)] {
            let file = Self.png([value, value, value], [Self.cICP(1, Self.sRGBCurve, range: 0)])
            let shown = try Self.colour(file)
            #expect(shown.allSatisfy { abs($0 - expected) <= 1 }, "\(value): \(shown)")
        }
    }

    @Test func `greys stay grey and monotonic for all code points`() throws {
        for primaries in [1, 4, 5, 6, 7, 8, 9, 11, 12, 22] {
            for transfer in [1, 4, 5, 8, 13, 14, 16, 17, 18] {
                var last = -1
                for value in stride(from: 0, through: 255, by: 51) as StrideThrough<Int> {
                    let file = Self.png([UInt8](repeating: UInt8(value), count: 3), [Self.cICP(primaries, transfer)])
                    let shown = try Self.colour(file)
                    let spread = (shown.max() ?? 0) - (shown.min() ?? 0)
                    #expect(spread <= 2 && shown[1] >= last, "\(primaries)/\(transfer) at \(value): \(shown)")
                    last = shown[1]
                }
                #expect(last == 255, "\(primaries)/\(transfer)")
            }
        }
    }

    @Test(arguments: [(1, 13), (2, 22), (3, 28)])
    func `one channel of dark linear light is as exact as three`(value: UInt8, expected: Int) throws {
        let file = Self.png([value], [Self.gamma(100_000)])
        #expect(try Self.colour(file).allSatisfy { abs($0 - expected) <= 1 })
        let deep = Self.png([value, value], [Self.gamma(100_000)], depth: 16)
        #expect(try Self.colour(deep).allSatisfy { abs($0 - expected) <= 1 })
    }

    @Test func `sixteen bits keep their alpha`() throws {
        let file = Self.png([200, 200, 100, 100, 50, 50, 16, 16], [Self.gamma(100_000)], depth: 16)
        let shown = try Workbench.decode(file, as: .png)
        #expect(shown.channels == 4 && shown.bytes[3] == 16)
    }

    @Test(arguments: [12, 9])
    func `sixteen bits are as exact as eight where sRGB's gamut ends`(primaries: Int) throws {
        let chunks = [Self.cICP(primaries, Self.sRGBCurve)]
        for colour in [[115, 247, 0], [156, 239, 206], [33, 8, 230], [250, 120, 3], [200, 100, 50]] as [[UInt8]] {
            let eight = try Self.colour(Self.png(colour, chunks))
            let deep = try Self.colour(Self.png(colour.flatMap { [$0, $0] }, chunks, depth: 16))
            #expect(Self.isNear(deep, eight.map { UInt8($0) }), "\(colour): \(deep), not \(eight)")
        }
    }

    @Test func `sixteen bits of a grey profile of linear light are exact in the dark`() throws {
        let profile = try #require(StatedColour(transfer: .gamma(1)).profile(isGrey: true))
        let chunk = (name: "iCCP", content: Array("a\0\0".utf8) + Self.compressed(profile))
        for (value, expected) in [(1, 13), (3, 28), (128, 188)] as [(UInt8, Int)] {
            let shown = try Self.colour(Self.png([value, value], [chunk], depth: 16))
            #expect(shown.allSatisfy { abs($0 - expected) <= 1 }, "\(value): \(shown)")
        }
    }

    // MARK: High dynamic range

    /// ST 2084's signal for light in cd/m².
    private static func signal(_ light: Double) -> Double {
        let root = pow(light / 10_000, 2610.0 / 16_384)
        return pow((3424.0 / 4096 + 2413.0 / 128 * root) / (1 + 2392.0 / 128 * root), 2523.0 / 32)
    }

    @Test func `tone mapping makes the reference white of PQ and HLG 225, and keeps darker values`() throws {
        // Hybrid log-gamma has its reference white at 75 %.
        for (transfer, white) in [(Self.pq, Self.signal(203)), (Self.hlg, 0.75)] {
            let sample = UInt8((white * 255).rounded())
            let shown = try Self.colour(Self.png([sample, sample, sample], [Self.cICP(Self.bt2020, transfer)]))
            #expect(shown.allSatisfy { abs($0 - 225) <= 2 }, "\(transfer): \(shown)")
        }
        for light in [5.0, 20, 60, 100] {
            let sample = UInt8((Self.signal(light) * 255).rounded())
            let shown = try Self.colour(Self.png([sample, sample, sample], [Self.cICP(Self.bt2020, Self.pq)]))
            let share = light / 203
            let expected = share <= 0.0031308 ? 12.92 * share : 1.055 * pow(share, 1 / 2.4) - 0.055
            // A step of the 8-bit signal is several steps of the result.
            #expect(abs(Double(shown[1]) - 255 * expected) <= 4, "\(light): \(shown)")
        }
        for transfer in [Self.pq, Self.hlg] {
            #expect(try Self.colour(Self.png([255, 255, 255], [Self.cICP(Self.bt2020, transfer)])) == [255, 255, 255])
            #expect(try Self.colour(Self.png([0, 0, 0], [Self.cICP(Self.bt2020, transfer)])) == [0, 0, 0])
        }
    }

    @Test(.enabled(if: Workbench.encodes(.avif)))
    func `an AVIF in PQ and BT.2020 looks like a PNG with the same code points`() throws {
        let sample: [UInt8] = [140, 120, 90]
        let avif = try Self.colour(Self.avif(sample, primaries: Self.bt2020, transfer: Self.pq), as: .avif)
        let png = try Self.colour(Self.png(sample, [Self.cICP(Self.bt2020, Self.pq)]))
        // A step of the signal, lost in Y′CbCr conversion, is three steps of the result.
        #expect(Self.isNear(avif, png.map { UInt8($0) }, within: 4), "\(avif), \(png)")
        #expect(!Self.isNear(avif, sample, within: 8))
    }

    @Test func `a profile made from code points is deterministic`() throws {
        let stated = try #require(StatedColour(primaries: Self.displayP3, transfer: Self.pq))
        #expect(stated.profile(isGrey: false) == stated.profile(isGrey: false))
        #expect(stated.profile(isGrey: true)?.isEmpty == false)
    }
}
