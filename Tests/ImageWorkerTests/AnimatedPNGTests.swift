import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

@Suite(.timeLimit(.minutes(1)))
struct AnimatedPNGTests {
    private typealias Frame = TestImages.PNGFrame

    private static let red: [UInt8] = [255, 0, 0, 255]
    private static let green: [UInt8] = [0, 255, 0, 255]
    private static let blue: [UInt8] = [0, 0, 255, 255]
    private static let clear: [UInt8] = [0, 0, 0, 0]

    /// A 4 × 2 frame in the canvas of 8 × 6, at 2, 1.
    private static func part(_ colour: [UInt8], _ disposal: UInt8 = 0, _ blending: UInt8 = 0) -> Frame {
        var frame = Frame(4, 2, colour)
        (frame.left, frame.top, frame.disposal, frame.blending) = (2, 1, disposal, blending)
        return frame
    }

    private func file(_ frames: [Frame], rounds: Int = 0, still: [UInt8]? = nil) -> [UInt8] {
        TestImages.animatedPNG(width: 8, height: 6, frames: frames, rounds: rounds, still: still)
    }

    /// The frames' pixels at 0, 0 and at 3, 2, which is inside the part.
    private func shown(_ frames: [Frame]) throws -> [[[UInt8]]] {
        let stack = try Workbench.decode(file(frames), as: .png)
        return frames.indices.map { [stack[0, $0 * 6], stack[3, $0 * 6 + 2]].map { $0[3] == 0 ? Self.clear : $0 } }
    }

    @Test(arguments: ["gif", "webp"])
    func `keeps frames, delays and loop count`(format: String) throws {
        var frames = [Frame(8, 6, Self.red), Self.part(Self.green), Self.part(Self.blue)]
        (frames[0].delay, frames[1].delay, frames[2].delay) = ((1, 2), (5, 0), (1, 25))
        let made = try Workbench.make("w=4&format=\(format)", of: file(frames, rounds: 3), as: .png)
        #expect(made.description.frames == 3 && made.description.width == 4 && made.description.height == 3)
        let metadata = try Workbench.metadata(made)
        #expect(metadata.integers("delay") == [500, 50, 40])
        #expect(metadata.integer("loop") == 3)
        #expect(metadata.integer("page-height") == 3)
    }

