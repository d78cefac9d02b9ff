import Glibc
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// `q` with `format=png`: a palette of the colours that come nearest.
@Suite(.timeLimit(.minutes(2)))
struct PaletteQualityTests {
    /// A drawn scene of many colours: a gradient, discs and a little noise, which an exact PNG cannot compress well.
    private static func scene(_ alpha: @escaping (_ x: Int, _ y: Int) -> UInt8?) -> PixelImage {
        var generator = SeededGenerator(seed: 11)
        return PixelImage(width: 200, height: 150, channels: alpha(0, 0) == nil ? 3 : 4) { x, y in
            let noise = Int.random(in: 0...8, using: &generator)
            let inside = (x - 120) * (x - 120) + (y - 70) * (y - 70) < 1_600
            let colours = inside ? [220 - y / 2, 120, 60 + x / 4] : [60 + x / 2, 140 + y / 2, 230 - x / 3]
            return colours.map { UInt8(min(255, $0 + noise)) } + (alpha(x, y).map { [$0] } ?? [])
        }
    }

    private let opaque = scene { _, _ in nil }
    private let clear = scene { x, _ in UInt8(max(0, min(255, 2 * x - 80))) }

    /// The peak signal-to-noise ratio in decibels, over all bands.
    private func ratio(_ left: PixelImage, _ right: PixelImage) -> Double {
        let squares = zip(left.bytes, right.bytes).reduce(0.0) { sum, pair in
            let difference = Double(pair.0) - Double(pair.1)
            return sum + difference * difference
        }
        return 10 * log10(255 * 255 * Double(left.bytes.count) / squares)
    }

    @Test func `a quality makes a PNG smaller, and a lower one smaller still`() throws {
        let source = Workbench.png(opaque)
        let exact = try Workbench.make("format=png", of: source, as: .png).bytes
        let made = try ["80", "20", "3"].map { try Workbench.make("format=png&q=\($0)", of: source, as: .png) }
        var last = exact.count
        for made in made {
            #expect(made.bytes[24] == 8 && made.bytes[25] == 3, "PNG §11.2.2: 8 bits, a palette")
            #expect(made.bytes.count < last)
            last = made.bytes.count
        }
        #expect(2 * made[0].bytes.count < exact.count, "\(made[0].bytes.count) of \(exact.count)")
        #expect(try ratio(Workbench.decode(made[0]), opaque) >= 30)
    }

    @Test func `without a quality for PNG every pixel is kept`() throws {
        let source = Workbench.png(opaque)
        for query in [
            "format=png", "format=png&q=100", "format=png&q=auto", "format=png&q=jpeg:9", "q=9", "format=source&q=9",
            "format=png&q=9&lossless=1", "q=jpeg:9,webp:9",
        ] {
            let made = try Workbench.make(query, of: source, as: .png)
            guard made.description.format == .picture(.png) else {
                #expect(query.hasPrefix("q="), "\(query)")
                continue
            }
            #expect(try Workbench.decode(made) == opaque, "\(query)")
        }
    }

    @Test func `transparency is kept, with every degree of it close`() throws {
        let made = try Workbench.make("format=png&q=80", of: Workbench.png(clear), as: .png)
        #expect(made.bytes[25] == 3 && made.description.hasAlpha)
        let pixels = try Workbench.decode(made)
        #expect(pixels.channels == 4 && pixels.alpha(0, 75) == 0 && pixels.alpha(190, 75) == 255)
        let source = clear
        let difference = (0..<150).reduce(0) { sum, y in
            sum + (0..<200).reduce(0) { $0 + abs(Int(pixels.alpha($1, y)) - Int(source.alpha($1, y))) }
        }
        #expect(Double(difference) / 30_000 < 8)
    }

    @Test func `an opaque alpha channel remains one`() throws {
        let source = Self.scene { _, _ in 255 }
        let made = try Workbench.make("format=png&q=80", of: Workbench.png(source), as: .png)
        #expect(made.bytes[25] == 3 && made.description.hasAlpha)
        let pixels = try Workbench.decode(made)
        #expect(pixels.channels == 4 && ratio(pixels, source) >= 30)
    }

    @Test func `up to 256 colours stay exact at any quality`() throws {
        let flat = PixelImage(width: 64, height: 64, channels: 3) { x, y in [UInt8(x / 4 * 16), UInt8(y / 4 * 16), 9] }
        let made = try Workbench.make("format=png&q=1", of: Workbench.png(flat), as: .png)
        #expect(try Workbench.decode(made) == flat)
    }

    @Test func `a gradient that dithering would make larger stays exact`() throws {
        let gradient = PixelImage(width: 320, height: 200, channels: 3) { x, y in [UInt8(x / 2), UInt8(y), 40] }
        let made = try Workbench.make("format=png&q=90", of: Workbench.png(gradient), as: .png)
        let exact = try Workbench.make("format=png", of: Workbench.png(gradient), as: .png)
        #expect(made.bytes == exact.bytes)
    }

    @Test func `an image whose palette would take too long stays exact`() throws {
        let large = PixelImage(width: 2001, height: 1000, channels: 3) { x, y in
            [UInt8(x % 256), UInt8(y % 256), UInt8((x + y) % 256)]
        }
        let source = Workbench.png(large)
        let made = try Workbench.make("format=png&q=80&effort=4", of: source, as: .png)
        #expect(try made.bytes == Workbench.make("format=png&effort=4", of: source, as: .png).bytes)
    }

    @Test func `progressive and effort apply to palettes, too`() throws {
        let source = Workbench.png(opaque)
        let interlaced = try Workbench.make("format=png&q=80&progressive=1", of: source, as: .png)
        #expect(interlaced.bytes[25] == 3 && interlaced.bytes[28] == 1)
        let fast = try Workbench.make("format=png&q=80&effort=0", of: source, as: .png)
        let slow = try Workbench.make("format=png&q=80&effort=9", of: source, as: .png)
        #expect(slow.bytes.count < fast.bytes.count)
    }
}
