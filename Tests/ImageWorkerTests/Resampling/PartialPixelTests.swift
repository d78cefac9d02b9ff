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

    /// A white picture in a black frame as PNG.
    private static func framed(_ width: Int, _ height: Int, thickness: Int) -> [UInt8] {
        Workbench.png(
            PixelImage(width: width, height: height) { x, y in
                let isFrame = min(x, y) < thickness || x >= width - thickness || y >= height - thickness
                return isFrame ? [0, 0, 0, 255] : [255, 255, 255, 255]
            }
        )
    }

    /// Expects the frame of a result to be that of another one, at the middle of each side.
    private static func compare(_ made: PixelImage, _ expected: PixelImage, _ text: String) {
        #expect(made.width == expected.width && made.height == expected.height)
        let (right, bottom) = (expected.width - 1, expected.height - 1)
        for (x, y) in [(0, bottom / 2), (right, bottom / 2), (right / 2, 0), (right / 2, bottom)] {
            let (shown, wanted) = (Int(made[x, y][0]), Int(expected[x, y][0]))
            #expect(abs(shown - wanted) < 25, "\(text) \(x),\(y): \(shown) for \(wanted)")
        }
    }

    @Test func `a thin frame stays on all sides`() throws {
        let framed = Self.framed(1607, 1207, thickness: 6)
        let jpeg = try Workbench.make("format=jpeg&q=100&chroma=444", of: framed, as: .png).bytes
        Self.compare(
            try Workbench.pixels("w=100", of: jpeg, as: .jpeg),
            try Workbench.pixels("w=100", of: framed, as: .png),
            "w=100"
        )
    }

    @Test(arguments: Mezzanine.factors, [(1607, 1207), (1605, 1206), (1606, 1205)])
    func `a thin frame stays on all sides of a result of a mezzanine`(factor: Int, size: (Int, Int)) throws {
        let framed = Self.framed(size.0, size.1, thickness: 2)
        let jpeg = try Workbench.make("format=jpeg&q=100&chroma=444", of: framed, as: .png).bytes
        for (file, format) in [(framed, ImageFormat.png), (jpeg, .jpeg)] {
            guard case .image(let header) = ImageSniffer.sniff(file.span, totalLength: file.count) else {
                throw WorkerReply.Failure.broken("no header")
            }
            let small = try Workbench.run([Mezzanine(factor: factor).planText], of: file, as: format)[0]
            let plan = try RequestLanguage.parse(query: "w=180&format=png", options: ParseOptions()).plan.canonicalText
            let made = try Workbench.run(
                [plan],
                of: small.bytes,
                as: .planes,
                reduction: Reduction(factor: factor, original: header)
            )[0]
            Self.compare(
                try Workbench.decode(made),
                try Workbench.pixels("w=180", of: framed, as: .png),
                "\(format) \(size) by \(factor)"
            )
        }
    }
}
