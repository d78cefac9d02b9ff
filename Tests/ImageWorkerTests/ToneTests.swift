import Glibc
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

@Suite(.timeLimit(.minutes(1)))
struct ToneTests {
    /// Every value of red, many pairs of the others, and every alpha, 0 among them.
    private let colours = PixelImage(width: 256, height: 24) { x, y in
        [UInt8(x), UInt8((x * 7 + y * 31) % 256), UInt8((y * 11 + 255 - x) % 256), y < 12 ? 255 : UInt8(x)]
    }

    private static func byte(_ value: Double) -> UInt8 { UInt8(max(0, min(255, (value + 0.5).rounded(.down)))) }

    /// The result of CSS Filter Effects 1 for one pixel.
    private static func expected(_ query: String, _ pixel: [UInt8]) throws -> [UInt8] {
        let parts = query.split(separator: "=")
        let amounts = parts[1].split(separator: ",").compactMap { Double($0) }
        let amount = try #require(amounts.first)
        let (r, g, b) = (Double(pixel[0]), Double(pixel[1]), Double(pixel[2]))
        let colours: [Double]
        switch parts[0] {
        case "brightness": colours = [r * amount, g * amount, b * amount]
        case "offset": colours = [r + amount, g + amounts[amounts.count / 2], b + amounts[amounts.count - 1]]
        case "contrast": colours = [r, g, b].map { amount * $0 + 255 * (0.5 - 0.5 * amount) }
        case "gamma": colours = [r, g, b].map { 255 * pow($0 / 255, 1 / amount) }
        case "saturation":
            let grey = 0.213 * r + 0.715 * g + 0.072 * b
            colours = [r, g, b].map { grey + amount * ($0 - grey) }
        default:
            let (c, s) = (cos(amount * .pi / 180), sin(amount * .pi / 180))
            colours = [
                (0.213 + c * 0.787 - s * 0.213) * r + (0.715 - c * 0.715 - s * 0.715) * g
                    + (0.072 - c * 0.072 + s * 0.928) * b,
                (0.213 - c * 0.213 + s * 0.143) * r + (0.715 + c * 0.285 + s * 0.140) * g
                    + (0.072 - c * 0.072 - s * 0.283) * b,
                (0.213 - c * 0.213 - s * 0.787) * r + (0.715 - c * 0.715 + s * 0.715) * g
                    + (0.072 + c * 0.928 + s * 0.072) * b,
            ]
        }
        return colours.map(byte) + [pixel[3]]
    }

    @Test(arguments: [
        "brightness=0", "brightness=0.4", "brightness=1.7", "brightness=10", "offset=20", "offset=-255",
        "offset=10.5,-30,0",
        "contrast=0", "contrast=0.5", "contrast=3",
        "gamma=0.1", "gamma=0.45", "gamma=2.2", "saturation=0", "saturation=0.3", "saturation=2.5", "hue=30", "hue=120",
        "hue=180", "hue=359",
    ])
    func `computes the values of its formula and keeps alpha`(query: String) throws {
        let pixels = try Workbench.pixels(query, of: Workbench.png(colours))
        var worst = 0
        for y in 0..<colours.height {
            for x in 0..<colours.width {
                let expected = try Self.expected(query, colours[x, y])
                for (made, right) in zip(pixels[x, y], expected) { worst = max(worst, abs(Int(made) - Int(right))) }
                #expect(pixels.alpha(x, y) == colours.alpha(x, y))
            }
        }
        // Only values within a rounding error of a half may differ, by one.
        #expect(worst <= 1)
        let same = (0..<256).count { (try? Self.expected(query, colours[$0, 3])) == pixels[$0, 3] }
        #expect(same >= 250)
    }

    /// The mean of a part of an RGBA picture with premultiplied alpha, rounded half up.
    private static func mean(of image: PixelImage, columns: Range<Int>, rows: Range<Int>) -> [UInt8] {
        var (sums, weight) = ([0, 0, 0], 0)
        for y in rows {
            for x in columns {
                let pixel = image[x, y].map { Int($0) }
                for channel in 0..<3 { sums[channel] += pixel[channel] * pixel[3] }
                weight += pixel[3]
            }
        }
        let count = columns.count * rows.count
        return sums.map { UInt8((2 * $0 + weight) / (2 * weight)) } + [UInt8((2 * weight + count) / (2 * count))]
    }

