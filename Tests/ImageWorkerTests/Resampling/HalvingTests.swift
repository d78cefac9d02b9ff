import TestSupport
import Testing

@testable import ImageWorker

/// Pictures made half as large without libvips.
@Suite(.timeLimit(.minutes(1)))
struct HalvingTests {
    init() { precondition(Workbench.isStarted) }

    @Test(arguments: [(2, 2), (7, 5), (64, 48), (3, 200)])
    func `each pixel is the mean of four`(width: Int, height: Int) throws {
        var generator = SeededGenerator(seed: UInt64(width * 1000 + height))
        let bytes = (0..<width * height * 3).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let picture = PixelImage(width: width, height: height, channels: 3, bytes: bytes)
        let half = try Workbench.pixels(
            of: Raster.sRGB(bytes, width: width, height: height, bands: 3).halved()
        )
        #expect(half.width == width / 2)
        #expect(half.height == height / 2)
        for y in 0..<half.height {
            for x in 0..<half.width {
                for channel in 0..<3 {
                    let corners = [(0, 0), (1, 0), (0, 1), (1, 1)].map { dx, dy in
                        Int(picture[2 * x + dx, 2 * y + dy][channel])
                    }
                    #expect(Int(half[x, y][channel]) == (corners.reduce(0, +) + 2) / 4)
                }
            }
        }
    }

    @Test func `hidden colours do not bleed`() throws {
        let picture = PixelImage(width: 32, height: 32) { x, _ in x < 16 ? [255, 0, 0, 0] : [0, 0, 255, 255] }
        let half = try Workbench.pixels(of: Raster.sRGB(picture.bytes, width: 32, height: 32, bands: 4).halved())
        #expect(half.width == 16 && half.height == 16)
        #expect((0..<16).allSatisfy { x in half[x, 8][3] < 128 || half[x, 8][0] < 4 })
    }
}
