import CVips
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

@Suite(.timeLimit(.minutes(1)))
struct TintTests {
    /// Opaque, translucent and transparent pixels of many colours.
    private let colours = PixelImage(width: 52, height: 16) { x, y in
        [UInt8(x * 4), UInt8(y * 16), UInt8((x * 37 + y * 91) % 256), [255, 255, 160, 0][y % 4]]
    }

    /// W3C Compositing and Blending 1: premultiplied colour and alpha of a source over a backdrop, all 0–1.
    private static func composite(_ mode: String, _ source: [Double], _ backdrop: [Double]) -> [Double] {
        let (alphaS, alphaB) = (source[3], backdrop[3])
        let factors: (source: Double, backdrop: Double)
        switch mode {
        case "clear": factors = (0, 0)
        case "source": factors = (1, 0)
        case "over": factors = (1, 1 - alphaS)
        case "in": factors = (alphaB, 0)
        case "out": factors = (1 - alphaB, 0)
        case "atop": factors = (alphaB, 1 - alphaS)
        case "dest-over": factors = (1 - alphaB, 1)
        case "dest-in": factors = (0, alphaS)
        case "dest-out": factors = (0, 1 - alphaS)
        case "dest-atop": factors = (1 - alphaB, alphaS)
        case "xor": factors = (1 - alphaB, 1 - alphaS)
        case "add": factors = (1, 1)
        case "saturate": factors = (alphaS > 0 ? min(1, (1 - alphaB) / alphaS) : 1, 1)
        default:
            let alpha = alphaS + alphaB * (1 - alphaS)
            let blended =
                blend(mode, colours: backdrop, source) ?? (0..<3).map { blend(mode, backdrop[$0], source[$0]) }
            return (0..<3).map { index in
                let (s, b) = (source[index], backdrop[index])
                return alphaS * (1 - alphaB) * s + alphaB * (1 - alphaS) * b + alphaS * alphaB * blended[index]
            } + [alpha]
        }
        let colours = (0..<3).map { factors.source * alphaS * source[$0] + factors.backdrop * alphaB * backdrop[$0] }
        return colours + [min(1, factors.source * alphaS + factors.backdrop * alphaB)]
    }

    /// PDF 1.7 §11.3.5.3, with the names and the pseudocode of the standard.
    private static func blend(_ mode: String, colours b: [Double], _ s: [Double]) -> [Double]? {
        func lum(_ c: [Double]) -> Double { 0.3 * c[0] + 0.59 * c[1] + 0.11 * c[2] }
        func clipColor(_ c: [Double]) -> [Double] {
            let (l, n, x) = (lum(c), c.min() ?? 0, c.max() ?? 0)
            var c = c
            if n < 0 { c = c.map { l + ($0 - l) * l / (l - n) } }
            if x > 1 { c = c.map { l + ($0 - l) * (1 - l) / (x - l) } }
            return c
        }
        func setLum(_ c: [Double], _ l: Double) -> [Double] { clipColor(c.map { $0 + l - lum(c) }) }
        func sat(_ c: [Double]) -> Double { (c[0..<3].max() ?? 0) - (c[0..<3].min() ?? 0) }
        func setSat(_ c: [Double], _ s: Double) -> [Double] {
            var c = Array(c[0..<3])
            let order = c.indices.sorted { c[$0] < c[$1] }
            let (least, middle, greatest) = (order[0], order[1], order[2])
            if c[greatest] > c[least] {
                c[middle] = (c[middle] - c[least]) * s / (c[greatest] - c[least])
                c[greatest] = s
            } else {
                c[middle] = 0
                c[greatest] = 0
            }
            c[least] = 0
            return c
        }
        let (b, s) = (Array(b[0..<3]), Array(s[0..<3]))
        return switch mode {
        case "hue": setLum(setSat(s, sat(b)), lum(b))
        case "saturation": setLum(setSat(b, sat(s)), lum(b))
        case "colour": setLum(s, lum(b))
        case "luminosity": setLum(b, lum(s))
        default: nil
        }
    }

