import CJXL
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// Animated JPEG XL originals.
@Suite(.timeLimit(.minutes(1)), .enabled(if: Workbench.decodes(.jxl)))
struct JXLAnimationTests {
    /// A frame in one colour, with a black pixel in the top left corner.
    private static func frame(_ colour: [UInt8], width: Int, height: Int) -> [UInt8] {
        Array(([[0, 0, 0, 255]] + Array(repeating: colour, count: width * height - 1)).joined())
    }

    private static let colours: [[UInt8]] = [
        [255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 128], [255, 255, 0, 255],
    ]

    /// Frames of 20×12 in red, green, half-transparent blue and yellow of 50, 100, 150 and 200 ms; losslessly encoded by libjxl.
    static func file(frames count: Int = 4, rounds: UInt32 = 5) throws -> [UInt8] {
        var info = JXLSample.info(width: 20, height: 12)
        (info.num_extra_channels, info.alpha_bits, info.uses_original_profile, info.have_animation) = (1, 8, 1, 1)
        info.animation = JxlAnimationHeader(
            tps_numerator: 1000,
            tps_denominator: 1,
            num_loops: rounds,
            have_timecodes: 0
        )
        let frames = (0..<count).map { index in
            let pixels = frame(colours[index % 4], width: 20, height: 12)
            return JXLSample.Frame(pixels: pixels, ticks: UInt32(50 * (index + 1)))
        }
        return try JXLSample.file(info, frames)
    }

    @Test func `the header reports an animation, but not the number of frames`() throws {
        for (count, stated) in [(4, 2), (2, 2)] {
            let file = try Self.file(frames: count)
            guard case .image(let header) = ImageSniffer.sniff(file.span, totalLength: file.count) else {
                Issue.record("not a JPEG XL")
                return
            }
            #expect(header.frames == stated && header.width == 20 && header.height == 12)
        }
        let still = try SampleFiles.bytes("gradient-16bit.jxl")
        guard case .image(let header) = ImageSniffer.sniff(still.span, totalLength: still.count) else {
            Issue.record("not a JPEG XL")
            return
        }
        #expect(header.frames == 1)
    }

    @Test(arguments: ["webp", "gif", "png", "avif"])
    func `keeps frames, delays and loop count`(format: String) throws {
        let made = try Workbench.make("format=\(format)&q=95&bg=fff", of: Self.file(), as: .jxl)
        #expect(made.description.frames == 4)
        let metadata = try Workbench.metadata(made)
        #expect(metadata.integers("delay") == [50, 100, 150, 200] && metadata.integer("loop") == 5)
    }

    @Test func `its frames are exact, with transparency`() throws {
        let stack = try Workbench.decode(Workbench.make("format=png", of: Self.file(), as: .jxl))
        #expect(stack.width == 20 && stack.height == 48)
        for index in 0..<4 {
            #expect(stack[10, index * 12 + 6] == Self.colours[index], "\(index)")
            #expect(stack[0, index * 12] == [0, 0, 0, 255], "\(index)")
        }
    }

    @Test func `a single frame equals the same frame of the animation, and the first equals the still`() throws {
        for index in 0..<4 {
            let one = try Workbench.decode(Workbench.make("frame=\(index)&format=png", of: Self.file(), as: .jxl))
            #expect(one.height == 12 && one[10, 6] == Self.colours[index], "\(index): \(one[10, 6])")
        }
        let part = try Workbench.make("frames=2-3&format=png", of: Self.file(), as: .jxl)
        #expect(try Workbench.metadata(part).integers("delay") == [150, 200])
        #expect(try Workbench.decode(part)[10, 12 + 6] == Self.colours[3])
        let error = #expect(throws: WorkerReply.Failure.self) {
            try Workbench.make("frame=4&format=png", of: Self.file(), as: .jxl)
        }
        #expect("\(String(describing: error))".contains("the last frame is 3"))
    }

    @Test func `limits are checked with the number of frames`() throws {
        let made = try Workbench.make("w=9&format=webp", of: Self.file(frames: 9), as: .jxl, maximumFrames: 8)
        #expect(made.description.frames == 1)
        #expect(throws: WorkerReply.Failure.self) {
            try Workbench.make("anim=keep&format=webp", of: Self.file(frames: 9), as: .jxl, maximumFrames: 8)
        }
        let json = try Workbench.make("format=json", of: Self.file(), as: .jxl)
        let text = String(decoding: json.bytes, as: UTF8.self)
        #expect(
            text.contains(#""frames":4,"orientation":1,"loop":5,"duration":500,"depth":8,"space":"srgb","hdr":false"#),
            "\(text)"
        )
    }

    @Test func `truncated and damaged files are reported as broken`() throws {
        let file = try Self.file()
        for count in stride(from: 8, to: file.count - 1, by: 3) {
            let failure = #expect(throws: WorkerReply.Failure.self, "\(count)") {
                try Workbench.make("format=webp&w=9", of: Array(file.prefix(count)), as: .jxl)
            }
            if case .worker(let text) = failure { Issue.record("\(text)") }
        }
        var generator = SeededGenerator(seed: 4)
        for _ in 0..<60 {
            var damaged = file
            damaged[Int.random(in: 2..<file.count, using: &generator)] ^= UInt8.random(in: 1...255, using: &generator)
            do {
                _ = try Workbench.make("format=webp&w=9", of: damaged, as: .jxl)
            } catch let failure as WorkerReply.Failure {
                if case .worker(let text) = failure { Issue.record("\(text)") }
            }
        }
    }
}
