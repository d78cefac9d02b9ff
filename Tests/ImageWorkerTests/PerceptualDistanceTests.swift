import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

@Suite(.timeLimit(.minutes(1)))
struct PerceptualDistanceTests {
    private func distance(_ left: PixelImage, _ right: PixelImage) -> Double {
        Workbench.distance(left, right)
    }

    /// A slow gradient, like a sky.
    private static func sky(_ change: (_ x: Int, _ y: Int) -> Int) -> PixelImage {
        PixelImage(width: 256, height: 192) { x, y in
            let value = UInt8(clamping: 120 + x / 4 + change(x, y))
            return [value, value, UInt8(clamping: Int(value) + 40), 255]
        }
    }

    @Test func `an image has distance 0 from itself`() {
        let sky = Self.sky { _, _ in 0 }
        #expect(distance(sky, sky) == 0)
    }

    @Test func `noise of one level is invisible, and blocks in a sky are visible`() {
        var generator = SeededGenerator(seed: 7)
        let sky = Self.sky { _, _ in 0 }
        let noisy = Self.sky { _, _ in Int.random(in: -1...1, using: &generator) }
        // The mean of each block of 16, as the coarsest quantiser leaves it.
        let blocks = Self.sky { x, _ in x / 16 * 4 + 2 - x / 4 }
        #expect(distance(sky, noisy) < 0.25)
        #expect(distance(sky, blocks) > 4 * distance(sky, noisy))
    }

    @Test func `colours count, but less than luma`() {
        let grey = PixelImage(width: 64, height: 64) { _, _ in [128, 128, 128, 255] }
        // JFIF §7: both with the same difference from grey, one in Y and one in Cb.
        let lighter = PixelImage(width: 64, height: 64) { x, _ in x < 32 ? [128, 128, 128, 255] : [148, 148, 148, 255] }
        let bluer = PixelImage(width: 64, height: 64) { x, _ in x < 32 ? [128, 128, 128, 255] : [128, 121, 163, 255] }
        #expect(distance(grey, bluer) > 0.1)
        #expect(distance(grey, lighter) > 2 * distance(grey, bluer))
    }

    @Test func `hidden colours are ignored, and transparency counts`() {
        let clear = PixelImage(width: 64, height: 64) { x, y in [UInt8(x), UInt8(y), 9, x < 32 ? 0 : 255] }
        let other = PixelImage(width: 64, height: 64) { x, y in
            [x < 32 ? 200 : UInt8(x), UInt8(y), 9, x < 32 ? 0 : 255]
        }
        let opaque = PixelImage(width: 64, height: 64) { x, y in [UInt8(x), UInt8(y), 9, 255] }
        #expect(distance(clear, other) == 0)
        #expect(distance(clear, opaque) > 1)
        let plain = PixelImage(width: 64, height: 64, channels: 3) { x, y in [UInt8(x), UInt8(y), 9] }
        #expect(distance(opaque, plain) == 0)
    }

    /// `Tests/Browser/playground.py` measures the same images in the browser.
    @Test func `the playground's script measures the same`() {
        let left = PixelImage(width: 96, height: 64) { x, y in
            [UInt8((x * 5 + y * 3) % 256), UInt8((x * 2 + y * 7) % 256), UInt8(x * y % 256), 255]
        }
        let right = PixelImage(width: 96, height: 64) { x, y in
            [
                UInt8((x * 5 + y * 3) % 256) ^ ((x + y) % 3 == 0 ? 8 : 0),
                UInt8((x * 2 + y * 7) % 256) ^ (x * y % 5 == 0 ? 4 : 0), UInt8(x * y % 256) ^ (y % 2 == 0 ? 16 : 0),
                255,
            ]
        }
        #expect(abs(distance(left, right) - 0.142367) < 0.0001)
    }

    @Test func `an image smaller than two windows has no distance`() {
        let small = PixelImage(width: 15, height: 40) { x, _ in [UInt8(x * 10), 0, 0, 255] }
        let other = PixelImage(width: 15, height: 40) { _, _ in [0, 0, 0, 255] }
        #expect(distance(small, other) == 0)
    }

    @Test(.enabled(if: SharedImages.isAvailable), arguments: ["fox.jpg", "hato.jpg", "kimono.jpg"])
    func `distance grows as quality falls, like structural similarity`(name: String) throws {
        let small = try Workbench.make("w=256&format=png", of: Workbench.photograph(name), as: .jpeg)
        let (source, picture) = (small.bytes, try Workbench.decode(small))
        for format in ["jpeg", "webp", "avif"] {
            var last = (distance: Double.infinity, similarity: 0.0)
            for quality in [30, 50, 70, 90] {
                let made = try Workbench.decode(Workbench.make("format=\(format)&q=\(quality)", of: source, as: .png))
                let now = (
                    distance: distance(picture, made),
                    similarity: ImageComparison.structuralSimilarity(picture, made)
                )
                #expect(now.distance < last.distance && now.similarity > last.similarity, "\(format) \(quality)")
                last = now
            }
        }
    }
}