    @Test func `frames are kept, cleared or restored by dispose_op`() throws {
        for (disposal, after) in [(UInt8(0), Self.green), (1, Self.clear), (2, Self.red)] {
            var last = Frame(1, 1, Self.blue)
            last.left = 7
            let frames = [Frame(8, 6, Self.red), Self.part(Self.green, disposal), last]
            #expect(
                try shown(frames) == [[Self.red, Self.red], [Self.red, Self.green], [Self.red, after]],
                "\(disposal)"
            )
        }
        // The first frame has no previous content.
        var first = Frame(8, 6, Self.red)
        first.disposal = 2
        #expect(
            try shown([first, Self.part(Self.green)]) == [[Self.red, Self.red], [Self.clear, Self.green]]
        )
    }

    @Test func `a transparent frame replaces or overlays the canvas by blend_op`() throws {
        let half: [UInt8] = [0, 0, 255, 128]
        let frames = [Frame(8, 6, Self.red), Self.part(half, 0, 0), Self.part(Self.red), Self.part(half, 0, 1)]
        let pixels = try shown(frames).map { $0[1] }
        #expect(pixels[1] == half)
        #expect(pixels[3] == [127, 0, 128, 255])
        // Fully transparent pixels change nothing when composed over.
        let clear = try shown([Frame(8, 6, Self.red), Self.part(Self.clear, 0, 1), Self.part(Self.clear, 0, 0)])
        #expect(clear.map { $0[1] } == [Self.red, Self.red, Self.clear])
    }

    @Test func `a still request returns the default image`() throws {
        let frames = [Frame(8, 6, Self.red), Self.part(Self.green)]
        let yellow: [UInt8] = [255, 255, 0, 255]
        let still = (0..<48).flatMap { _ in yellow }
        for (source, colour) in [(file(frames), Self.red), (file(frames, still: still), yellow)] {
            let made = try Workbench.make("format=png&anim=first", of: source, as: .png)
            #expect(made.description.frames == 1 && made.description.height == 6)
            #expect(try Array(Workbench.decode(made)[3, 2].prefix(3)) == Array(colour.prefix(3)))
        }
        // Without an fcTL it is not a frame.
        let stack = try Workbench.decode(
            Workbench.make("format=webp&lossless=1", of: file(frames, still: still), as: .png)
        )
        #expect(stack.height == 12 && Array(stack[0, 0].prefix(3)) == [255, 0, 0])
    }

    @Test func `auto returns an animation if the bucket has a format for it`() throws {
        let source = file([Frame(8, 6, Self.red), Self.part(Self.green)])
        for (bucket, format) in [(FormatBucket.webp, ImageFormat.webp), (.rest, .png)] {
            let made = try Workbench.make("w=4", of: source, as: .png, bucket: bucket)
            #expect(made.description.format == .picture(format) && made.description.frames == 2)
        }
        let limited = try Workbench.make("w=4&format=webp", of: source, as: .png, maximumFrames: 1)
        #expect(limited.description.frames == 1)
    }

    @Test func `a malformed animation is decoded as a still`() throws {
        let frames = [Frame(8, 6, Self.red), Self.part(Self.green), Self.part(Self.blue)]
        var outside = frames
        outside[1].left = 5
        var unknown = frames
        unknown[2].disposal = 3
        var first = frames
        first[0] = Self.part(Self.red)
        let good = file(frames)
        var damaged = good
        damaged[good.count - 40] ^= 1
        for (source, reason) in [
            (file(outside), "a frame exceeds the canvas"), (file(unknown), "an unknown dispose_op or blend_op"),
            (file(first), "the first frame does not cover the canvas"), (damaged, "a chunk's checksum is wrong"),
            (Array(good.dropLast(30)), "a chunk exceeds the file"),
        ] {
            let failure = #expect(throws: AnimatedPNG.Malformed.self) { try AnimatedPNG(source.span) }
            #expect(failure?.reason == reason)
        }
        #expect(try Workbench.make("format=webp", of: file(outside), as: .png).description.frames == 1)
        #expect(throws: AnimatedPNG.Malformed(reason: "not an animation")) {
            try AnimatedPNG(TestImages.gradient(width: 4, height: 4).span)
        }
    }

    @Test func `truncated and mutated files do no harm`() throws {
        let frames = [Frame(8, 6, Self.red), Self.part(Self.green, 1, 1), Self.part(Self.blue, 2)]
        let source = file(frames)
        for count in 0..<source.count - 12 {
            #expect(throws: AnimatedPNG.Malformed.self) { try AnimatedPNG(Array(source.prefix(count)).span) }
        }
        var generator = SeededGenerator(seed: 3)
        var survivors = 0
        for _ in 0..<3_000 {
            var bytes = source
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                bytes[Int.random(in: 8..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            bytes = Self.withChecksums(bytes)
            guard let animation = try? AnimatedPNG(bytes.span) else { continue }
            survivors += 1
            for frame in animation.frames {
                #expect(frame.left + frame.width <= animation.width && frame.top + frame.height <= animation.height)
                #expect(frame.data.allSatisfy { $0.upperBound <= bytes.count })
            }
            guard animation.width * animation.height <= 10_000, survivors.isMultiple(of: 10) else { continue }
            _ = try? Workbench.make("format=webp&effort=0", of: bytes, as: .png)
        }
        #expect(survivors > 100)
    }

    /// The file with corrected checksums, as far as its lengths allow.
    private static func withChecksums(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        var position = 8
        while position + 12 <= bytes.count {
            let length = bytes.span.word(position)
            guard length <= bytes.count - position - 12 else { break }
            let content = Array(bytes[position + 8..<position + 8 + length])
            let name = String(decoding: bytes[position + 4..<position + 8], as: UTF8.self)
            let chunk = PNGChunk.encoded(name, content)
            // A name that is invalid UTF-8 would become longer.
            if chunk.count == length + 12 { bytes.replaceSubrange(position..<position + chunk.count, with: chunk) }
            position += length + 12
        }
        return bytes
    }
}
