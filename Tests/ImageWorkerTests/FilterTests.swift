import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

@Suite(.timeLimit(.minutes(1)))
struct FilterTests {
    private let colours = PixelImage(width: 64, height: 32) { x, y in
        [UInt8(x * 4), UInt8(y * 8), UInt8((x * 13 + y * 5) % 256), y < 16 ? 255 : UInt8(x * 4)]
    }

    /// The result of a filter for one colour, before rounding.
    private static func expected(_ filter: String, _ pixel: [UInt8]) -> [Double] {
        let (r, g, b) = (Double(pixel[0]), Double(pixel[1]), Double(pixel[2]))
        let luma = 0.2126 * r + 0.7152 * g + 0.0722 * b
        switch filter {
        case "grayscale": return [luma, luma, luma]
        case "sepia":
            return [
                0.393 * r + 0.769 * g + 0.189 * b, 0.349 * r + 0.686 * g + 0.168 * b,
                0.272 * r + 0.534 * g + 0.131 * b,
            ].map { min(255, $0) }
        case "invert": return [255 - r, 255 - g, 255 - b]
        case "monochrome": return [153 * luma / 255, 115 * luma / 255, 77 * luma / 255]
        case "monochrome:0080ff": return [0, 128 * luma / 255, luma]
        default: return [16 + 224 * luma / 255, 32 + 96 * luma / 255, 200 - 200 * luma / 255]
        }
    }

    @Test(arguments: ["grayscale", "sepia", "invert", "monochrome", "monochrome:0080ff", "duotone:1020c8,f08000"])
    func `computes the values of its formula and keeps alpha`(filter: String) throws {
        let pixels = try Workbench.pixels("filter=\(filter)", of: Workbench.png(colours))
        for y in 0..<colours.height {
            for x in 0..<colours.width {
                for (made, right) in zip(pixels[x, y], Self.expected(filter, colours[x, y])) {
                    #expect(abs(Double(made) - right) <= 0.51, "\(x), \(y)")
                }
                #expect(pixels.alpha(x, y) == colours.alpha(x, y))
            }
        }
    }

    /// The values of an independent computation in CIELAB, by scikit-image.
    @Test(
        arguments: [
            ("ff8800", [200, 200, 200], [255, 168, 51]),
            ("ff8800", [20, 60, 180], [138, 39, 0]),
            ("4080ff", [250, 240, 30], [190, 227, 255]),
            ("808080", [10, 200, 90], [174, 174, 174]),
            ("00a000", [90, 40, 40], [0, 71, 0]),
            ("704214", [0, 0, 0], [44, 0, 0]),
            ("704214", [255, 255, 255], [255, 242, 188]),
        ] as [(String, [UInt8], [UInt8])]
    )
    func `chroma keeps the lightness and takes the chroma of a colour`(
        color: String,
        source: [UInt8],
        expected: [UInt8]
    ) throws {
        let pixels = try Workbench.pixels(
            "filter=chroma:\(color)",
            of: Workbench.png(PixelImage(width: 3, height: 2) { x, _ in source + [UInt8(255 - x * 100)] })
        )
        for (made, right) in zip(pixels[0, 0], expected) { #expect(abs(Int(made) - Int(right)) <= 1) }
        #expect((0..<3).map { pixels.alpha($0, 1) } == [255, 155, 55])
    }

    @Test(arguments: [("vignette", 0.5), ("vignette:1", 1.0), ("vignette:0.2", 0.2)])
    func `a vignette darkens with the fourth power of the distance`(filter: String, strength: Double) throws {
        let (width, height) = (61, 40)
        let source = PixelImage(width: width, height: height) { _, _ in [240, 120, 60, 255] }
        let pixels = try Workbench.pixels("filter=\(filter)", of: Workbench.png(source))
        for y in 0..<height {
            for x in 0..<width {
                let (dx, dy) = (Double(x) + 0.5 - 30.5, Double(y) + 0.5 - 20)
                let square = (dx * dx + dy * dy) / (30.5 * 30.5 + 20 * 20)
                let light = 1 - strength * square * square
                for (channel, value) in [240.0, 120, 60].enumerated() {
                    #expect(abs(Double(pixels[x, y][channel]) - value * light) <= 0.52, "\(x), \(y)")
                }
            }
        }
        #expect(pixels[0, 0] == pixels[60, 39])
    }

    @Test func `filters work on every frame`() throws {
        let made = try Workbench.make("filter=invert&format=gif", of: ThreeFrames.gif(width: 12, height: 5), as: .gif)
        let stack = try Workbench.decode(made)
        #expect(stack.height == 15)
        for frame in 0..<3 {
            let source = ThreeFrames.picture(frame, width: 12, height: 5)
            for x in 0..<12 {
                for (made, value) in zip(stack[x, frame * 5 + 2], source[x, 2].prefix(3)) {
                    // A GIF palette may be off by one.
                    #expect(abs(Int(made) - 255 + Int(value)) <= 1)
                }
            }
        }
    }

    @Test func `every filter of the language has a pixel operation`() {
        for type in FilterRegistry.types { #expect(type is any PixelFilter.Type, "\(type)") }
    }

    @Test(.enabled(if: SharedImages.isAvailable, "needs ../shared/images"))
    func `a grey photograph is the same before and after the resize, shrunk on load or not`() throws {
        let source = try Workbench.photograph("bus-12mp.jpg")
        let before = try Workbench.pixels("filter=grayscale&w=400", of: source, as: .jpeg)
        let after = try Workbench.pixels("w=400&filter=grayscale", of: source, as: .jpeg)
        #expect(ImageComparison.meanDifference(before, after) < 0.6)
    }
}
