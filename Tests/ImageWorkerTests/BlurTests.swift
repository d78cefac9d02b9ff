import Glibc
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

@Suite(.timeLimit(.minutes(4)))
struct BlurTests {
    private static func picture(_ name: String) throws -> PixelImage {
        switch name {
        case "checks":
            return PixelImage(width: 300, height: 200) { x, y in
                (x / 37 + y / 29).isMultiple(of: 2) ? [250, 20, 90, 255] : [5, 190, 240, 255]
            }
        case "noise":
            var generator = SeededGenerator(seed: 1)
            return PixelImage(width: 200, height: 160) { _, _ in
                (0..<3).map { _ in UInt8.random(in: 0...255, using: &generator) } + [255]
            }
        default:
            let source = try Workbench.photograph(name)
            let pixels = try Workbench.pixels("w=300", of: source, as: .jpeg)
            return PixelImage(width: pixels.width, height: pixels.height) { Array(pixels[$0, $1].prefix(3)) + [255] }
        }
    }

    /// Around the deviations at which the reduction changes, and far from them.
    private static let sigmas = [0.5, 1, 2, 4.9, 5, 7.4, 7.5, 12, 20]

    @Test(arguments: ["checks", "noise"])
    func `looks like a Gaussian`(name: String) throws {
        try compare(name)
    }

    @Test(.enabled(if: SharedImages.isAvailable), arguments: ["kimono.jpg", "fox.jpg", "hato.jpg"])
    func `looks like a Gaussian on photographs`(name: String) throws {
        try compare(name)
    }

    private func compare(_ name: String) throws {
        let source = try Self.picture(name)
        for sigma in Self.sigmas {
            let right = ReferenceFilters.gaussian(source, sigma: sigma)
            let made = try Workbench.pixels("blur=\(sigma)", of: Workbench.png(source))
            let similarity = ImageComparison.structuralSimilarity(made, right)
            let difference = ImageComparison.meanDifference(made, right)
            let bias = (0..<right.bytes.count / 3).reduce(0) {
                $0 + Int(made.bytes[$1 * made.channels]) - Int(right.bytes[$1 * 3])
            }
            #expect(similarity >= 0.995, "\(sigma)")
            #expect(difference < 1.5, "\(sigma)")
            #expect(abs(bias) * 3 < right.bytes.count, "\(sigma)")
        }
    }

    /// White with a black frame of one pixel; few factors divide the sides.
    private static func framed(channels: Int) -> PixelImage {
        let (width, height) = (121, 91)
        let bytes = (0..<width * height).flatMap { index -> [UInt8] in
            let (x, y) = (index % width, index / width)
            let isFrame = x == 0 || y == 0 || x == width - 1 || y == height - 1
            let level: UInt8 = isFrame ? 0 : 255
            return Array([level, level, level, 255][..<channels])
        }
        return PixelImage(width: width, height: height, channels: channels, bytes: bytes)
    }

    /// The largest difference of the first channel of two pictures of one size.
    private static func largestDifference(_ one: PixelImage, _ other: PixelImage) -> Int {
        (0..<one.width * one.height)
            .map { abs(Int(one.bytes[$0 * one.channels]) - Int(other.bytes[$0 * other.channels])) }
            .max() ?? 0
    }

    @Test(arguments: [4.9, 5.0, 7.4, 12, 40, 100, 250], [3, 4])
    func `edge pixels are repeated beyond the edge, whatever the deviation`(sigma: Double, channels: Int) throws {
        let source = Self.framed(channels: channels)
        let right = ReferenceFilters.gaussian(source, sigma: sigma)
        let made = try Workbench.pixels("blur=\(sigma)", of: Workbench.png(source))
        #expect(Self.largestDifference(made, right) <= 5)
    }

    @Test(arguments: [6.0, 12, 30], ["w=40", "w=100", "w=300&enlarge=1"])
    func `a resize after a blur shows the edges of the fully blurred image`(sigma: Double, resize: String) throws {
        let source = Workbench.png(Self.framed(channels: 3))
        let small = try Workbench.pixels("blur=\(sigma)&\(resize)", of: source)
        let full = try Workbench.pixels("blur=\(sigma)&brightness=1.000001&\(resize)", of: source)
        #expect(Self.largestDifference(small, full) <= 4)
    }

    @Test(.enabled(if: SharedImages.isAvailable), arguments: [40.0, 100, 250])
    func `looks like a Gaussian with a large deviation`(sigma: Double) throws {
        let source = try Self.picture("hato.jpg")
        let right = ReferenceFilters.gaussian(source, sigma: sigma)
        let made = try Workbench.pixels("blur=\(sigma)", of: Workbench.png(source))
        #expect(ImageComparison.structuralSimilarity(made, right) >= 0.995)
        #expect(Self.largestDifference(made, right) <= 5)
    }

    @Test(arguments: [2, 4.5, 8, 30])
    func `a resize after a blur equals a resize of the fully blurred image`(sigma: Double) throws {
        let source = Workbench.png(try Self.picture("checks"))
        for resize in [
            "w=100", "w=60&h=60&fit=cover&gravity=west", "w=90&h=90&fit=fill", "w=600&enlarge=1", "flip=h&h=70",
        ] {
            let small = try Workbench.pixels("blur=\(sigma)&\(resize)", of: source)
            // A brightness above 1 does not commute with a resize, and this one changes nothing.
            let full = try Workbench.pixels("blur=\(sigma)&brightness=1.000001&\(resize)", of: source)
            #expect(small.width == full.width && small.height == full.height)
            #expect(ImageComparison.structuralSimilarity(small, full) > 0.995, "\(resize)")
            #expect(ImageComparison.meanDifference(small, full) < 1, "\(resize)")
        }
    }

    @Test(.enabled(if: SharedImages.isAvailable), arguments: [2, 3, 5, 6, 8, 12, 30])
    func `shrink-on-load before a blur makes no visible difference`(sigma: Double) throws {
        let photograph = try Workbench.photograph("bus-12mp.jpg")
        // Both sides are multiples of 8, as a JPEG decoder rounds others up, with or without a blur.
        let source = try Workbench.make("w=1600&format=jpeg&q=95", of: photograph, as: .jpeg).bytes
        let png = try Workbench.make("format=png", of: source, as: .jpeg).bytes
        for width in [100, 300] {
            let full = try Workbench.pixels("blur=\(sigma)&brightness=1.000001&w=\(width)", of: source, as: .jpeg)
            for (bytes, format) in [(source, ImageFormat.jpeg), (png, .png)] {
                let small = try Workbench.pixels("blur=\(sigma)&w=\(width)", of: bytes, as: format)
                #expect(ImageComparison.structuralSimilarity(small, full) > 0.995, "\(width) \(format)")
                #expect(ImageComparison.meanDifference(small, full) < 1, "\(width) \(format)")
            }
        }
    }

    @Test(arguments: [2, 3, 4])
    func `an enlarged ramp is not shifted`(factor: Int) throws {
        let source = PixelImage(width: 40, height: 6) { x, _ in [UInt8(x * 6), UInt8(x * 6), UInt8(x * 6), 255] }
        let pixels = try Workbench.pixels("w=\(40 * factor)&enlarge=1", of: Workbench.png(source))
        for x in 3 * factor..<37 * factor {
            let right = 6 * ((Double(x) + 0.5) / Double(factor) - 0.5)
            #expect(abs(Double(pixels[x, 3][0]) - right) <= 1, "\(x)")
        }
    }
}
