import CVips
import CZlib
import Glibc
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// Images in a colour space other than sRGB, with 8 and 16 bits, compared with the colours computed from the profile.
@Suite(.timeLimit(.minutes(1)))
struct WideGamutTests {
    /// Colours of Display P3 that sRGB has too, so that nothing is clipped.
    private static let colours: [[Double]] = [
        [0.20, 0.30, 0.60], [0.80, 0.75, 0.70], [0.55, 0.45, 0.30], [0.35, 0.55, 0.40], [0.03, 0.03, 0.03],
        [0.50, 0.50, 0.50], [0.97, 0.97, 0.97], [0.60, 0.35, 0.45],
    ]

    /// `colours` in sRGB: both spaces have D65 and the same curve, so only the primaries differ.
    private static let expected: [[UInt8]] = colours.map { colour in
        let linear = colour.map { $0 <= 0.04045 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4) }
        // P3's primaries in sRGB's (CSS Color 4, the product of its two matrices).
        let rows = [
            [1.2249401762805, -0.2249401762805, 0.0], [-0.0420569547096, 1.0420569547096, 0.0],
            [-0.0196375545903, -0.0786360455506, 1.0982736001409],
        ]
        return rows.map { row in
            let value = zip(row, linear).reduce(0) { $0 + $1.0 * $1.1 }
            let encoded = value <= 0.0031308 ? value * 12.92 : 1.055 * pow(value, 1 / 2.4) - 0.055
            return UInt8((min(max(encoded, 0), 1) * 255).rounded())
        }
    }

    /// The side of a colour's square in pixels, large enough that ringing does not reach its centre.
    private static let side = 24

    /// An image with a square per colour, side by side; samples of whole bytes, most significant first.
    private static func rows(depth: Int) -> [UInt8] {
        let line = colours.flatMap { colour in
            let pixel = colour.flatMap { value -> [UInt8] in
                let sample = Int((value * Double(1 << depth - 1)).rounded())
                return depth == 16 ? [UInt8(sample >> 8), UInt8(sample & 255)] : [UInt8(sample)]
            }
            return (0..<side).flatMap { _ in pixel }
        }
        return (0..<side).flatMap { _ in line }
    }

    private static var width: Int { colours.count * side }

    /// A PNG with a profile (iCCP), of 8 or 16 bits.
    private static func png(depth: Int) -> [UInt8] {
        func compressed(_ bytes: [UInt8]) -> [UInt8] {
            var count = compressBound(uLong(bytes.count))
            var output = [UInt8](repeating: 0, count: Int(count))
            let status = unsafe compress(&output, &count, bytes, uLong(bytes.count))
            precondition(status == Z_OK)
            return Array(output[..<Int(count)])
        }
        let samples = rows(depth: depth)
        let lines = stride(from: 0, to: samples.count, by: samples.count / side).flatMap {
            [0] + samples[$0..<$0 + samples.count / side]
        }
        return AnimatedPNG.signature
            + PNGChunk.encoded("IHDR", PNGChunk.word(width) + PNGChunk.word(side) + [UInt8(depth), 2, 0, 0, 0])
            + PNGChunk.encoded("iCCP", Array("P3\0\0".utf8) + compressed(DisplayP3.profile))
            + PNGChunk.encoded("IDAT", compressed(lines)) + PNGChunk.encoded("IEND", [])
    }

    /// A JPEG with a profile (APP2, ICC.1 annex B.4).
    private static func jpeg() throws -> [UInt8] {
        let raster = try Raster.sRGB(rows(depth: 8), width: width, height: side, bands: 3)
        let plain = try Workbench.encodeWithMetadata(raster, as: .jpeg)
        let content = Array("ICC_PROFILE\0".utf8) + [1, 1] + DisplayP3.profile
        let length = content.count + 2
        return Array(plain[..<2]) + [0xFF, 0xE2, UInt8(length >> 8), UInt8(length & 255)] + content + plain[2...]
    }

    /// An AVIF with a profile (`colr` box of type `prof`).
    private static func avif() throws -> [UInt8] {
        precondition(Workbench.isStarted)
        let raster = try Raster.sRGB(rows(depth: 8), width: width, height: side, bands: 3)
            .withMetadata { $0.set(VIPS_META_ICC_NAME, DisplayP3.profile) }
        let encoder = AVIFEncoder(
            options: EncodingOptions(quality: 95, deadline: Deadline(milliseconds: 20_000)),
            tuning: .still(quality: 95, effort: 1, keepsColours: true, mostBits: 8),
            keepsColours: true
        )
        return try encoder.encode(raster, WebPMetadata(of: raster)).copy
    }

    private func check(_ file: [UInt8], _ format: ImageFormat, _ tolerance: Double) throws {
        // At full size, and resized to half, where the conversion follows.
        for (query, side) in [("", Self.side), ("w=\(Self.width / 2)", Self.side / 2)] {
            let pixels = try Workbench.pixels(query, of: file, as: format)
            for (index, colour) in Self.expected.enumerated() {
                let shown = Array(pixels[index * side + side / 2, side / 2].prefix(3))
                let distance = ImageComparison.colourDistance(shown, colour)
                #expect(distance < tolerance, "\(query) \(index): \(shown), not \(colour)")
            }
        }
    }

    @Test(arguments: [8, 16])
    func `a PNG in Display P3 is converted to the same colours in sRGB`(depth: Int) throws {
        try check(Self.png(depth: depth), .png, 1.5)
    }

    @Test func `a JPEG in Display P3 is converted to the same colours in sRGB`() throws {
        // JPEG at 95 with subsampled chroma is slightly lossy.
        try check(Self.jpeg(), .jpeg, 2.5)
    }

    @Test(.enabled(if: AVIFEncoder.isThere))
    func `an AVIF in Display P3 is converted to the same colours in sRGB`() throws {
        // libvips owns its profile no longer than the decoded image.
        try check(Self.avif(), .avif, 2)
    }

    @Test func `pixel values differ from those without the profile`() {
        let plain = Self.colours.map { $0.map { UInt8(($0 * 255).rounded()) } }
        #expect(zip(plain, Self.expected).contains { ImageComparison.colourDistance($0, $1) > 3 })
    }
}