    private static func blend(_ mode: String, _ b: Double, _ s: Double) -> Double {
        switch mode {
        case "multiply": return b * s
        case "screen": return 1 - (1 - b) * (1 - s)
        case "overlay": return b <= 0.5 ? 2 * b * s : 1 - 2 * (1 - b) * (1 - s)
        case "darken": return min(b, s)
        case "lighten": return max(b, s)
        case "colour-dodge": return b == 0 ? 0 : s >= 1 ? 1 : min(1, b / (1 - s))
        case "colour-burn": return b >= 1 ? 1 : s <= 0 ? 0 : 1 - min(1, (1 - b) / s)
        case "hard-light": return s <= 0.5 ? 2 * b * s : 1 - 2 * (1 - b) * (1 - s)
        case "soft-light":
            if s <= 0.5 { return b - (1 - 2 * s) * b * (1 - b) }
            let d = b <= 0.25 ? ((16 * b - 12) * b + 4) * b : b.squareRoot()
            return b + (2 * s - 1) * (d - b)
        case "difference": return abs(b - s)
        case "plus-darker": return max(0, 1 - ((1 - b) + (1 - s)))
        default: return b + s - 2 * b * s
        }
    }

    @Test(
        arguments: BlendMode.allCases.filter { $0 != .dest }.map(\.rawValue),
        ["e06020ff", "20a0ff60", "ffffffff", "00000080"]
    )
    func `blends as specified`(mode: String, colour: String) throws {
        let parameter = try Color(parsing: Parameter("tint", colour))
        let source = [parameter.red, parameter.green, parameter.blue, parameter.alpha].map { Double($0) / 255 }
        let pixels = try Workbench.pixels("tint=\(colour),\(mode)", of: Workbench.png(colours))
        #expect(pixels.channels == 4)
        for y in 0..<colours.height {
            for x in 0..<colours.width {
                let right = Self.composite(mode, source, colours[x, y].map { Double($0) / 255 })
                let made = pixels[x, y].map(Double.init)
                #expect(abs(made[3] - 255 * right[3]) <= 0.52, "alpha at \(x), \(y)")
                guard right[3] > 0.01 else { continue }
                for channel in 0..<3 {
                    let expected = min(255, 255 * right[channel] / right[3])
                    #expect(abs(made[channel] - expected) <= 1.02, "\(channel) at \(x), \(y)")
                }
            }
        }
    }

    @Test func `a plain tint of an opaque image is exact, apart from rounding`() throws {
        let source = PixelImage(width: 256, height: 1) { x, _ in [UInt8(x), UInt8(255 - x), 77, 255] }
        let pixels = try Workbench.pixels("tint=ff880040", of: Workbench.png(source))
        let share = 64.0 / 255
        for x in 0..<256 {
            for (channel, tint) in [255.0, 136, 0].enumerated() {
                let right = Double(source[x, 0][channel]) * (1 - share) + tint * share
                #expect(abs(Double(pixels[x, 0][channel]) - right) <= 0.5001)
            }
        }
    }

    @Test(arguments: ["ff8800", "ff880080"])
    func `without a mode transparent areas stay transparent`(colour: String) throws {
        let pixels = try Workbench.pixels("tint=\(colour)", of: Workbench.png(colours))
        let tint = try Color(parsing: Parameter("tint", colour))
        let strength = Double(tint.alpha) / 255
        for y in 0..<colours.height {
            for x in 0..<colours.width {
                #expect(pixels.alpha(x, y) == colours.alpha(x, y))
                guard colours.alpha(x, y) > 0 else { continue }
                for (channel, value) in [tint.red, tint.green, tint.blue].enumerated() {
                    let right = Double(colours[x, y][channel]) * (1 - strength) + Double(value) * strength
                    #expect(abs(Double(pixels[x, y][channel]) - right) <= 0.51)
                }
            }
        }
    }

    @Test func `the modes have libvips' names`() {
        let names = (0..<Int(VIPS_BLEND_MODE_LAST.rawValue)).map { value in
            unsafe String(cString: vips_enum_nick(vips_blend_mode_get_type(), CInt(value)))
        }
        #expect(BlendMode.allCases.map(\.rawValue).starts(with: names))
    }

