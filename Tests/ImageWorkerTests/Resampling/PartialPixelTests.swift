import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// Pictures whose sides are no multiples of the factor by which they are loaded smaller.
@Suite(.timeLimit(.minutes(1)))
struct PartialPixelTests {
    /// Waves in all directions, of which a reduction by 16 still shows the longer ones.
    private static func waves(width: Int, height: Int) -> PixelImage {
        PixelImage(width: width, height: height) { x, y in
            let (u, v) = (Double(x), Double(y))
            func level(_ phase: Double) -> UInt8 {
                UInt8(128 + 60 * wave(u / 61 + v / 83 + phase) + 50 * wave(u / 127 - v / 97 - phase))
            }
            return [level(0), level(0.3), level(0.6), 255]
        }
    }

    /// A triangle wave of period 1 between -1 and 1.
    private static func wave(_ x: Double) -> Double { 4 * abs(x - x.rounded()) - 1 }

    /// The largest mean difference of a kind of JPEG to the same picture as PNG, of results in several sizes.
    private func difference(
        _ kind: String,
        steps: String = "",
        orientation: Int = 1,
        width: Int,
        height: Int
    ) throws -> Double {
        let picture = Workbench.png(Self.waves(width: width, height: height))
        let jpeg = try Workbench.make("format=jpeg&q=98&chroma=444\(kind)", of: picture, as: .png).bytes
        let whole = try Workbench.make("format=png\(kind == "&filter=grayscale" ? kind : "")", of: picture, as: .png)
            .bytes
        let turned = Array(jpeg[..<2]) + Self.segment(orientation) + jpeg[2...]
        return try [30, 40, 60].map { width in
            let query = (steps + "&w=\(width)").dropFirst()
            return ImageComparison.meanDifference(
                try Workbench.pixels(String(query), of: turned, as: .jpeg),
                try Workbench.pixels(Self.upright[orientation - 1] + query, of: whole, as: .png)
            )
        }.max() ?? 0
    }

    /// The steps that turn a picture upright, by EXIF orientation.
    private static let upright = [
        "", "flip=h&", "rotate=180&", "flip=v&", "rotate=90&flip=h&", "rotate=90&", "rotate=270&flip=h&", "rotate=270&",
    ]

    /// An APP1 segment that states an orientation.
    private static func segment(_ orientation: Int) -> [UInt8] {
        let tiff: [UInt8] = [
            0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation), 0, 0,
        ]
        return [0xFF, 0xE1, 0, UInt8(2 + 6 + tiff.count + 4)] + Array("Exif\0\0".utf8) + tiff + [0, 0, 0, 0]
    }

    @Test(arguments: ["", "&progressive=1", "&filter=grayscale"], [(1000, 696), (1007, 703), (407, 303), (319, 239)])
    func `a reduced JPEG is neither stretched nor cut`(kind: String, size: (Int, Int)) throws {
        let difference = try difference(kind, width: size.0, height: size.1)
        // Of the first size it is the mean of blocks in place of a kernel.
        #expect(difference < 1.8, "\(kind) \(size): \(difference)")
    }

    @Test(arguments: ["&flip=h", "&rotate=90", "&filter=invert", "&crop=0,8,300,200", "&crop=96,88,911,615"])
    func `a picture that is mirrored, turned or cut before is not stretched either`(step: String) throws {
        let difference = try difference("", steps: step, width: 1007, height: 703)
        #expect(difference < 1.8, "\(step): \(difference)")
    }

    @Test(arguments: 2...8)
    func `an EXIF orientation changes nothing of it`(orientation: Int) throws {
        let difference = try difference("", orientation: orientation, width: 407, height: 303)
        #expect(difference < 0.8, "\(orientation): \(difference)")
    }

    @Test func `a thin frame stays on all sides`() throws {
        let (width, height) = (1607, 1207)
        let framed = Workbench.png(
            PixelImage(width: width, height: height) { x, y in
                let isFrame = min(x, y) < 6 || x >= width - 6 || y >= height - 6
                return isFrame ? [0, 0, 0, 255] : [255, 255, 255, 255]
            }
        )
        let jpeg = try Workbench.make("format=jpeg&q=100&chroma=444", of: framed, as: .png).bytes
        let pixels = try Workbench.pixels("w=100", of: jpeg, as: .jpeg)
        let expected = try Workbench.pixels("w=100", of: framed, as: .png)
        for (x, y) in [(0, 37), (99, 37), (50, 0), (50, 74)] {
            let (shown, right) = (Int(pixels[x, y][0]), Int(expected[x, y][0]))
            #expect(abs(shown - right) < 20, "\(x),\(y): \(shown) for \(right)")
        }
    }
}
