import ImagePlan
import Testing

/// The budget of decoded bytes (`limits.decode-bytes`).
@Suite(.timeLimit(.minutes(1)))
struct DecodeBudgetTests {
    private func refusal(_ query: String, of format: ImageFormat = .jpeg, _ bytes: Int) throws -> String? {
        let plan = try RequestLanguage.parse(query: query, options: ParseOptions()).plan
        let header = ImageHeader(format: format, width: 1000, height: 800)
        return DecodeBudget.refusal(of: header, plan: plan.canonicalText, within: bytes)
    }

    @Test func `a plan over the budget is refused with an error that names the setting`() throws {
        #expect(try refusal("blur=2", 3_200_000) == nil)
        let text = "1000×800 pixels need 3200000 bytes to decode, more than the limit of 3199999 (limits.decode-bytes)"
        #expect(try refusal("blur=2", 3_199_999) == text)
        #expect(try refusal("w=10", of: .png, 3_199_999) == text)
    }

    @Test func `a JPEG is loaded smaller, but no smaller than its result`() throws {
        // A quarter of the bytes at each halving; 250 is a quarter of 1000.
        #expect(try refusal("w=250", 200_000) == nil)
        #expect(try refusal("w=251", 200_000) != nil)
        #expect(try refusal("w=251", 800_000) == nil)
        #expect(try refusal("w=500", 800_000) == nil)
        #expect(try refusal("w=501", 800_000) != nil)
        #expect(try refusal("w=10", 50_000) == nil)
        #expect(try refusal("w=10", 49_999) != nil)
    }

    @Test func `the usual factor is used within the budget`() throws {
        let steps = try PlanGeometry.resolve(
            Plan(steps: [ResizeStep(width: 400, height: nil)]),
            source: PixelSize(width: 1000, height: 800)
        )
        func factor(_ bytes: Int) -> Int {
            let size = PixelSize(width: 1000, height: 800)
            return ShrinkOnLoad.factor(for: .jpeg, steps: steps, source: size, orientation: 1, within: bytes)
        }
        // 500 is less than 1.75 times 400.
        #expect(factor(.max) == 1 && factor(3_200_000) == 1 && factor(3_199_999) == 2 && factor(1) == 1)
    }

    @Test func `descriptions and placeholders need only a tiny image`() throws {
        for query in ["format=json", "format=blurhash", "format=lqip"] {
            #expect(try refusal(query, 50_000) == nil, "\(query)")
        }
        #expect(try refusal("format=json&pixel=1,1", 50_000) != nil)
        let header = ImageHeader(format: .jpeg, width: 1000, height: 800)
        #expect(DecodeBudget.refusal(of: header, plan: Placeholder.planText, within: 50_000) == nil)
    }

    @Test func `the estimate of a job is that of its largest plan`() throws {
        func estimate(_ queries: [String], of header: ImageHeader) throws -> Int {
            let plans = try queries.map {
                try RequestLanguage.parse(query: $0, options: ParseOptions()).plan.canonicalText
            }
            return DecodeBudget.estimate(of: header, plans: plans, within: 1_000_000)
        }
        let photo = ImageHeader(format: .jpeg, width: 1000, height: 800)
        // Loaded at an eighth, a half and whole.
        #expect(try estimate(["w=10"], of: photo) == 125 * 100 * 4)
        #expect(try estimate(["w=10", "w=200"], of: photo) == 500 * 400 * 4)
        #expect(try estimate(["w=200", "crop=0,0,10,10"], of: photo) == 3_200_000)
        #expect(DecodeBudget.estimate(of: photo, plans: [MetadataCleaner.planText], within: 1) == 0)
        // Coefficients take more than pixels.
        for isClean in [false, true] {
            let plan = OriginalTranscoding.planText(isClean: isClean)
            let bytes = DecodeBudget.estimate(of: photo, plans: [plan], within: 1)
            #expect(bytes == photo.size.pixels * OriginalTranscoding.bytesPerPixel)
        }
        let frames = ImageHeader(format: .gif, width: 100, height: 100, frames: 3)
        #expect(try estimate(["w=10"], of: frames) == 120_000)
        let film = ImageHeader(format: .gif, width: 100, height: 100, frames: 300)
        #expect(try estimate(["w=10"], of: film) == 1_000_000)
    }

    @Test func `an animation keeps as many frames as fit`() throws {
        func choose(_ query: String, _ bytes: Int) throws -> AnimationChoice {
            try .make(
                of: RequestLanguage.parse(query: query, options: ParseOptions()).plan,
                header: ImageHeader(format: .gif, width: 100, height: 100, frames: 20),
                format: .webp,
                traits: EncoderTraits(
                    hasAlpha: true,
                    hasAnimation: true,
                    isLosslessPossible: true,
                    longestSide: 16_383
                ),
                limits: AnimationLimits(bytes: bytes)
            )
        }
        #expect(try choose("", 800_000) == .all)
        #expect(try choose("", 799_999) == .some(19))
        #expect(try choose("", 79_999) == .still(frame: 0))
        let error = #expect(throws: RequestError.self) { try choose("anim=keep", 799_999) }
        #expect(error?.reason == "20 frames need 800000 bytes, more than the limit of 799999 (limits.decode-bytes)")
    }

    @Test func `a budget other than the default is part of cache keys`() {
        #expect(AnimationLimits(bytes: 1 << 20).keyText == "bytes=1048576")
        #expect(AnimationLimits().keyText == "")
    }
}
