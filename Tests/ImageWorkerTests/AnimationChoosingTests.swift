import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// `anim`, `strict`, and the original as the result.
@Suite(.timeLimit(.minutes(1)))
struct AnimationChoosingTests {
    private static let palette: [(UInt8, UInt8, UInt8)] = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0)]

    /// Eight frames of 8×8, followed by a comment.
    private static let gif: [UInt8] = {
        let frames = (0..<8).map { GIFFrame(width: 8, height: 8, colour: UInt8($0 % 4)) }
        let file = TestImages.gif(width: 8, height: 8, palette: palette, frames: frames, loop: 0)
        return file.dropLast() + [0x21, 0xFE, 6] + Array("secret".utf8) + [0, 0x3B]
    }()

    /// Eight frames as a WebP whose last frame is damaged, so that decoding it fails.
    private func brokenWebP() throws -> [UInt8] {
        var file = try Workbench.make("format=webp&lossless=1", of: Self.gif, as: .gif).bytes
        let chunks = file.indices.filter { file[$0...].starts(with: Array("VP8L".utf8)) }
        let last = try #require(chunks.last)
        // After the five-byte header of RFC 9649 §3.4.
        for index in last + 13..<file.count { file[index] = 0xFF }
        return file
    }

    @Test func `the original is returned without its metadata`() throws {
        let made = try Workbench.make("format=gif", of: Self.gif, as: .gif, maximumAnimation: 1)
        #expect(made.description.frames == 8 && made.description.format == .gif)
        #expect(made.bytes == (try Workbench.clean(Self.gif, as: .gif).bytes))
        #expect(made.bytes.count < Self.gif.count)
        let kept = try Workbench.make("format=gif&meta=keep", of: Self.gif, as: .gif, maximumAnimation: 1)
        #expect(kept.bytes == Self.gif)
    }

    @Test func `a source that refuses originals returns the first frame instead`() throws {
        let made = try Workbench.make("format=gif", of: Self.gif, as: .gif, maximumAnimation: 1, givesOriginals: false)
        #expect(made.description.frames == 1)
        #expect(throws: WorkerReply.Failure.self) {
            try Workbench.make(
                "format=gif&anim=keep",
                of: Self.gif,
                as: .gif,
                maximumAnimation: 1,
                givesOriginals: false
            )
        }
    }

    @Test(arguments: ["anim=first&format=png", "frame=6&format=png", "w=8&format=jpeg", "format=json"])
    func `one frame is decoded without the following ones`(query: String) throws {
        let source = try brokenWebP()
        for query in ["w=8&format=gif", "frame=7&format=png"] {
            #expect(throws: WorkerReply.Failure.self) { try Workbench.make(query, of: source, as: .webp) }
        }
        #expect(throws: Never.self) { try Workbench.make(query, of: source, as: .webp) }
    }

    @Test func `strict refuses a format that drops transparency`() throws {
        let clear = Workbench.png(PixelImage(width: 4, height: 4) { x, _ in [9, 9, 9, UInt8(x * 60)] })
        let photo = try Workbench.make("format=jpeg", of: TestImages.gradient(width: 4, height: 4), as: .png).bytes
        let refusal = WorkerReply.Failure.refused(
            "strict: jpeg cannot store the image's transparency",
            parameter: "strict"
        )
        #expect(throws: refusal) { try Workbench.make("format=jpeg&strict=1", of: clear, as: .png) }
        #expect(throws: refusal) { try Workbench.make("format=jpeg&strict=1&round=2", of: photo, as: .jpeg) }
        for (query, source, format) in [
            ("format=jpeg&strict=1&bg=fff", clear, ImageFormat.png), ("format=webp&strict=1", clear, .png),
            ("format=jpeg&strict=1", photo, .jpeg), ("strict=1", clear, .png), ("format=json&strict=1", clear, .png),
        ] {
            #expect(throws: Never.self, "\(query)") { try Workbench.make(query, of: source, as: format) }
        }
    }

    @Test func `strict refuses a still of an animation unless it was requested`() {
        #expect(
            throws: WorkerReply.Failure.refused("strict: jpeg has one frame, but the image has 8", parameter: "strict")
        ) {
            try Workbench.make("format=jpeg&strict=1&bg=fff", of: Self.gif, as: .gif)
        }
        #expect(throws: Never.self) { try Workbench.make("format=jpeg&strict=1&anim=first", of: Self.gif, as: .gif) }
    }

    @Test func `with auto, strict finds a format that keeps everything`() throws {
        let made = try Workbench.make("strict=1&w=4", of: Self.gif, as: .gif)
        #expect(made.description.frames == 8 && made.description.format == .gif)
    }
}
