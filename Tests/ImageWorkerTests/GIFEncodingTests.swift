import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// Which GIFs keep every colour.
@Suite(.timeLimit(.minutes(1)))
struct GIFEncodingTests {
    /// A picture of squares of 5 px in `count` colours, each a little lighter than at shade 0.
    private static func squares(_ count: Int, shade: Int = 0) -> PixelImage {
        PixelImage(width: 160, height: 120, channels: 3) { x, y in
            let place = (x / 5 + 7 * (y / 5)) % count
            return [UInt8(place * 97 % 251), UInt8(place * 57 % 241 + shade), UInt8(place * 23 % 239)]
        }
    }

    private func difference(_ made: Workbench.Made, _ expected: [PixelImage]) throws -> Int {
        let shown = try Workbench.decode(made)
        let pixels = expected.flatMap(\.bytes)
        let opaque =
            shown.channels == 3 ? shown.bytes : shown.bytes.indices.filter { $0 % 4 != 3 }.map { shown.bytes[$0] }
        try #require(opaque.count == pixels.count)
        return zip(opaque, pixels).map { abs(Int($0) - Int($1)) }.max() ?? 0
    }

    @Test(arguments: [2, 40, 200, 256])
    func `a picture of up to 256 colours is exact`(count: Int) throws {
        let picture = Self.squares(count)
        let made = try Workbench.make("format=gif", of: Workbench.png(picture), as: .png)
        #expect(try difference(made, [picture]) == 0)
    }

    /// libimagequant takes some neighbours among 256 levels of grey for one colour.
    @Test func `a ramp of greys is off by one level at most`() throws {
        let picture = PixelImage(width: 256, height: 16, channels: 3) { x, _ in [UInt8(x), UInt8(x), UInt8(x)] }
        let made = try Workbench.make("format=gif", of: Workbench.png(picture), as: .png)
        #expect(try difference(made, [picture]) <= 1)
    }

    @Test func `frames with similar colours are exact`() throws {
        let frames = (0..<3).map { Self.squares(60, shade: $0) }
        let source = TestImages.animatedPNG(
            width: 160,
            height: 120,
            frames: frames.map { image in
                var frame = TestImages.PNGFrame(160, 120, [0, 0, 0, 0])
                frame.rgba = stride(from: 0, to: image.bytes.count, by: 3).flatMap { start -> [UInt8] in
                    image.bytes[start..<start + 3] + [255]
                }
                return frame
            }
        )
        let made = try Workbench.make("format=gif", of: source, as: .png)
        #expect(made.description.frames == 3)
        #expect(try difference(made, frames) == 0)
    }
}
