import ImagePlan
import Testing

@Suite(.timeLimit(.minutes(1)))
struct AnimationChoiceTests {
    private static let animated = EncoderTraits(
        hasAlpha: true,
        hasAnimation: true,
        isLosslessPossible: true,
        longestSide: 16_383
    )
    private static let still = EncoderTraits(
        hasAlpha: false,
        hasAnimation: false,
        isLosslessPossible: false,
        longestSide: 65_535
    )

    private func choose(
        _ query: String,
        frames: Int = 100,
        side: Int = 100,
        as format: ImageFormat = .webp,
        of source: ImageFormat = .gif,
        _ limits: AnimationLimits = AnimationLimits()
    ) throws -> AnimationChoice {
        try AnimationChoice.make(
            of: RequestLanguage.parse(query: query, options: ParseOptions()).plan,
            header: ImageHeader(format: source, width: side, height: side, frames: frames, hasAlpha: true),
            format: format,
            traits: format == .jpeg ? Self.still : Self.animated,
            limits: limits
        )
    }

    private func refusal(_ query: String, as format: ImageFormat = .webp, _ limits: AnimationLimits) -> String? {
        #expect(throws: RequestError.self) { try choose(query, as: format, limits) }.map { error in
            #expect(error.status == .unprocessable)
            return error.description
        }
    }

    @Test func `keeps every frame within the budget, and fewer from one pixel over`() throws {
        // 100 frames of 10,000 pixels: one eighth for decoding, one for encoding.
        let cost = 1_125_000
        #expect(try choose("", AnimationLimits(pixels: cost)) == .all)
        #expect(try choose("", AnimationLimits(pixels: cost - 1)) == .some(99))
        #expect(try choose("", as: .gif, of: .webp, AnimationLimits(pixels: cost)) == .some(25))
    }

    @Test func `keeps at least one frame in four, or only the first`() throws {
        #expect(try choose("", AnimationLimits(pixels: 375_000)) == .some(25))
        #expect(try choose("", AnimationLimits(pixels: 374_999)) == .still(frame: 0))
        #expect(try choose("", AnimationLimits(pixels: 1)) == .still(frame: 0))
        // Two is the fewest that animate.
        #expect(try choose("", frames: 3, AnimationLimits(pixels: 23_750)) == .some(2))
        #expect(try choose("", frames: 3, AnimationLimits(pixels: 23_749)) == .still(frame: 0))
    }

    @Test func `a smaller result leaves room for more frames`() throws {
        let limits = AnimationLimits(pixels: 500_000)
        guard case .some(let full) = try choose("q=50", limits) else {
            Issue.record("not reduced")
            return
        }
        #expect(full < 50)
        #expect(try choose("w=25", limits) == .all)
    }

    @Test func `more work per frame leaves fewer frames`() throws {
        let limits = AnimationLimits(pixels: 2_500_000)
        #expect(try choose("", limits) == .all)
        #expect(try choose("effort=2", limits) == .all)
        // Five times the WebP default, three times the GIF one, and seven encodes.
        #expect(try choose("effort=6", limits) == .some(47))
        #expect(try choose("effort=9", as: .gif, of: .webp, limits) == .still(frame: 0))
        #expect(try choose("max_bytes=9999", limits) == .some(33))
    }

    @Test func `limits the pixels in memory, too`() throws {
        // 64 MP decoded at one eighth, almost nothing encoded; memory holds 4 pixels per unit of the budget.
        let limits = AnimationLimits(pixels: 13_000_000)
        #expect(try choose("w=1", side: 800, limits) == .some(81))
    }

    @Test func `no cost is negative or overflows`() throws {
        #expect(try choose("w=1", frames: 256, side: 1 << 30, AnimationLimits(pixels: 1 << 40)) == .still(frame: 0))
    }

    @Test func `never decodes more frames than the limit`() throws {
        let limits = AnimationLimits(frames: 99)
        #expect(try choose("w=9", limits) == .still(frame: 0))
        #expect(refusal("anim=keep", limits) == "anim: 100 frames exceed the limit of 99 (limits.frames)")
        #expect(refusal("strict=1", limits) == "strict: 100 frames exceed the limit of 99 (limits.frames)")
        #expect(try choose("frame=98", limits) == .still(frame: 98))
        #expect(
            refusal("frame=99", limits)
                == "frame: requires decoding 100 frames: 100 frames exceed the limit of 99 (limits.frames)"
        )
    }

    @Test func `never decodes frames together that cannot be stacked`() throws {
        let header = ImageHeader(format: .gif, width: 1, height: 60_000, frames: 200)
        func choose(_ query: String) throws -> AnimationChoice {
            let plan = try RequestLanguage.parse(query: query, options: ParseOptions()).plan
            let limits = AnimationLimits()
            return try .make(of: plan, header: header, format: .webp, traits: Self.animated, limits: limits)
        }
        #expect(try choose("h=100") == .still(frame: 0))
        #expect(try choose("frame=199") == .still(frame: 199))
        let error = #expect(throws: RequestError.self) { try choose("anim=keep") }
        #expect(error?.reason == "200 frames have 12000000 rows in total, more than the limit of 10000000")
    }

    @Test func `keep returns all frames or an error that names the limit`() throws {
        let limits = AnimationLimits(pixels: 1_000_000)
        #expect(try choose("anim=keep") == .all)
        let reason = "100 frames cost about 1125000 pixels, more than the limit of 1000000 (limits.animation)"
        #expect(refusal("anim=keep", limits) == "anim: \(reason)")
        #expect(refusal("strict=1", limits) == "strict: \(reason)")
        #expect(
            refusal("anim=keep", as: .jpeg, limits)
                == "anim: requests all frames; jpeg has one frame, but the image has 100"
        )
        #expect(refusal("strict=1", as: .jpeg, limits) == "strict: jpeg has one frame, but the image has 100")
    }

    @Test func `requested losses are not errors`() throws {
        #expect(try choose("anim=first&strict=1", as: .jpeg) == .still(frame: 0))
        #expect(try choose("frame=7&strict=1") == .still(frame: 7))
        #expect(try choose("strict=1&format=json") == .still(frame: 0))
        #expect(try choose("strict=1", frames: 1, as: .jpeg) == .still(frame: 0))
        #expect(try choose("anim=keep", frames: 1, as: .jpeg) == .still(frame: 0))
    }

    @Test func `the original is returned if the request changes nothing`() throws {
        let limits = AnimationLimits(pixels: 1)
        for query in ["", "anim=keep", "strict=1", "format=source", "format=gif", "meta=keep"] {
            #expect(try choose(query, as: .gif, limits) == .original, "\(query)")
        }
        #expect(try choose("", as: .gif, AnimationLimits(frames: 9)) == .original)
        #expect(try choose("", as: .webp, of: .webp, limits) == .original)
        for query in ["w=500", "loop=1", "speed=2", "reverse=1", "q=50", "effort=1", "bg=fff", "meta=copyright"] {
            #expect(try choose(query, as: .gif, limits) == .still(frame: 0), "\(query)")
        }
        #expect(try choose("", as: .webp, limits) == .still(frame: 0))
        #expect(try choose("", as: .gif, AnimationLimits(pixels: 1, givesOriginals: false)) == .still(frame: 0))
        #expect(try choose("anim=first", as: .gif, limits) == .still(frame: 0))
    }

    @Test(arguments: [(1, 1), (1, 9), (2, 3), (25, 99), (98, 99), (99, 99)])
    func `kept frames are evenly spread and include the first`(kept: Int, frames: Int) {
        let chosen = AnimationChoice.frames(keeping: kept, of: frames)
        #expect(chosen.count == kept && chosen.first == 0)
        #expect(chosen.allSatisfy { (0..<frames).contains($0) })
        let gaps = zip(chosen, chosen.dropFirst() + [frames]).map { $1 - $0 }
        #expect((gaps.min() ?? 0) >= frames / kept && (gaps.max() ?? 0) <= (frames + kept - 1) / kept)
    }

    @Test func `derives the outcome from stored facts`() {
        let header = ImageHeader(format: .gif, width: 100, height: 100, frames: 99, hasAlpha: true)
        func text(_ plan: String?, _ frames: Int, _ limits: AnimationLimits = AnimationLimits()) -> String? {
            AnimationOutcome(plan: plan, header: header, frames: frames, format: .gif, limits: limits)?.text
        }
        #expect(text(nil, 99) == "original; frames=99")
        #expect(text(MetadataCleaner.planText, 99) == "original; frames=99")
        #expect(text("1?w=9", 99) == "kept; frames=99")
        #expect(text("1?", 99) == "kept; frames=99")
        #expect(text("1?", 99, AnimationLimits(pixels: 1)) == "original; frames=99")
        #expect(text("1?w=9", 25) == "reduced; frames=25/99")
        #expect(text("1?w=9", 1) == "first; frames=1/99")
        #expect(text("1?anim=first", 1) == "first; frames=1/99")
        #expect(text("1?frame=12", 1) == "frame; frames=1/99; frame=12")
        let still = ImageHeader(format: .gif, width: 100, height: 100)
        let none = AnimationOutcome(plan: nil, header: still, frames: 1, format: .gif, limits: AnimationLimits())
        #expect(none == nil)
    }

    @Test func `reports no animation for a PNG that turned out to be a still`() {
        let header = ImageHeader(format: .png, width: 100, height: 100, frames: 99, hasAlpha: true)
        func text(_ plan: String, _ frames: Int, _ format: ImageFormat) -> String? {
            AnimationOutcome(plan: plan, header: header, frames: frames, format: format, limits: .init())?.text
        }
        #expect(text("1?w=9", 1, .webp) == nil)
        #expect(text("1?w=9", 99, .webp) == "kept; frames=99")
        #expect(text("1?anim=first", 1, .webp) == "first; frames=1/99")
        #expect(text("1?w=9", 1, .jpeg) == "first; frames=1/99")
    }
}
