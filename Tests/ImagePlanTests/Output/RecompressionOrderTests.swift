import Testing

@testable import ImagePlan

@Suite(.timeLimit(.minutes(1)))
struct RecompressionOrderTests {
    private func order(
        _ plan: String,
        _ format: ResultFormat = .webp,
        pixels: Int = 1_000_000,
        quality: QualityDefaults = QualityDefaults()
    ) -> Recompression.Order? {
        Recompression.order(of: plan, result: format, pixels: pixels, frames: 1, bucket: .avif, quality: quality)
    }

    @Test func `the effort is that beyond which files hardly become smaller`() {
        #expect(order("1?w=9")?.plan == "1?w=9&effort=6")
        #expect(order("1?w=9&progressive=1", .jpeg)?.plan == "1?w=9&effort=9&progressive=1")
    }

    @Test func `there is no order if the first encoding had as much effort`() {
        var thorough = QualityDefaults()
        thorough.webpOptions.method = 6
        #expect(order("1?w=9", quality: thorough) == nil)
    }

    @Test func `the time is that of the format and the effort`() {
        #expect(order("1?w=9")?.milliseconds == 200 && order("1?w=9&progressive=1", .jpeg)?.milliseconds == 150)
        #expect(order("1?w=9&q=auto", pixels: 1_000_000)?.milliseconds == 8 * 200)
    }

    @Test func `lossless results and sequential JPEGs give no order`() {
        #expect(order("1?format=webp&lossless=1") == nil && order("1?format=webp&near_lossless=40") == nil)
        #expect(order("1?w=9", .jpeg) == nil)
        var lossless = QualityDefaults()
        lossless.webpOptions.lossless = true
        #expect(order("1?format=webp", quality: lossless) == nil)
        #expect(order("1?format=webp&q=70", quality: lossless) != nil)
    }

    @Test(arguments: ["1?effort=6", "1?max_bytes=9", "2?w=9", "no plan"])
    func `a stated effort or size, or an unknown plan, gives no order`(plan: String) {
        #expect(order(plan) == nil)
    }

    @Test func `text and other formats give no order`() {
        for format in [ResultFormat.json, .text, .png, .gif, .avif] { #expect(order("1?w=9", format) == nil) }
    }
}
