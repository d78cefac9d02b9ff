import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// AVIF sequences, of which only the still picture is decoded: what is reported and what is refused.
@Suite(.timeLimit(.minutes(1)), .enabled(if: Workbench.decodes(.avif)))
struct SequenceTests {
    /// Three pictures of 48×32, a tenth of a second each.
    private static func sample() throws -> [UInt8] { try SampleFiles.bytes("sequence.avif") }

    @Test func `json reports frames, loop count and duration`() throws {
        let made = try Workbench.make("format=json", of: Self.sample(), as: .avif)
        let text = String(decoding: made.bytes, as: UTF8.self)
        #expect(text.contains(#""frames":3,"orientation":1,"loop":0,"duration":300,"#), "\(text)")
    }

    @Test(arguments: ["strict=1&w=9", "anim=keep&w=9", "anim=keep&format=webp", "frame=1&format=png", "frame=3"])
    func `refuses to pass a still off as the sequence`(query: String) throws {
        let parameter = String(query.prefix { $0 != "=" })
        let failure = #expect(throws: WorkerReply.Failure.self) {
            try Workbench.make(query, of: Self.sample(), as: .avif)
        }
        guard case .refused(let text, parameter) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(
            query == "frame=3" ? text.contains("last frame is 2") : text.contains("only the first frame"),
            "\(text)"
        )
    }

    @Test(arguments: ["w=9", "anim=first&strict=1&w=9", "frame=0&strict=1&w=9", "w=9&format=webp", "speed=2&w=9"])
    func `returns the first frame if it is requested or acceptable`(query: String) throws {
        let made = try Workbench.make(query, of: Self.sample(), as: .avif)
        #expect(made.description.frames == 1 && made.description.width == 9 && made.description.height == 6)
    }
}
