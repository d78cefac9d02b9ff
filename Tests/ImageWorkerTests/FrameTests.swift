import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

@Suite(.timeLimit(.minutes(1)))
struct FrameTests {
    private static let palette: [(UInt8, UInt8, UInt8)] = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0)]

    /// A red canvas, a green corner that is cleared, a blue corner that is restored, and a yellow dot.
    static let composed: [UInt8] = {
        var green = GIFFrame(width: 4, height: 4, colour: 1)
        green.disposal = 2
        // libnsgif clears only canvases with transparency.
        green.transparent = 3
        var blue = GIFFrame(left: 4, top: 4, width: 4, height: 4, colour: 2)
        blue.disposal = 3
        var dot = GIFFrame(left: 7, top: 0, width: 1, height: 1, colour: 3)
        dot.transparent = 0
        let frames = [GIFFrame(width: 8, height: 8, colour: 0), green, blue, dot]
        return TestImages.gif(width: 8, height: 8, palette: palette, frames: frames, loop: 0)
    }()

    @Test(arguments: 0..<4)
    func `a single frame equals the same frame of the animation`(frame: Int) throws {
        let stack = try Workbench.decode(Self.composed, as: .gif)
        let alone = try Workbench.pixels("frame=\(frame)", of: Self.composed, as: .gif)
        #expect([alone.width, alone.height] == [8, 8])
        for y in 0..<8 {
            for x in 0..<8 { #expect(alone[x, y] == stack[x, frame * 8 + y], "\(x), \(y)") }
        }
    }

    @Test func `a frame is composited over the preceding ones by their disposal`() throws {
        let last = try Workbench.pixels("frame=3", of: Self.composed, as: .gif)
        #expect(Array(last[7, 0]) == [255, 255, 0, 255])
        #expect(last.alpha(1, 1) == 0)
        #expect(Array(last[6, 6]) == [255, 0, 0, 255])
    }

    @Test(arguments: ["webp", "gif", "png", "jpeg"])
    func `one frame is a still in every format`(format: String) throws {
        let made = try Workbench.make("frame=2&format=\(format)", of: Self.composed, as: .gif)
        #expect(made.description.frames == 1)
        #expect(made.description.height == 8)
    }

    @Test func `the first frame that auto returns is a still`() throws {
        let made = try Workbench.make("anim=first", of: Self.composed, as: .gif, bucket: .webp)
        #expect(made.description.frames == 1)
        #expect(made.description.format == .webp)
    }

    @Test func `a frame after the last is refused`() {
        for format in ["webp", "png", "json", "blurhash"] {
            #expect(throws: WorkerReply.Failure.refused("frame: is 4, but the last frame is 3", parameter: "frame")) {
                try Workbench.make("frame=4&format=\(format)", of: Self.composed, as: .gif)
            }
        }
    }

    @Test func `outputs with different frames do not share their decoding`() throws {
        let queries = ["frame=1&format=png", "anim=first&format=png", "frame=2&format=png"]
        let made = try Workbench.makeAll(queries, of: Self.composed, as: .gif)
        let stack = try Workbench.decode(Self.composed, as: .gif)
        for (made, frame) in zip(made, [1, 0, 2]) {
            let pixels = try Workbench.decode(made)
            #expect(pixels[1, 1] == stack[1, frame * 8 + 1])
            #expect(pixels[6, 6] == stack[6, frame * 8 + 6])
        }
    }

    @Test(.enabled(if: SharedImages.isAvailable, "needs ../shared/images"), arguments: [0, 1, 50, 98])
    func `a single frame of a WebP equals the same frame of the animation`(frame: Int) throws {
        let source = try Workbench.photograph("animated-99-frames.webp")
        let stack = try Workbench.decode(source, as: .webp)
        let alone = try Workbench.pixels("frame=\(frame)", of: source, as: .webp)
        var different = 0
        for y in 0..<alone.height {
            for x in 0..<alone.width where alone[x, y] != stack[x, frame * alone.height + y] { different += 1 }
        }
        #expect(different == 0)
    }
}
