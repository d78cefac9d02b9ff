import ImagePlan
import Testing

/// `frames`: a range of an animation's frames.
@Suite(.timeLimit(.minutes(1)))
struct FrameRangeTests {
    private static let animated = EncoderTraits(
        hasAlpha: true,
        hasAnimation: true,
        isLosslessPossible: true,
        longestSide: 16_383
    )

    private func plan(_ query: String) throws -> Plan {
        try RequestLanguage.parse(query: query, options: ParseOptions()).plan
    }

    private func choose(
        _ query: String,
        frames: Int = 100,
        of source: ImageFormat = .gif,
        _ limits: AnimationLimits = AnimationLimits()
    ) throws -> AnimationChoice {
        let header = ImageHeader(format: source, width: 100, height: 100, frames: frames, hasAlpha: true)
        return try .make(of: plan(query), header: header, format: .webp, traits: Self.animated, limits: limits)
    }

    @Test(arguments: [
        ("frames=10-19", "1?frames=10-19"), ("frames=0-99999", "1?frames=0-99999"), ("frames=3-3", "1?frame=3"),
        ("frames=0-0", "1?anim=first"), ("frames=7-9&format=jpeg", "1?format=jpeg&frame=7"),
        ("frames=7-9&format=json", "1?format=json&frame=7"), ("frames=0-9&format=png", "1?format=png&frames=0-9"),
        ("frames=2-4&anim=keep", "1?anim=keep&frames=2-4"), ("frames=3-3&anim=keep", "1?frame=3"),
        ("frames=2-4&anim=keep&format=jpeg", "1?anim=keep&format=jpeg"),
        ("frames=2-4&speed=2&reverse=1&loop=3", "1?frames=2-4&loop=3&reverse=1&speed=2"),
    ])
    func `has one canonical text, which parses to the same range`(query: String, text: String) throws {
        #expect(try plan(query).canonicalText == text)
        #expect(try Plan(canonicalText: text) == plan(query))
    }

    @Test(arguments: [
        "frames=", "frames=5", "frames=5-", "frames=-5", "frames=9-5", "frames=1-2-3", "frames=a-b", "frames=0-100000",
        "frames=1-2&frames=1-2", "frames=1-2&frame=1", "frames=1-2&anim=first", "frames=1.5-2",
    ])
    func `rejects anything except two ordered frames, and contradictions`(query: String) {
        let error = #expect(throws: RequestError.self) { try plan(query) }
        #expect(error?.parameter == "frames")
    }

    @Test func `the part beyond the last frame is ignored, but a range beyond it is an error`() throws {
        #expect(try choose("frames=90-200") == .all)
        #expect(try choose("frames=99-200") == .still(frame: 99))
        let error = #expect(throws: RequestError.self) { try choose("frames=100-200") }
        #expect(error?.description == "frames: starts after the last frame, 99" && error?.status == .unprocessable)
        #expect(try choose("frames=0-5", frames: 1) == .still(frame: 0))
        #expect(throws: RequestError.self) { try choose("frames=1-5", frames: 1) }
    }

    @Test func `only its frames are encoded; the ones before it are also decoded`() throws {
        // 100 frames cost 1,125,000; the last ten 125,000 for decoding all and 100,000 for encoding ten.
        #expect(try choose("frames=90-99", AnimationLimits(pixels: 225_000)) == .all)
        #expect(try choose("frames=90-99", AnimationLimits(pixels: 224_999)) == .some(9))
        #expect(try choose("frames=0-9", AnimationLimits(pixels: 112_500)) == .all)
        #expect(try choose("frames=0-9", AnimationLimits(frames: 10)) == .all)
        #expect(try choose("frames=0-9", AnimationLimits(frames: 9)) == .still(frame: 0))
        let error = #expect(throws: RequestError.self) { try choose("frames=5-9", AnimationLimits(frames: 3)) }
        #expect(error?.parameter == "frames" && error?.reason.contains("limits.frames") == true)
    }

    @Test func `the original is not served in place of a range`() throws {
        #expect(try choose("frames=0-98", of: .webp, AnimationLimits(pixels: 1)) == .still(frame: 0))
        #expect(try choose("", of: .webp, AnimationLimits(pixels: 1)) == .original)
    }

    @Test func `reports which frames were kept`() {
        let header = ImageHeader(format: .gif, width: 100, height: 100, frames: 99, hasAlpha: true)
        func text(_ plan: String, _ frames: Int) -> String? {
            AnimationOutcome(plan: plan, header: header, frames: frames, format: .webp, limits: .init())?.text
        }
        #expect(text("1?frames=10-19", 10) == "kept; frames=10; range=10-19")
        #expect(text("1?frames=90-200", 9) == "kept; frames=9; range=90-98")
        #expect(text("1?frames=10-19", 5) == "reduced; frames=5/10; range=10-19")
        #expect(text("1?frames=10-19", 1) == "frame; frames=1/99; frame=10")
        #expect(text("1?frames=0-200", 99) == "kept; frames=99")
    }

    @Test func `reports no total for a JPEG XL, whose header has none`() {
        let header = ImageHeader(format: .jxl, width: 100, height: 100, frames: 2)
        let outcome = AnimationOutcome(plan: "1?w=9", header: header, frames: 7, format: .webp, limits: .init())
        #expect(outcome?.text == "uncounted; frames=7")
    }
}
