import Glibc
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

@Suite(.timeLimit(.minutes(1)))
struct PerceptualScoreTests {
    private func score(_ left: PixelImage, _ right: PixelImage) -> Double { Workbench.score(left, right) }

    /// A slow gradient, like a sky.
    private static func sky(_ change: (_ x: Int, _ y: Int) -> Int) -> PixelImage {
        PixelImage(width: 256, height: 192) { x, y in
            let value = UInt8(clamping: 120 + x / 4 + change(x, y))
            return [value, value, UInt8(clamping: Int(value) + 40), 255]
        }
    }

    /// Stripes and noise-like colours.
    private static func pattern(width: Int, height: Int) -> PixelImage {
        PixelImage(width: width, height: height) { x, y in
            [UInt8((x * 5 + y * 3) % 256), UInt8((x * 2 + y * 7) % 256), UInt8(x * y % 256), 255]
        }
    }

    /// The pattern with some bits flipped.
    private static func flipped(width: Int, height: Int) -> PixelImage {
        PixelImage(width: width, height: height) { x, y in
            [
                UInt8((x * 5 + y * 3) % 256) ^ ((x + y) % 3 == 0 ? 8 : 0),
                UInt8((x * 2 + y * 7) % 256) ^ (x * y % 5 == 0 ? 4 : 0), UInt8(x * y % 256) ^ (y % 2 == 0 ? 16 : 0),
                255,
            ]
        }
    }

    /// Soft waves in three colours; with steps, in bands of 24 levels.
    private static func waves(hasSteps: Bool) -> PixelImage {
        PixelImage(width: 300, height: 260) { x, y in
            let levels = (0..<3).map { phase in
                let (x, y, phase) = (Double(x), Double(y), Double(phase))
                let level = Int(128 + 90 * sin(x / 17 + phase) * cos(y / 23 - phase) + 20 * sin(x * y / 900))
                let shown = min(max(level, 0), 255)
                return UInt8(clamping: hasSteps ? shown / 24 * 24 + 12 : shown)
            }
            return levels + [255]
        }
    }

    @Test func `an image has the score 100 against itself`() {
        let pattern = Self.pattern(width: 96, height: 64)
        #expect(score(pattern, pattern) > 99.9)
    }

    /// Scores of the package ssimulacra2 0.3 (Python) for the same pixels; it blurs by other filters, which moves a score by a point.
    @Test func `scores are those of another implementation`() {
        let noise = score(Self.pattern(width: 300, height: 260), Self.flipped(width: 300, height: 260))
        #expect(abs(noise - 87.4) < 1, "\(noise)")
        let bands = score(Self.waves(hasSteps: false), Self.waves(hasSteps: true))
        #expect(abs(bands - 51.3) < 1.5, "\(bands)")
    }

    /// `Tests/Browser/playground.py` measures the same images in the browser.
    @Test func `the playground's script measures the same`() {
        let found = score(Self.pattern(width: 160, height: 130), Self.flipped(width: 160, height: 130))
        #expect(abs(found - 83.6419) < 0.01, "\(found)")
    }

    @Test func `noise of one level is invisible, and blocks in a sky are visible`() {
        var generator = SeededGenerator(seed: 7)
        let sky = Self.sky { _, _ in 0 }
        let noisy = Self.sky { _, _ in Int.random(in: -1...1, using: &generator) }
        // The mean of each block of 16, as the coarsest quantiser leaves it.
        let blocks = Self.sky { x, _ in x / 16 * 4 + 2 - x / 4 }
        let (seen, unseen) = (score(sky, blocks), score(sky, noisy))
        #expect(unseen > 85 && seen < unseen - 10, "\(seen) \(unseen)")
    }

    @Test func `hidden colours are ignored, and transparency counts`() {
        let clear = PixelImage(width: 64, height: 64) { x, y in [UInt8(x), UInt8(y), 9, x < 32 ? 0 : 255] }
        let other = PixelImage(width: 64, height: 64) { x, y in
            [x < 32 ? 200 : UInt8(x), UInt8(y), 9, x < 32 ? 0 : 255]
        }
        let opaque = PixelImage(width: 64, height: 64) { x, y in [UInt8(x), UInt8(y), 9, 255] }
        #expect(score(clear, other) > 99.9)
        #expect(score(clear, opaque) < 50)
        let plain = PixelImage(width: 64, height: 64, channels: 3) { x, y in [UInt8(x), UInt8(y), 9] }
        #expect(score(opaque, plain) > 99.9)
    }

    @Test(arguments: [8, 9, 15, 16, 33])
    func `small images have a score, too`(side: Int) {
        let (pattern, flipped) = (Self.pattern(width: side, height: side), Self.flipped(width: side, height: side))
        #expect(score(pattern, pattern) > 99.9)
        let found = score(pattern, flipped)
        #expect(found < 99 && found > 0, "\(found)")
    }

    @Test func `traits tell smooth images from textures`() throws {
        let traits = { (image: PixelImage) in
            unsafe image.bytes.withUnsafeBytes { bytes in
                PerceptualScore(of: bytes, width: image.width, height: image.height, bands: image.channels).traits
            }?.values
        }
        let smooth = try #require(traits(Self.sky { _, _ in 0 }))
        let rough = try #require(traits(Self.pattern(width: 256, height: 192)))
        #expect(smooth.count == PictureTraits.count && rough.count == PictureTraits.count)
        // Fine colours and the contrast of luma, and of the other channels; flat regions; size.
        for index in [0, 2, 3, 4, 5, 10, 11, 12, 13] { #expect(smooth[index] < rough[index], "\(index)") }
        for index in 6...9 { #expect(smooth[index] > rough[index], "\(index)") }
        #expect(smooth.last == rough.last)
        // Not all scales.
        #expect(traits(Self.pattern(width: 112, height: 500)) == nil)
    }

    @Test(.enabled(if: SharedImages.isAvailable), arguments: ["fox.jpg", "hato.jpg", "kimono.jpg"])
    func `scores fall with quality, like structural similarity`(name: String) throws {
        let small = try Workbench.make("w=256&format=png", of: Workbench.photograph(name), as: .jpeg)
        let (source, picture) = (small.bytes, try Workbench.decode(small))
        for format in ["jpeg", "webp", "avif"] {
            var last = (score: -Double.infinity, similarity: 0.0)
            for quality in [30, 50, 70, 90] {
                let made = try Workbench.decode(Workbench.make("format=\(format)&q=\(quality)", of: source, as: .png))
                let now = (
                    score: score(picture, made), similarity: ImageComparison.structuralSimilarity(picture, made)
                )
                #expect(now.score > last.score && now.similarity > last.similarity, "\(format) \(quality)")
                last = now
            }
        }
    }
}
