import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// Delays, loop count and order of animations.
@Suite(.timeLimit(.minutes(1)))
struct PlaybackTests {
    private static let palette: [(UInt8, UInt8, UInt8)] = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0)]

    /// Frames of 8×8, alternately red, green, blue and yellow; delays in hundredths of a second.
    private static func gif(_ delays: [Int], loop: Int? = 0) -> [UInt8] {
        let frames = delays.enumerated().map { index, delay in
            var frame = GIFFrame(width: 8, height: 8, colour: UInt8(index % 4))
            frame.delay = delay
            return frame
        }
        return TestImages.gif(width: 8, height: 8, palette: palette, frames: frames, loop: loop)
    }

    private func delays(_ made: Workbench.Made) throws -> [Int] { try Workbench.metadata(made).integers("delay") }

    private func colours(_ made: Workbench.Made) throws -> [Int?] {
        let stack = try Workbench.decode(made)
        return (0..<made.description.frames).map { frame in
            let pixel = stack[4, frame * 8 + 4].map(Int.init)
            return Self.palette.firstIndex { colour in
                let wanted = [Int(colour.0), Int(colour.1), Int(colour.2)]
                return zip(pixel, wanted).allSatisfy { abs($0 - $1) < 40 }
            }
        }
    }

    @Test(arguments: ["gif", "webp"])
    func `speed divides every delay`(format: String) throws {
        let source = Self.gif([8, 20, 6])
        #expect(try delays(Workbench.make("speed=2&format=\(format)", of: source, as: .gif)) == [40, 100, 30])
        #expect(try delays(Workbench.make("speed=.5&format=\(format)", of: source, as: .gif)) == [160, 400, 120])
    }

    @Test(arguments: ["gif", "webp"])
    func `no speed produces delays that browsers ignore`(format: String) throws {
        let source = Self.gif([8, 20, 5])
        #expect(try delays(Workbench.make("speed=10&format=\(format)", of: source, as: .gif)) == [20, 20, 20])
    }

    @Test func `a delay that browsers replace by 100 ms is divided from 100 ms`() throws {
        let source = Self.gif([0, 1, 2])
        #expect(try delays(Workbench.make("speed=2&format=webp", of: source, as: .gif)) == [50, 50, 20])
        #expect(try delays(Workbench.make("speed=.5&format=webp", of: source, as: .gif)) == [200, 200, 40])
        // Without `speed` they are unchanged.
        #expect(try delays(Workbench.make("w=8&format=gif", of: source, as: .gif)) == [0, 10, 20])
    }

    @Test func `short delays stay above those that browsers replace`() throws {
        let webp = try Workbench.make("speed=.8&format=webp", of: Self.gif([2, 1, 10]), as: .gif)
        #expect(try delays(webp) == [25, 125, 125])
        #expect(
            Animation(delays: [5, 10, 11, 14, 19, 20, 24, 1 << 30], loop: 0).hundredths
                == [5, 10, 20, 20, 20, 20, 24, 655_350]
        )
    }

    @Test(arguments: ["gif", "webp"], [0, 1, 2, 65_535])
    func `loop sets the loop count`(format: String, loop: Int) throws {
        let made = try Workbench.make("loop=\(loop)&format=\(format)", of: Self.gif([10, 10], loop: 3), as: .gif)
        #expect(try Workbench.metadata(made).integer("loop") == loop)
        #expect(made.description.frames == 2)
    }

    @Test(arguments: ["gif", "webp"])
    func `the loop count survives conversion between formats`(format: String) throws {
        for loop in [nil, 0, 1, 65_534, 65_535] {
            let source = Self.gif([10, 10], loop: loop)
            let before = try Workbench.metadata(Workbench.made(source, as: .gif)).integer("loop")
            let made = try Workbench.make("w=8&format=\(format)", of: source, as: .gif)
            let after = try Workbench.metadata(made).integer("loop")
            #expect(after == min(before ?? 0, 65_535), "\(String(describing: loop))")
        }
    }

    @Test(arguments: ["gif", "webp"])
    func `reverse shows the last frame first, each with its own delay`(format: String) throws {
        let made = try Workbench.make("reverse=1&format=\(format)&q=100", of: Self.gif([5, 10, 20]), as: .gif)
        #expect(try colours(made) == [2, 1, 0])
        #expect(try delays(made) == [200, 100, 50])
    }

    @Test func `reverse can be combined with every other step`() throws {
        let query = "reverse=1&w=16&h=16&enlarge=1&rotate=90&crop=8x8&speed=2&format=gif"
        let made = try Workbench.make(query, of: Self.gif([8, 8, 8, 8]), as: .gif)
        #expect(try colours(made) == [3, 2, 1, 0])
        #expect(try delays(made) == [40, 40, 40, 40])
    }

    @Test(arguments: ["gif", "webp"])
    func `fewer frames take as long as all of them`(format: String) throws {
        // Ten frames of 64 pixels; the fifth and sixth have the delays that browsers use.
        let source = Self.gif([3, 4, 5, 6, 0, 1, 7, 8, 9, 10])
        let cost = AnimationCostCase(frames: 10, pixels: 64, format: format)
        let made = try Workbench.make(
            "q=100&format=\(format)",
            of: source,
            as: .gif,
            maximumAnimation: cost.budget(for: 5)
        )
        #expect(made.description.frames == 5)
        #expect(try delays(made) == [70, 110, 200, 150, 190])
        #expect(try colours(made) == [0, 2, 0, 2, 0])
    }

    @Test func `fewer frames can be reversed, sped up, and looped`() throws {
        let budget = AnimationCostCase(frames: 8, pixels: 64, format: "webp").budget(for: 4)
        let made = try Workbench.make(
            "reverse=1&speed=2&loop=5&q=100&format=webp",
            of: Self.gif([10, 10, 10, 10, 10, 10, 10, 30]),
            as: .gif,
            maximumAnimation: budget
        )
        #expect(try delays(made) == [200, 100, 100, 100])
        #expect(try colours(made) == [2, 0, 2, 0])
        #expect(try Workbench.metadata(made).integer("loop") == 5)
    }

    @Test func `a budget below a fourth of the frames keeps the first only`() throws {
        let budget = AnimationCostCase(frames: 8, pixels: 64, format: "webp").budget(for: 1)
        let made = try Workbench.make(
            "q=90&format=webp",
            of: Self.gif(Array(repeating: 10, count: 8)),
            as: .gif,
            maximumAnimation: budget
        )
        #expect(made.description.frames == 1)
        // The format is chosen as for a still: without WebP support a GIF stays a GIF, and a WebP becomes a JPEG or PNG.
        let webp = try Workbench.make("format=webp", of: Self.gif([10, 10, 10]), as: .gif)
        let rest = try Workbench.make("q=90", of: webp.bytes, as: .webp, maximumAnimation: 1)
        #expect(rest.description.frames == 1 && [.jpeg, .png].contains(rest.description.format))
    }

    @Test func `json reports loop count and duration`() throws {
        let made = try Workbench.make("format=json", of: Self.gif([5, 0, 20], loop: 0), as: .gif)
        let text = String(decoding: made.bytes, as: UTF8.self)
        #expect(text.contains("\"frames\":3,\"orientation\":1,\"loop\":0,\"duration\":350,"), "\(text)")
        let webp = try Workbench.make("format=webp", of: Self.gif([5, 10, 20], loop: 0), as: .gif)
        let other = String(decoding: try Workbench.make("format=json", of: webp.bytes, as: .webp).bytes, as: UTF8.self)
        #expect(other.contains("\"loop\":0,\"duration\":350,"), "\(other)")
    }

    @Test func `json reports loop count and duration of an animated PNG`() throws {
        var frames = [TestImages.PNGFrame(8, 6, [255, 0, 0, 255]), TestImages.PNGFrame(8, 6, [0, 255, 0, 255])]
        (frames[0].delay, frames[1].delay) = ((1, 2), (1, 5))
        for rounds in [0, 1, 7] {
            let source = TestImages.animatedPNG(width: 8, height: 6, frames: frames, rounds: rounds)
            let text = String(decoding: try Workbench.make("format=json", of: source, as: .png).bytes, as: UTF8.self)
            #expect(text.contains("\"frames\":2,\"orientation\":1,\"loop\":\(rounds),\"duration\":700,"), "\(text)")
        }
    }
}

/// The budget that leaves room for some frames of an animation without steps.
private struct AnimationCostCase {
    var frames: Int
    var pixels: Int
    var format: String

    func budget(for kept: Int) -> Int {
        let encoded = (format == "gif" ? 3 : 1) * pixels
        return frames * pixels / 8 + kept * encoded
    }
}
