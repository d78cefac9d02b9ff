import CJXL
import Glibc
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// Lossy JPEG XL originals with a profile that libjxl cannot name, so that it chooses the colours of their pixels.
@Suite(.timeLimit(.minutes(1)), .enabled(if: Workbench.decodes(.jxl)))
struct JXLColourTests {
    init() { precondition(Workbench.isStarted) }

    /// The light of an encoded value in the profile: between two exponents, as no named curve is.
    private static func light(_ value: Double) -> Double { (pow(value, 1.9) + pow(value, 2.6)) / 2 }

    private static let table = (0...1023).map { UInt16((light(Double($0) / 1023) * 65_535).rounded()) }

    private static func profile(_ bands: Int) -> [UInt8] {
        bands == 1 ? ProfileTests.greyProfile(table: table) : ProfileTests.profile(.displayP3, table: table)
    }

    /// The side of a square of one shade.
    private static let side = 16
    /// The shades of the squares, dark ones most.
    private static let shades = [16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 128, 160, 192, 224, 255]

    private static func pixels(_ bands: Int) -> [UInt8] {
        let row = shades.flatMap { [UInt8](repeating: UInt8($0), count: side * bands) }
        return (0..<side).flatMap { _ in row }
    }

    /// Compares each square with its shade in sRGB.
    private static func check(_ image: PixelImage, sourceLocation: SourceLocation = #_sourceLocation) {
        for (index, shade) in shades.enumerated() {
            let linear = light(Double(shade) / 255)
            let encoded = linear <= 0.0031308 ? linear * 12.92 : 1.055 * pow(linear, 1 / 2.4) - 0.055
            let shown = image[index * side + side / 2, side / 2].prefix(3)
            for value in shown {
                #expect(
                    abs(Double(value) - encoded * 255) <= 2,
                    "\(shade): \(shown) instead of \(encoded * 255)",
                    sourceLocation: sourceLocation
                )
            }
        }
    }

    /// A picture of all shades.
    private static func info(_ bands: Int) -> JxlBasicInfo {
        var info = JXLSample.info(width: shades.count * side, height: side)
        info.num_color_channels = UInt32(bands)
        return info
    }

    @Test(arguments: [3, 1])
    func `dark shades of a still are as fine as in sRGB`(bands: Int) throws {
        let frame = JXLSample.Frame(pixels: Self.pixels(bands))
        let file = try JXLSample.file(Self.info(bands), [frame], profile: Self.profile(bands))
        Self.check(try Workbench.pixels("", of: file, as: .jxl))
    }

    @Test func `dark shades of animations are as fine as in sRGB`() throws {
        var info = Self.info(3)
        info.have_animation = 1
        (info.animation.tps_numerator, info.animation.tps_denominator) = (1000, 1)
        let frames = (0..<2).map { _ in JXLSample.Frame(pixels: Self.pixels(3), ticks: 100) }
        let file = try JXLSample.file(info, frames, profile: Self.profile(3))
        let stack = try Workbench.pixels("", of: file, as: .jxl)
        #expect(stack.height == 2 * Self.side)
        Self.check(stack)
    }

    @Test func `a still is described by its header`() throws {
        let file = try JXLSample.file(
            Self.info(3),
            [JXLSample.Frame(pixels: Self.pixels(3))],
            profile: Self.profile(3)
        )
        let facts = try Workbench.mapped(file) { try JXLCoder().frameFacts(of: $0) }
        let stated = try #require(facts)
        #expect(stated.format == .jxl && stated.frames == 1 && stated.orientation == 1 && !stated.hasAlpha)
        #expect(stated.size == PixelSize(width: Self.shades.count * Self.side, height: Self.side))
        let json = String(decoding: try Workbench.make("format=json", of: file, as: .jxl).bytes, as: UTF8.self)
        #expect(json.contains(#""width":\#(Self.shades.count * Self.side),"height":\#(Self.side)"#), "\(json)")
        #expect(json.contains(#""frames":1,"orientation":1"#) && json.contains(#""depth":8"#), "\(json)")
    }
}