/// A profile of Display P3, as small as a display's profile may be (ICC.1:2022 §8.3): three primaries adapted to D50, and sRGB's curve.
enum DisplayP3 {
    static let profile: [UInt8] = {
        func word(_ value: Int) -> [UInt8] { PNGChunk.word(value & 0xFFFF_FFFF) }
        func fixed(_ value: Double) -> [UInt8] { word(Int((value * 65_536).rounded())) }
        func xyz(_ x: Double, _ y: Double, _ z: Double) -> [UInt8] {
            Array("XYZ ".utf8) + word(0) + fixed(x) + fixed(y) + fixed(z)
        }
        func text(_ text: String) -> [UInt8] {
            let utf16 = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
            let head =
                Array("mluc".utf8) + word(0) + word(1) + word(12) + Array("enUS".utf8) + word(utf16.count) + word(28)
            return head + utf16 + [UInt8](repeating: 0, count: (4 - utf16.count % 4) % 4)
        }
        let curve =
            Array("para".utf8) + word(0) + [0, 3, 0, 0] + fixed(2.4) + fixed(1 / 1.055) + fixed(0.055 / 1.055)
            + fixed(1 / 12.92) + fixed(0.04045)
        let tags: [(String, [UInt8])] = [
            ("desc", text("P3")), ("cprt", text("none")), ("wtpt", xyz(0.96420, 1, 0.82491)),
            ("rXYZ", xyz(0.515102, 0.241182, -0.001050)), ("gXYZ", xyz(0.291965, 0.692236, 0.041882)),
            ("bXYZ", xyz(0.157153, 0.066582, 0.784378)), ("rTRC", curve), ("gTRC", curve), ("bTRC", curve),
        ]
        var table = word(tags.count)
        var data: [UInt8] = []
        for (name, body) in tags {
            table += Array(name.utf8) + word(132 + tags.count * 12 + data.count) + word(body.count)
            data += body
        }
        let body = table + data
        // §7.2: size, preferred module, version 4.4, class, spaces, date, signature, and the illuminant at 68.
        var header = word(128 + body.count) + word(0) + word(0x0440_0000)
        header += Array("mntrRGB XYZ ".utf8) + [7, 0xE6, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0] + Array("acsp".utf8)
        header += [UInt8](repeating: 0, count: 68 - header.count) + fixed(0.96420) + fixed(1) + fixed(0.82491)
        return header + [UInt8](repeating: 0, count: 128 - header.count) + body
    }()
}
