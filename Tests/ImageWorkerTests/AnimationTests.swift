import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

@Suite(.timeLimit(.minutes(1)))
struct AnimationTests {
    private static let palette: [(UInt8, UInt8, UInt8)] = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0)]

    /// Three frames of 16×12, each in one colour except for a yellow pixel in the top left corner.
    private let gif = TestImages.gif(
        width: 16,
        height: 12,
        palette: palette,
        frames: (0..<3).map { frame in (0..<192).map { $0 == 0 ? 3 : UInt8(frame) } },
        delays: [5, 10, 20],
        loop: 7
    )

    @Test(arguments: ["gif", "webp", "png", "avif"])
    func `keeps frames, delays and loop`(format: String) throws {
        let made = try Workbench.make("w=8&format=\(format)", of: gif, as: .gif)
        #expect(made.description.frames == 3)
        #expect(made.description.width == 8)
        #expect(made.description.height == 6)
        let metadata = try Workbench.metadata(made)
        #expect(metadata.integers("delay") == [50, 100, 200])
        // Seven repeats after the first round, in libvips' count.
        #expect(metadata.integer("loop") == 8)
        #expect(metadata.integer("page-height") == 6)
    }

    @Test func `applies each step to each frame`() throws {
        let made = try Workbench.make("crop=0,0,16,6&rotate=90&flip=h&format=gif", of: gif, as: .gif)
        #expect(made.description.width == 6)
        #expect(made.description.height == 16)
        let stack = try Workbench.decode(made)
        #expect(stack.height == 48)
        for frame in 0..<3 {
            let colour = Self.palette[frame]
            #expect(Array(stack[3, frame * 16 + 8].prefix(3)) == [colour.0, colour.1, colour.2])
            // Top left, turned to the top right, mirrored to the top left.
            #expect(Array(stack[0, frame * 16].prefix(3)) == [255, 255, 0])
        }
    }

    @Test func `no frame bleeds into its neighbour`() throws {
        let stack = try Workbench.decode(Workbench.make("w=5&h=5&fit=fill&format=gif", of: gif, as: .gif))
        for frame in 0..<3 {
            let colour = Self.palette[frame]
            for x in 1..<5 {
                #expect(Array(stack[x, frame * 5 + 4].prefix(3)) == [colour.0, colour.1, colour.2])
            }
        }
    }

    @Test func `rounds and pads each frame`() throws {
        let made = try Workbench.make("w=16&h=16&fit=pad&round=max&format=webp&q=100", of: gif, as: .gif)
        #expect(made.description.frames == 3)
        #expect(made.description.hasAlpha)
        let stack = try Workbench.decode(made)
        for frame in 0..<3 { #expect(stack.alpha(8, frame * 16) == 0) }
    }

    @Test(arguments: ["format=tiff", "format=png&anim=first"])
    func `a still format takes the first frame`(query: String) throws {
        let made = try Workbench.make(query, of: gif, as: .gif)
        #expect(made.description.frames == 1)
        #expect(made.description.height == 12)
        #expect(Array(try Workbench.decode(made)[8, 8].prefix(3)) == [255, 0, 0])
    }

    @Test func `too many frames give the first one, and anim=keep is refused`() throws {
        for format in ["gif", "png"] {
            let made = try Workbench.make("w=8&format=\(format)", of: gif, as: .gif, maximumFrames: 2)
            #expect(made.description.frames == 1)
            #expect(Array(try Workbench.decode(made)[4, 4].prefix(3)) == [255, 0, 0])
        }
        let refusal = WorkerReply.Failure.refused(
            "anim: 3 frames exceed the limit of 2 (limits.frames)",
            parameter: "anim"
        )
        #expect(throws: refusal) {
            try Workbench.make("w=8&format=gif&anim=keep", of: gif, as: .gif, maximumFrames: 2)
        }
    }
}