    @Test(
        arguments: [
            // Grey has no hue and no saturation; its lightness is its value.
            ("hue", "808080", [128, 128, 128], [128, 128, 128]), ("hue", "ff0000", [128, 128, 128], [128, 128, 128]),
            ("saturation", "808080", [0, 255, 0], [150, 150, 150]),
            ("luminosity", "808080", [40, 40, 40], [128, 128, 128]),
            ("colour", "0000ff", [255, 255, 255], [255, 255, 255]), ("colour", "ff0000", [77, 77, 77], [255, 1, 1]),
            ("plus-darker", "808080", [200, 127, 100], [73, 0, 0]),
        ] as [(String, String, [UInt8], [UInt8])]
    )
    func `blends a colour with one pixel`(mode: String, colour: String, before: [UInt8], after: [UInt8]) throws {
        let source = PixelImage(width: 2, height: 2) { _, _ in before + [255] }
        let pixels = try Workbench.pixels("tint=\(colour),\(mode)", of: Workbench.png(source))
        #expect(Array(pixels[1, 1].prefix(3)) == after)
    }

    @Test func `opaque images stay so in the modes that need the whole colour`() throws {
        let source = PixelImage(width: 2, height: 2, channels: 3) { _, _ in [200, 90, 30] }
        for mode in ["hue", "saturation", "colour", "luminosity"] {
            let made = try Workbench.make("tint=20a0ff60,\(mode)&format=png", of: Workbench.png(source), as: .png)
            #expect(try Workbench.decode(made).channels == 3, "\(mode)")
        }
    }

    @Test func `a silhouette is tinted only where the image is opaque`() throws {
        // SDImageTintTransformer's own mode: sourceIn.
        let source = PixelImage(width: 8, height: 8) { x, _ in x < 4 ? [10, 200, 90, 255] : [10, 200, 90, 0] }
        let pixels = try Workbench.pixels("tint=ff8800,in", of: Workbench.png(source))
        #expect(pixels[1, 1] == [255, 136, 0, 255])
        #expect(pixels.alpha(6, 1) == 0)
    }

    @Test(arguments: ["png", "jpeg"])
    func `a colour laid under the image fills the canvases before it, and is cut away after it`(format: String) throws {
        let blue = Workbench.png(PixelImage(width: 64, height: 32) { _, _ in [0, 0, 255, 255] })
        for canvas in ["pad=0,0,32,0", "w=64&h=64&fit=pad&gravity=north", "rotate=90&expand=0"] {
            let fine = format == "jpeg" ? "&q=100&chroma=444" : ""
            let query = "\(canvas)&tint=ff0000,dest-over&format=\(format)\(fine)"
            let (whole, masked) = try (
                Workbench.decode(Workbench.make(query, of: blue, as: .png)),
                Workbench.decode(Workbench.make(query + "&mask=ellipse", of: blue, as: .png))
            )
            let (x, y) = canvas.hasPrefix("rotate") ? (6, 16) : (32, 52)
            for picture in [whole, masked] {
                let pixel = picture[x, y].map(Int.init)
                #expect(pixel[0] > 245 && pixel[1] < 10 && pixel[2] < 10, "\(canvas): \(pixel)")
            }
            // Nothing is left in the corner: JPEG has white there.
            let corner = masked[0, 0].map(Int.init)
            #expect(format == "png" ? corner[3] == 0 : corner.allSatisfy { $0 > 245 }, "\(canvas): \(corner)")
        }
    }

    @Test func `steps after a colour laid under the image change it, too`() throws {
        let grey = Workbench.png(PixelImage(width: 8, height: 8) { _, _ in [100, 100, 100, 100] })
        let pixel = try Workbench.pixels("tint=ff0000,dest-over&filter=grayscale", of: grey)[4, 4]
        // 100 × 100⁄255 and the rest of 255, 0, 0: 194.2, 39.2, 39.2, whose luma is 72.2.
        #expect(pixel.prefix(3).allSatisfy { abs(Int($0) - 72) <= 1 } && (pixel.count == 3 || pixel[3] == 255))
    }

    @Test func `tints every frame`() throws {
        let made = try Workbench.make(
            "tint=808080,difference&format=gif",
            of: ThreeFrames.gif(width: 12, height: 5),
            as: .gif
        )
        let stack = try Workbench.decode(made)
        for frame in 0..<3 {
            let source = ThreeFrames.picture(frame, width: 12, height: 5)[6, 2]
            for (made, value) in zip(stack[6, frame * 5 + 2], source.prefix(3)) {
                // A GIF palette may be off by one.
                #expect(abs(Int(made) - abs(Int(value) - 128)) <= 1)
            }
        }
    }
}
