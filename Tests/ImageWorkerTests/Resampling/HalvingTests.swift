import TestSupport
import Testing

@testable import ImageWorker

/// Images halved without libvips.
@Suite(.timeLimit(.minutes(1)))
struct HalvingTests {
    init() { precondition(Workbench.isStarted) }

    @Test(arguments: [(2, 2), (7, 5), (64, 48), (3, 200), (1, 9), (9, 1)])
    func `each pixel is the mean of four`(width: Int, height: Int) throws {
        var generator = SeededGenerator(seed: UInt64(width * 1000 + height))
        let bytes = (0..<width * height * 3).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let picture = PixelImage(width: width, height: height, channels: 3, bytes: bytes)
        let half = try Workbench.pixels(
            of: Raster.sRGB(bytes, width: width, height: height, bands: 3).reduced(by: 2)
        )
        // A last odd column or row is repeated.
        #expect(half.width == (width + 1) / 2)
        #expect(half.height == (height + 1) / 2)
        for y in 0..<half.height {
            for x in 0..<half.width {
                for channel in 0..<3 {
                    let corners = [(0, 0), (1, 0), (0, 1), (1, 1)].map { dx, dy in
                        Int(picture[min(2 * x + dx, width - 1), min(2 * y + dy, height - 1)][channel])
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

    /// The shares of the last of some pixels in those that are left, with each last one that has no partner repeated.
    private static func shares(of side: Int, reducedBy factor: Int) -> [Double] {
        var shares = (0..<side).map { $0 == side - 1 ? 1.0 : 0 }
        for _ in 0..<factor.trailingZeroBitCount {
            shares = stride(from: 0, to: shares.count, by: 2).map {
                (shares[$0] + shares[min($0 + 1, shares.count - 1)]) / 2
            }
        }
        return shares
    }

    @Test(arguments: 1...17)
    func `the last pixel of an odd side stands for what remains`(side: Int) throws {
        let bytes = (0..<side * side * 3).map {
            UInt8($0 / 3 % side == side - 1 || $0 / 3 / side == side - 1 ? 255 : 0)
        }
        for factor in [2, 4, 8] {
            let made = try Workbench.pixels(
                of: Raster.sRGB(bytes, width: side, height: side, bands: 3).reduced(by: factor)
            )
            let shares = Self.shares(of: side, reducedBy: factor)
            #expect(made.width == shares.count && made.height == shares.count)
            #expect(shares.count == (side + factor - 1) / factor && shares.dropLast().allSatisfy { $0 == 0 })
            for y in 0..<made.height {
                for x in 0..<made.width {
                    // Fixed point has enough bits for these fractions, which are rounded once.
                    let exact = 255 * (1 - (1 - shares[x]) * (1 - shares[y]))
                    let isRight = made[x, y].allSatisfy { Double($0) == exact.rounded(.toNearestOrEven) }
                    #expect(isRight, "\(factor), \(x), \(y): \(made[x, y]), not \(exact)")
                }
            }
        }
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
