import Testing

@testable import ImagePlan

@Suite(.timeLimit(.minutes(1)))
struct RecompressionEffortTests {
    private func effort(
        _ plan: String,
        _ format: ResultFormat = .webp,
        pixels: Int = 1_000_000,
        quality: QualityDefaults = QualityDefaults(),
        within milliseconds: Int = .max
    ) -> Int? {
        Recompression.effort(
            of: plan,
            result: format,
            pixels: pixels,
            frames: 1,
            bucket: .avif,
            quality: quality,
            within: milliseconds
        )
    }

    @Test func `the effort is that beyond which files hardly become smaller`() {
        #expect(effort("1?w=9") == 6 && effort("1?w=9", .avif) == 4)
        #expect(effort("1?w=9&progressive=1", .jpeg) == 9)
    }

    @Test func `there is none if the first encoding had as much effort`() {
        var thorough = QualityDefaults()
        thorough.webpOptions.method = 6
        thorough.avifEffort = 4
        #expect(effort("1?w=9", quality: thorough) == nil && effort("1?w=9", .avif, quality: thorough) == nil)
        #expect(effort("1?w=9&format=avif", .avif, quality: thorough) == 4)
    }

    @Test func `it is as high as the time allows`() {
        // The first encoding takes 0.2 s, each of four with effort 4 takes 2.2 s, and with 3 0.5 s.
        #expect(effort("1?w=9", .avif, within: 9_000) == 4 && effort("1?w=9", .avif, within: 8_900) == 3)
        #expect(effort("1?w=9", .avif, within: 2_200) == nil)
        #expect(effort("1?w=9", within: 1_700) == 6 && effort("1?w=9", within: 1_600) == nil)
    }

    @Test func `lossless results and sequential JPEGs have none`() {
        #expect(effort("1?format=webp&lossless=1") == nil && effort("1?format=webp&near_lossless=40") == nil)
        #expect(effort("1?format=avif&lossless=1", .avif) == nil && effort("1?w=9", .jpeg) == nil)
        var lossless = QualityDefaults()
        lossless.webpOptions.lossless = true
        #expect(effort("1?format=webp", quality: lossless) == nil)
        #expect(effort("1?format=webp&q=70", quality: lossless) != nil)
    }

    @Test(arguments: ["1?effort=6", "1?max_bytes=9", "2?w=9", "no plan"])
    func `a stated effort or size, or an unknown plan, has none`(plan: String) {
        #expect(effort(plan) == nil)
    }

    @Test func `text and other formats have none`() {
        for format in [ResultFormat.json, .text, .png, .gif] { #expect(effort("1?w=9", format) == nil) }
    }
}
