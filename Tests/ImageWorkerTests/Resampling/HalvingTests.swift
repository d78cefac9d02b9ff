import TestSupport
import Testing

@testable import ImageWorker

/// Images halved without libvips.
@Suite(.timeLimit(.minutes(1)))
struct HalvingTests {
    init() { precondition(Workbench.isStarted) }

    @Test(arguments: [(2, 2), (7, 5), (64, 48), (3, 200)])
    func `each pixel is the mean of four`(width: Int, height: Int) throws {
        var generator = SeededGenerator(seed: UInt64(width * 1000 + height))
        let bytes = (0..<width * height * 3).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let picture = PixelImage(width: width, height: height, channels: 3, bytes: bytes)
        let half = try Workbench.pixels(
            of: Raster.sRGB(bytes, width: width, height: height, bands: 3).reduced(by: 2)
        )
        #expect(half.width == width / 2)
        #expect(half.height == height / 2)
        for y in 0..<half.height {
            for x in 0..<half.width {
                for channel in 0..<3 {
                    let corners = [(0, 0), (1, 0), (0, 1), (1, 1)].map { dx, dy in
                        Int(picture[2 * x + dx, 2 * y + dy][channel])
                    }
                    let mean = Double(corners.reduce(0, +)) / 4
                    #expect(Double(half[x, y][channel]) == mean.rounded(.toNearestOrEven))
                }
            }
        }
    }

    @Test(arguments: [2, 4, 8, 16])
    func `a noisy image keeps its mean at every size`(factor: Int) throws {
        var generator = SeededGenerator(seed: UInt64(factor))
        let (width, height) = (512, 384)
        let sky = [110, 160, 220]
        let bytes = (0..<width * height * 3).map { index in
            UInt8(sky[index % 3] + index / 3 % width / 20 + Int.random(in: -9...9, using: &generator))
        }
        let mean = Double(bytes.reduce(0) { $0 + Int($1) }) / Double(bytes.count)
        let made = try Workbench.pixels(
            of: Raster.sRGB(bytes, width: width, height: height, bands: 3).reduced(by: factor)
        )
        #expect(made.width == width / factor && made.height == height / factor)
        let drift = Double(made.bytes.reduce(0) { $0 + Int($1) }) / Double(made.bytes.count) - mean
        #expect(abs(drift) <= 0.05, "\(factor): \(drift)")
    }

    @Test func `columns that differ by one keep their mean`() throws {
        // Rounding to even at each halving would drift to 128 or 130.
        let bytes = (0..<64 * 64 * 3).map { UInt8($0 / 3 % 4 == 0 ? 130 : 129) }
        let made = try Workbench.pixels(of: Raster.sRGB(bytes, width: 64, height: 64, bands: 3).reduced(by: 4))
        #expect(made.bytes.allSatisfy { $0 == 129 })
    }

    @Test func `hidden colours do not bleed`() throws {
        let picture = PixelImage(width: 32, height: 32) { x, _ in x < 16 ? [255, 0, 0, 0] : [0, 0, 255, 255] }
        let half = try Workbench.pixels(of: Raster.sRGB(picture.bytes, width: 32, height: 32, bands: 4).reduced(by: 2))
        #expect(half.width == 16 && half.height == 16)
        #expect((0..<16).allSatisfy { x in half[x, 8][3] < 128 || half[x, 8][0] < 4 })
    }
}
