import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// AVIF sequences as originals.
@Suite(.timeLimit(.minutes(1)), .enabled(if: Workbench.decodes(.avif)))
struct SequenceTests {
    /// Three pictures of 48×32, a tenth of a second each.
    private static func sample() throws -> [UInt8] { try SampleFiles.bytes("sequence.avif") }

    @Test func `json reports frames, loop count and duration`() throws {
        let made = try Workbench.make("format=json", of: Self.sample(), as: .avif)
        let text = String(decoding: made.bytes, as: UTF8.self)
        #expect(text.contains(#""frames":3,"orientation":1,"loop":0,"duration":300,"#), "\(text)")
    }

    @Test(arguments: [
        "format=webp", "anim=keep&format=gif", "strict=1&format=png", "format=source&w=24", "w=9&format=avif",
    ])
    func `keeps frames and delays`(query: String) throws {
        let made = try Workbench.make(query, of: Self.sample(), as: .avif)
        #expect(made.description.frames == 3, "\(query)")
        #expect(try Workbench.metadata(made).integers("delay") == [100, 100, 100])
    }

    @Test(arguments: [
        "w=9&anim=first", "anim=first&strict=1&w=9", "frame=0&strict=1&w=9", "w=9&format=jpeg", "frame=2&w=9",
    ])
    func `returns one frame if the request selects one`(query: String) throws {
        let made = try Workbench.make(query, of: Self.sample(), as: .avif)
        #expect(made.description.frames == 1 && made.description.width == 9 && made.description.height == 6)
    }

    @Test func `a single frame equals the same frame of the animation`() throws {
        let all = try Workbench.decode(Workbench.make("format=png", of: Self.sample(), as: .avif))
        for frame in 1..<3 {
            let one = try Workbench.decode(Workbench.make("frame=\(frame)&format=png", of: Self.sample(), as: .avif))
            let cut = PixelImage(width: 48, height: 32, channels: all.channels) { all[$0, frame * 32 + $1] }
            #expect(one.bytes == cut.bytes, "\(frame)")
        }
    }

    @Test func `the first frame is the still image`() throws {
        let all = try Workbench.decode(Workbench.make("format=png", of: Self.sample(), as: .avif))
        let still = try Workbench.decode(Workbench.make("anim=first&format=png", of: Self.sample(), as: .avif))
        let first = PixelImage(width: 48, height: 32, channels: all.channels) { all[$0, $1] }
        #expect(ImageComparison.meanDifference(first, still) < 2)
    }

    @Test func `limits are checked before anything is decoded`() throws {
        let first = try Workbench.make("w=9&format=webp", of: Self.sample(), as: .avif, maximumFrames: 2)
        #expect(first.description.frames == 1)
        let few = try Workbench.make("w=9&format=webp", of: Self.sample(), as: .avif, maximumAnimation: 100)
        #expect(few.description.frames == 1)
        let pixels = WorkerReply.Failure.refused("1536 pixels; the limit is 1535")
        #expect(throws: pixels) {
            try Workbench.make("w=9&format=webp", of: Self.sample(), as: .avif, maximumPixels: 1535)
        }
    }

    @Test func `damage anywhere is an error or an image, never a crash`() throws {
        let sample = try Self.sample()
        var generator = SeededGenerator(seed: 15)
        for _ in 0..<60 {
            var file = sample
            for _ in 0..<3 {
                file[Int.random(in: 0..<file.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            do {
                _ = try Workbench.make("w=9&format=webp", of: file, as: .avif)
            } catch let failure as WorkerReply.Failure {
                if case .worker(let text) = failure { Issue.record("\(text)") }
            }
        }
        #expect(throws: WorkerReply.Failure.self) {
            try Workbench.make("w=9&format=webp", of: Array(sample.dropLast(200)), as: .avif)
        }
    }
}