    @Test func `blocks have exactly the mean of their pixels, including partial ones at the edges`() throws {
        let pictures = [
            PixelImage(width: 23, height: 17) { x, y in [UInt8(x * 11), UInt8(y * 15), UInt8((x * y * 5) % 256), 255] },
            PixelImage(width: 23, height: 17) { x, y in [UInt8(x * 11), UInt8(y * 15), 77, UInt8(1 + x * y % 255)] },
            // Many means lie between two values.
            PixelImage(width: 23, height: 17) { x, y in [40, 197, 0].map { $0 + UInt8((x + y) % 2) } + [255] },
            PixelImage(width: 23, height: 17) { x, y in [40, 197, 0].map { $0 + UInt8((x + y) % 2) } + [99] },
        ]
        for (index, source) in pictures.enumerated() {
            for block in [2, 3, 5, 6, 7, 8, 12, 20, 22, 23, 400] {
                let pixels = try Workbench.pixels("pixelate=\(block)", of: Workbench.png(source))
                for y in 0..<17 {
                    for x in 0..<23 {
                        let (left, top) = (x / block * block, y / block * block)
                        let (right, bottom) = (min(23, left + block), min(17, top + block))
                        let mean = Self.mean(of: source, columns: left..<right, rows: top..<bottom)
                        #expect(pixels[x, y] == mean, "\(block) of \(index)")
                    }
                }
            }
        }
    }

    @Test func `hidden colours do not show in blocks`() throws {
        let source = PixelImage(width: 8, height: 8) { x, _ in x < 2 ? [0, 0, 240, 255] : [255, 0, 0, 0] }
        let pixels = try Workbench.pixels("pixelate=4", of: Workbench.png(source))
        #expect(pixels[1, 1] == [0, 0, 240, 128])
        #expect(pixels.alpha(5, 5) == 0)
    }

    @Test func `dpr widens blocks`() throws {
        let source = PixelImage(width: 16, height: 16) { x, _ in
            x.isMultiple(of: 2) ? [0, 0, 0, 255] : [200, 0, 0, 255]
        }
        let pixels = try Workbench.pixels("w=16&dpr=2&pixelate=1", of: Workbench.png(source))
        #expect(pixels[3, 3] == [100, 0, 0, 255])
    }

    @Test(arguments: ["pixelate=3", "brightness=0.5", "contrast=0.5", "saturation=0", "hue=180", "gamma=2"])
    func `works on every frame`(query: String) throws {
        let gif = ThreeFrames.gif(width: 10, height: 7)
        let made = try Workbench.decode(Workbench.make("\(query)&format=webp&q=100", of: gif, as: .gif))
        #expect(made.height == 21)
        for frame in 0..<3 {
            let still = try Workbench.pixels(query, of: Workbench.png(ThreeFrames.picture(frame, width: 10, height: 7)))
            // The middle of the frame, from WebP with its chroma of half the size.
            #expect(ImageComparison.colourDistance(made[5, frame * 7 + 4], still[5, 4]) < 10, "\(query) \(frame)")
        }
    }

    @Test func `tones of a JPEG keep its three bands`() throws {
        let jpeg = try Workbench.make("format=jpeg&q=95", of: Workbench.png(colours), as: .png).bytes
        for query in ["brightness=1.2", "hue=90", "filter=sepia", "pixelate=4", "tint=ff000080", "filter=vignette"] {
            #expect(try Workbench.pixels(query, of: jpeg, as: .jpeg).channels == 3, "\(query)")
        }
    }

    @Test(.enabled(if: SharedImages.isAvailable, "needs ../shared/images"))
    func `greys become sRGB before tones`() throws {
        // An 8-bit grey picture is a grey one of three bands to every step.
        let source = try Workbench.photograph("pngsuite/basn0g08.png")
        let pixels = try Workbench.pixels("tint=ff0000,multiply", of: source)
        let plain = try Workbench.pixels("brightness=1", of: source)
        for x in 0..<pixels.width {
            #expect(pixels[x, 9][0] == plain[x, 9][0])
            #expect(pixels[x, 9][1] == 0)
        }
    }
}

/// A GIF of three frames, red, green and blue, the third with a yellow left half.
enum ThreeFrames {
    private static let palette: [(UInt8, UInt8, UInt8)] = [(200, 40, 0), (0, 180, 60), (30, 0, 220), (250, 250, 0)]

    private static func index(_ frame: Int, _ x: Int, _ width: Int) -> Int { frame == 2 && x < width / 4 ? 3 : frame }

    static func gif(width: Int, height: Int) -> [UInt8] {
        let frames = (0..<3).map { frame in (0..<width * height).map { UInt8(index(frame, $0 % width, width)) } }
        return TestImages.gif(
            width: width,
            height: height,
            palette: palette,
            frames: frames,
            delays: [5, 10, 20],
            loop: 0
        )
    }

    static func picture(_ frame: Int, width: Int, height: Int) -> PixelImage {
        PixelImage(width: width, height: height) { x, _ in
            let colour = palette[index(frame, x, width)]
            return [colour.0, colour.1, colour.2, 255]
        }
    }
}
