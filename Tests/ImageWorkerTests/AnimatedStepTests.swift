import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// Each frame of a result equals the result of the same steps on that frame alone, with disposal and transparency.
@Suite(.timeLimit(.minutes(1)))
struct AnimatedStepTests {
    private static let queries = [
        "", "w=30", "w=20&h=20&fit=cover", "w=40&h=30&fit=pad", "round=max", "border=2,ff8800&round=6", "mask=hexagon",
        "pad=3,2,1,4", "rotate=90", "rotate=30", "flip=h", "crop=2,2,5,5", "blur=1", "pixelate=3", "tint=ff880080",
        "filter=sepia", "w=24&h=24&fit=cover&gravity=attention", "crop=5x3&gravity=subject",
    ]
    private static let shared = ["dispose-background.gif", "dispose-previous.gif", "trans-x.gif", "cogs.gif"]

    /// Compares an animation with stills of its frames.
    private func compare(
        _ source: [UInt8],
        _ query: String,
        frames: [Int],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let made = try Workbench.make("\(query)&format=webp&lossless=1", of: source, as: .gif)
        let stack = try Workbench.decode(made)
        // libwebp would merge equal frames.
        try #require(stack.height == made.description.frames * made.description.height, sourceLocation: sourceLocation)
        for frame in frames where frame < made.description.frames {
            // A search is one of the first frame only.
            let isSearched = query.contains("gravity=") && frame > 0
            if isSearched { continue }
            let still = try Workbench.pixels("\(query)&frame=\(frame)", of: source, as: .gif)
            #expect([still.width, still.height] == [made.description.width, made.description.height])
            let top = frame * still.height
            var worst = 0
            for y in 0..<still.height {
                for x in 0..<still.width {
                    let (left, right) = (stack.colour(x, top + y), still.colour(x, y))
                    worst = max(worst, abs(left[3] - right[3]))
                    // Colours under full transparency are undefined.
                    if right[3] > 0 { worst = max(worst, zip(left, right).map { abs($0 - $1) }.max() ?? 0) }
                }
            }
            #expect(worst <= 1, "\(query), frame \(frame)", sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: queries)
    func `each frame equals the result of the steps on it alone`(query: String) throws {
        try compare(FrameTests.composed, query, frames: [0, 1, 2, 3])
    }

    @Test(.enabled(if: SharedImages.isAvailable, "needs ../shared/images"), arguments: shared)
    func `frames written by other programs equal the results of the steps on them alone`(name: String) throws {
        let source = try Workbench.photograph(name)
        for query in ["w=30", "round=max", "pad=3,2,1,4&bg=ffffff", "rotate=30", "mask=star&border=2,ff8800"] {
            try compare(source, query, frames: [0, 1, 4])
        }
    }

    @Test(.enabled(if: SharedImages.isAvailable, "needs ../shared/images"), arguments: shared)
    func `GIF to GIF keeps delays, loop count, transparency and appearance`(name: String) throws {
        let source = try Workbench.photograph(name)
        let before = try Workbench.metadata(Workbench.made(source, as: .gif))
        let made = try Workbench.make("flip=h&format=gif", of: source, as: .gif)
        let back = try Workbench.make("flip=h&format=gif", of: made.bytes, as: .gif)
        let after = try Workbench.metadata(back)
        #expect(after.integers("delay") == before.integers("delay"))
        #expect(after.integer("loop") == before.integer("loop"))
        let (old, new) = try (Workbench.decode(source, as: .gif), Workbench.decode(back))
        #expect([old.width, old.height] == [new.width, new.height])
        var (holes, colours) = (0, 0)
        for y in 0..<old.height {
            for x in 0..<old.width {
                let (left, right) = (old.colour(x, y), new.colour(x, y))
                if left[3] != right[3] { holes += 1 }
                if left[3] > 0, zip(left, right).contains(where: { abs($0 - $1) > 32 }) { colours += 1 }
            }
        }
        #expect(holes == 0)
        // Two palettes later.
        #expect(colours * 100 <= old.width * old.height, "\(colours)")
    }

    @Test(
        .enabled(if: SharedImages.isAvailable, "needs ../shared/images"),
        arguments: ["dispose-background", "dispose-previous", "trans-x"]
    )
    func `a single frame matches its reference image`(name: String) throws {
        // All frames, stacked.
        let reference = try Workbench.decode(Workbench.photograph("\(name).png"), as: .png)
        let source = try Workbench.photograph("\(name).gif")
        let height = try Workbench.pixels("", of: source, as: .gif).height
        for frame in 0..<reference.height / height {
            let alone = try Workbench.pixels("frame=\(frame)", of: source, as: .gif)
            let wanted = reference.cropped(x: 0, y: frame * height, width: reference.width, height: height)
            #expect(difference(alone, wanted) == 0, "\(frame)")
        }
    }

    /// Pixels that look different.
    private func difference(_ left: PixelImage, _ right: PixelImage) -> Int {
        var count = 0
        for y in 0..<left.height {
            for x in 0..<left.width {
                let (a, b) = (left.colour(x, y), right.colour(x, y))
                if a[3] != b[3] || (a[3] > 0 && a != b) { count += 1 }
            }
        }
        return count
    }

    @Test func `trim crops all frames to one rectangle`() throws {
        // White with a moving dot: the result contains all its positions.
        let palette: [(UInt8, UInt8, UInt8)] = [(255, 255, 255), (0, 0, 0), (9, 9, 9), (0, 0, 0)]
        var first = GIFFrame(width: 20, height: 20, colour: 0)
        first.pixels[5 * 20 + 4] = 1
        var second = GIFFrame(width: 20, height: 20, colour: 0)
        second.pixels[9 * 20 + 12] = 1
        let source = TestImages.gif(width: 20, height: 20, palette: palette, frames: [first, second], loop: 0)
        let made = try Workbench.make("trim=10&format=gif", of: source, as: .gif)
        #expect([made.description.width, made.description.height, made.description.frames] == [9, 5, 2])
        let stack = try Workbench.decode(made)
        #expect(stack.colour(0, 0)[0] == 0 && stack.colour(8, 4)[0] == 255)
        #expect(stack.colour(8, 9)[0] == 0 && stack.colour(0, 5)[0] == 255)
    }

    @Test(arguments: ["jpeg", "png&anim=first", "avif&anim=first", "tiff"])
    func `a still format shows the first composited frame`(format: String) throws {
        let made = try Workbench.make("w=8&format=\(format)&q=95", of: FrameTests.composed, as: .gif)
        #expect(made.description.frames == 1 && made.description.height == 8)
        let pixel = try Workbench.decode(made).colour(4, 4)
        #expect(pixel[0] > 230 && pixel[1] < 25 && pixel[2] < 25)
    }
}

extension PixelImage {
    /// Red, green, blue and alpha.
    fileprivate func colour(_ x: Int, _ y: Int) -> [Int] {
        let pixel = self[x, y].map(Int.init)
        return pixel.count == 4 ? pixel : pixel + [255]
    }
}
