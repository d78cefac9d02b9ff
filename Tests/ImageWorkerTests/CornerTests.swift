import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

@Suite(.timeLimit(.minutes(1)))
struct CornerTests {
    private let red = Workbench.png(PixelImage(width: 64, height: 64) { _, _ in [200, 10, 20, 255] })

    @Test(arguments: ["png", "webp"])
    func `a circle has transparent corners if the format has alpha`(format: String) throws {
        let made = try Workbench.make("w=32&h=32&fit=cover&round=max&format=\(format)", of: red, as: .png)
        #expect(made.description.hasAlpha)
        let pixels = try Workbench.decode(made)
        for (x, y) in [(0, 0), (31, 0), (0, 31), (31, 31)] { #expect(pixels.alpha(x, y) == 0) }
        #expect(pixels.alpha(16, 0) > 240)
        #expect(pixels.alpha(16, 16) == 255)
    }

    @Test func `a circle is on white in JPEG, or on the requested background`() throws {
        let made = try Workbench.make("round=max&format=jpeg&q=95", of: red, as: .png)
        #expect(!made.description.hasAlpha)
        let onWhite = try Workbench.decode(made)
        #expect(ImageComparison.colourDistance(onWhite[1, 1], [255, 255, 255]) < 4)
        let onBlue = try Workbench.decode(Workbench.make("round=max&bg=0000ff&format=jpeg&q=95", of: red, as: .png))
        #expect(ImageComparison.colourDistance(onBlue[1, 1], [0, 0, 255]) < 8)
    }

    @Test func `four radii round four corners`() throws {
        let pixels = try Workbench.pixels("round=20,0,10,0", of: red)
        #expect(pixels.alpha(1, 1) == 0)
        #expect(pixels.alpha(63, 0) == 255)
        #expect(pixels.alpha(0, 63) == 255)
        #expect(pixels.alpha(63, 63) == 0)
        #expect(pixels.alpha(4, 4) < 128)
        #expect(pixels.alpha(59, 59) > 128)
    }

    @Test func `a border follows the round before it`() throws {
        let pixels = try Workbench.pixels("round=max&border=4,0000ff", of: red)
        #expect(pixels.alpha(0, 0) == 0)
        #expect(pixels[32, 1] == [0, 0, 255, 255])
        #expect(pixels[1, 32] == [0, 0, 255, 255])
        #expect(pixels[32, 32] == [200, 10, 20, 255])
        // On the diagonal the line follows the circle, not the corner.
        #expect(Array(pixels[11, 11].prefix(3)) == [0, 0, 255])
    }

    @Test func `a border without a round follows the rectangle, and keeps an opaque image opaque`() throws {
        let jpeg = try Workbench.make("format=jpeg&q=100", of: red, as: .png).bytes
        let pixels = try Workbench.pixels("border=3,00ff00", of: jpeg, as: .jpeg)
        #expect(pixels.channels == 3)
        #expect(pixels[0, 0] == [0, 255, 0])
        #expect(pixels[2, 30] == [0, 255, 0])
        #expect(ImageComparison.colourDistance(pixels[3, 30], [200, 10, 20]) < 3)
    }

    @Test func `a mask covers a circle's area`() {
        let mask = CornerMask(
            size: PixelSize(width: 100, height: 100),
            corners: CornerRadii(topLeft: 50, topRight: 50, bottomRight: 50, bottomLeft: 50)
        )
        let area = mask.coverage().reduce(0) { $0 + Double($1) / 255 }
        #expect(abs(area - 2500 * Double.pi) < 10)
        let inner = mask.coverage(inset: 10.5).reduce(0) { $0 + Double($1) / 255 }
        #expect(abs(inner - 39.5 * 39.5 * Double.pi) < 10)
    }

    @Test func `a mask is symmetric and fills the middle`() {
        let size = PixelSize(width: 31, height: 17)
        let radii = CornerRadii(topLeft: 8, topRight: 8, bottomRight: 8, bottomLeft: 8)
        let bytes = CornerMask(size: size, corners: radii).coverage()
        for y in 0..<17 {
            for x in 0..<31 {
                #expect(bytes[y * 31 + x] == bytes[(16 - y) * 31 + 30 - x])
            }
        }
        #expect(bytes[8 * 31 + 15] == 255)
        #expect(bytes[0] == 0)
    }
}
