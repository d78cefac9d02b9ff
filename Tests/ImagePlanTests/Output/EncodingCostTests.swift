import ImagePlan
import Testing

@Suite(.timeLimit(.minutes(1)))
struct EncodingCostTests {
    @Test func `more pixels and more effort take longer, whatever they are`() {
        for effort in 0..<9 {
            for pixels in [0, 1_000, 196_608, 2_764_800, 50_000_000] {
                let cost = EncodingCost.avifMilliseconds(pixels: pixels, effort: effort)
                #expect(cost > 0 && cost <= EncodingCost.avifMilliseconds(pixels: pixels + 100_000, effort: effort))
                if pixels >= 100_000 {
                    #expect(cost < EncodingCost.avifMilliseconds(pixels: pixels, effort: effort + 1))
                }
            }
        }
        #expect(EncodingCost.avifMilliseconds(pixels: .max, effort: 99) > 1 << 40)
        #expect(
            EncodingCost.avifMilliseconds(pixels: 0, effort: -3) == EncodingCost.avifMilliseconds(pixels: 0, effort: 0)
        )
    }

    @Test func `tells the pixels that a budget is for`() {
        for (budget, effort) in [(100, 0), (100, 1), (1_000, 4), (250, 2)] {
            let pixels = EncodingCost.avifPixels(within: budget, effort: effort)
            #expect(EncodingCost.avifMilliseconds(pixels: pixels, effort: effort) <= budget)
            #expect(EncodingCost.avifMilliseconds(pixels: pixels + 30_000, effort: effort) > budget)
        }
        #expect(EncodingCost.avifPixels(within: 10, effort: 1) == 0)
        let searched = EncodingCost.avifPixels(within: 700, effort: 0, isSearched: true)
        #expect(searched == EncodingCost.avifPixels(within: 100, effort: 0))
    }
}
