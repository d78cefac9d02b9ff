import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

@Suite(.timeLimit(.minutes(1)))
struct MarginTests {
    private let wide = PixelImage(width: 20, height: 10) { x, y in [UInt8(x * 12), UInt8(y * 25), 128, 255] }

    @Test func `pad keeps the image's pixels and adds transparency around them`() throws {
        let pixels = try Workbench.pixels("pad=1,2,3,4", of: Workbench.png(wide))
        #expect(pixels.width == 26)
        #expect(pixels.height == 14)
        #expect(pixels.cropped(x: 4, y: 1, width: 20, height: 10) == wide)
        for y in 0..<14 {
            for x in 0..<26 where !((4..<24).contains(x) && (1..<11).contains(y)) {
                #expect(pixels[x, y] == [0, 0, 0, 0])
            }
        }
    }

    @Test func `pad fills with the background, opaque or translucent`() throws {
        let opaque = try Workbench.pixels("pad=2&bg=ff8800", of: Workbench.png(wide))
        #expect(Array(opaque[0, 0].prefix(3)) == [255, 136, 0])
        #expect(opaque.alpha(0, 0) == 255)
        let translucent = try Workbench.pixels("pad=2&bg=ff880080", of: Workbench.png(wide))
        #expect(translucent[1, 1] == [255, 136, 0, 128])
        #expect(translucent[2, 2] == wide[0, 0])
    }

    @Test func `pad is multiplied by dpr`() throws {
        let made = try Workbench.make("w=10&dpr=2&pad=3,5&format=png", of: Workbench.png(wide), as: .png)
        #expect(made.description.width == 40)
        #expect(made.description.height == 22)
    }

    /// An image of one colour with a rectangle of another.
    private func sheet(
        _ paper: [UInt8],
        _ ink: [UInt8],
        _ rectangle: PixelRectangle,
        width: Int = 30,
        height: Int = 20
    ) -> PixelImage {
        PixelImage(width: width, height: height) { x, y in
            let isInside =
                (rectangle.left..<rectangle.right).contains(x) && (rectangle.top..<rectangle.bottom).contains(y)
            return isInside ? ink : paper
        }
    }

    private static let rectangles = [
        PixelRectangle(left: 3, top: 5, width: 10, height: 4), PixelRectangle(left: 29, top: 19, width: 1, height: 1),
        PixelRectangle(left: 0, top: 1, width: 30, height: 1), PixelRectangle(left: 1, top: 0, width: 29, height: 20),
        PixelRectangle(left: 7, top: 0, width: 1, height: 20),
    ]

    @Test(arguments: rectangles)
    func `trim keeps exactly what differs from the corner, including single pixels and lines`(
        rectangle: PixelRectangle
    ) throws {
        let source = sheet([250, 250, 250, 255], [250, 239, 250, 255], rectangle)
        let pixels = try Workbench.pixels("trim=10", of: Workbench.png(source))
        #expect(pixels.width == rectangle.width)
        #expect(pixels.height == rectangle.height)
        #expect(pixels.bytes == Array(repeating: [250, 239, 250, 255], count: rectangle.size.pixels).flatMap(\.self))
    }

    @Test func `trim's threshold is the largest difference that counts as margin`() throws {
        let source = sheet(
            [100, 100, 100, 255],
            [100, 110, 100, 255],
            PixelRectangle(left: 4, top: 4, width: 5, height: 5)
        )
        #expect(try Workbench.pixels("trim=9", of: Workbench.png(source)).width == 5)
        #expect(try Workbench.pixels("trim=10", of: Workbench.png(source)).width == 30)
    }

    @Test func `trim treats transparency as margin regardless of its hidden colour`() throws {
        var source = sheet([255, 0, 0, 0], [255, 0, 0, 255], PixelRectangle(left: 10, top: 3, width: 6, height: 8))
        // Another hidden colour.
        source.bytes[(19 * 30 + 29) * 4 + 1] = 255
        let pixels = try Workbench.pixels("trim=10", of: Workbench.png(source))
        #expect(pixels.width == 6)
        #expect(pixels.height == 8)
    }

    @Test(arguments: ["trim=10", "trim=255"])
    func `an image that is all margin is unchanged`(query: String) throws {
        let source = PixelImage(width: 9, height: 5) { _, _ in [7, 8, 9, 255] }
        #expect(try Workbench.pixels(query, of: Workbench.png(source)) == source)
    }

    @Test func `steps after a trim work on the trimmed size`() throws {
        let source = sheet(
            [255, 255, 255, 255],
            [9, 9, 9, 255],
            PixelRectangle(left: 3, top: 5, width: 20, height: 4)
        )
        for (query, width, height) in [
            ("trim=10&w=10", 10, 2), ("trim=10&pad=3", 26, 10), ("trim=10&rotate=90", 4, 20),
            ("trim=10&crop=50%25x50%25", 10, 2), ("trim=10&w=40&enlarge=1&round=max", 40, 8), ("pad=4&trim=1", 30, 20),
            ("trim=1&trim=1", 20, 4),
        ] {
            let made = try Workbench.make("\(query)&format=png", of: Workbench.png(source), as: .png)
            #expect(made.description.width == width, "\(query)")
            #expect(made.description.height == height, "\(query)")
            let pixels = try Workbench.decode(made)
            #expect(pixels.width == width, "\(query)")
            #expect(pixels.height == height, "\(query)")
        }
    }

    @Test func `the trimmed size is checked against limits and later steps`() throws {
        let source = sheet(
            [255, 255, 255, 255],
            [9, 9, 9, 255],
            PixelRectangle(left: 3, top: 0, width: 1, height: 20)
        )
        #expect(throws: WorkerReply.Failure.self) {
            try Workbench.make("trim=10&crop=5,5,5,5&format=png", of: Workbench.png(source), as: .png)
        }
        // 1×20 at a width of 5000 is 100,000 high, which exceeds the limit.
        let failure = #expect(throws: WorkerReply.Failure.self) {
            try Workbench.make("trim=10&w=5000&enlarge=1&format=png", of: Workbench.png(source), as: .png)
        }
        guard case .refused(let reason, "w") = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(reason.hasPrefix("w: "))
    }

    @Test func `an animation's frames are trimmed alike`() throws {
        let palette: [(UInt8, UInt8, UInt8)] = [(255, 255, 255), (0, 0, 0), (255, 0, 0), (0, 0, 255)]
        // A dot that moves along the diagonal, from 2, 2 to 4, 4.
        let frames = (2...4).map { dot in (0..<80).map { UInt8($0 == dot * 10 + dot ? 1 : 0) } }
        let gif = TestImages.gif(width: 10, height: 8, palette: palette, frames: frames, delays: [1, 1, 1], loop: 0)
        let made = try Workbench.make("trim=10&format=gif", of: gif, as: .gif)
        #expect(made.description.width == 3)
        #expect(made.description.height == 3)
        let stack = try Workbench.decode(made)
        #expect(stack.height == 9)
        for frame in 0..<3 { #expect(Array(stack[frame, frame * 4].prefix(3)) == [0, 0, 0]) }
    }

    @Test(.enabled(if: SharedImages.isAvailable, "needs ../shared/images"))
    func `a rotated photograph is trimmed upright`() throws {
        let source = try Workbench.photograph("exif-landscape-6.jpg")
        let plain = try Workbench.pixels("gamma=1", of: source, as: .jpeg)
        let padded = try Workbench.pixels("pad=7&bg=00ff00&trim=120", of: source, as: .jpeg)
        #expect(padded.width == plain.width)
        #expect(padded.height == plain.height)
    }
}
