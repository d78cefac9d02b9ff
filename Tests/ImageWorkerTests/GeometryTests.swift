import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

@Suite(.timeLimit(.minutes(1)))
struct GeometryTests {
    /// 40×20: red grows to the right, green downwards; opaque.
    private let wide = PixelImage(width: 40, height: 20) { x, y in [UInt8(x * 6), UInt8(y * 12), 128, 255] }

    @Test(arguments: [
        ("w=20&h=20", 20, 10), ("w=20&h=20&fit=cover", 20, 20), ("w=20&h=20&fit=fill", 20, 20),
        ("w=20&h=20&fit=pad", 20, 20), ("w=80", 40, 20), ("w=80&enlarge=1", 80, 40), ("h=7", 14, 7), ("w=1", 1, 1),
        ("w=7&h=13&fit=cover&gravity=entropy", 7, 13), ("w=9&h=13&fit=cover&gravity=attention", 9, 13),
        ("w=9&h=13&fit=cover&gravity=subject", 9, 13), ("crop=7x9&gravity=subject", 7, 9),
        ("crop=5,5,10,8", 10, 8), ("crop=50%25x50%25", 20, 10), ("rotate=90", 20, 40), ("rotate=45", 42, 42),
        ("w=33&h=33&fit=pad&enlarge=1&rotate=270", 33, 33), ("w=37&enlarge=0", 37, 19),
    ])
    func `the result has the planned size`(query: String, width: Int, height: Int) throws {
        let made = try Workbench.make("\(query)&format=png", of: Workbench.png(wide), as: .png)
        #expect(made.description.width == width)
        #expect(made.description.height == height)
        let pixels = try Workbench.decode(made)
        #expect(pixels.width == width)
        #expect(pixels.height == height)
    }

    @Test(arguments: 1...40)
    func `scales to exactly the requested width despite libvips' rounding`(width: Int) throws {
        let source = PixelImage(width: 313, height: 211) { x, y in [UInt8(x % 256), UInt8(y % 256), 0, 255] }
        let pixels = try Workbench.pixels("w=\(width * 7)&h=\(width * 5)&fit=fill&enlarge=1", of: Workbench.png(source))
        #expect(pixels.width == width * 7)
        #expect(pixels.height == width * 5)
    }

    @Test func `pads with transparency around an unchanged image`() throws {
        let pixels = try Workbench.pixels("w=40&h=40&fit=pad", of: Workbench.png(wide))
        #expect(pixels.channels == 4)
        #expect(pixels.alpha(0, 0) == 0)
        #expect(pixels.alpha(20, 9) == 0)
        #expect(pixels.alpha(20, 30) == 0)
        #expect(pixels.cropped(x: 0, y: 10, width: 40, height: 20) == wide)
    }

    @Test func `pads with an opaque background without adding alpha`() throws {
        let opaque = try Workbench.make("format=jpeg&q=95", of: Workbench.png(wide), as: .png).bytes
        let pixels = try Workbench.pixels("w=40&h=40&fit=pad&bg=ff8800", of: opaque, as: .jpeg)
        #expect(pixels.channels == 3)
        #expect(pixels[0, 0] == [255, 136, 0])
    }

    @Test func `crops exactly the pixels of a rectangle`() throws {
        let pixels = try Workbench.pixels("crop=3,4,20,9", of: Workbench.png(wide))
        #expect(pixels == wide.cropped(x: 3, y: 4, width: 20, height: 9))
    }

    @Test func `refuses a crop that leaves nothing`() {
        #expect(throws: WorkerReply.Failure.self) {
            try Workbench.make("crop=50,50,10,10&format=png", of: Workbench.png(wide), as: .png)
        }
    }

    /// Where the result's pixel at `x`, `y` was in the source; `w` and `h` are the result's sides.
    private static func origin(_ query: String, x: Int, y: Int, w: Int, h: Int) -> (Int, Int) {
        switch query {
        case "flip=h": (w - 1 - x, y)
        case "flip=v": (x, h - 1 - y)
        case "rotate=90": (y, w - 1 - x)
        case "rotate=270": (h - 1 - y, x)
        default: (w - 1 - x, h - 1 - y)
        }
    }

    @Test(arguments: ["flip=h", "flip=v", "flip=hv", "rotate=90", "rotate=180", "rotate=270"])
    func `flips and quarter turns move pixels exactly`(query: String) throws {
        let pixels = try Workbench.pixels(query, of: Workbench.png(wide))
        let expected = PixelImage(width: pixels.width, height: pixels.height) { x, y in
            let (fromX, fromY) = Self.origin(query, x: x, y: y, w: pixels.width, h: pixels.height)
            return wide[fromX, fromY]
        }
        #expect(pixels == expected)
    }

    @Test func `a free rotation exposes transparent corners, or the background`() throws {
        let turned = try Workbench.pixels("rotate=30", of: Workbench.png(wide))
        #expect(turned.alpha(0, 0) == 0)
        #expect(turned.alpha(turned.width / 2, turned.height / 2) == 255)
        let filled = try Workbench.pixels("rotate=30&bg=00ff00", of: Workbench.png(wide))
        #expect(Array(filled[0, 0].prefix(3)) == [0, 255, 0])
        #expect(filled.alpha(0, 0) == 255)
    }

    @Test func `the order of steps matters`() throws {
        let source = Workbench.png(wide)
        #expect(
            try Workbench.pixels("crop=0,0,20,20&flip=h", of: source)
                != Workbench.pixels("flip=h&crop=0,0,20,20", of: source)
        )
        let sharp = PixelImage(width: 64, height: 64) { x, _ in x < 32 ? [0, 0, 0, 255] : [255, 255, 255, 255] }
        let first = try Workbench.pixels("blur=4&w=16", of: Workbench.png(sharp))
        let last = try Workbench.pixels("w=16&blur=4", of: Workbench.png(sharp))
        // A blur of the small picture reaches four times as far.
        #expect(first[1, 8][0] < 8)
        #expect(last[1, 8][0] > 8)
    }

    @Test func `every step of the language has a pixel operation`() {
        for type in StepRegistry.types {
            #expect(type is any PixelStep.Type, "\(type)")
        }
    }
}
