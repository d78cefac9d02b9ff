import ImagePlan
import Testing

@Suite(.timeLimit(.minutes(1)))
struct EncodingCostTests {
    @Test func `more pixels and more effort always take longer`() {
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

    @Test func `computes the pixels that fit a budget`() {
        for (budget, effort) in [(100, 0), (100, 1), (1_000, 4), (250, 2)] {
            let pixels = EncodingCost.avifPixels(within: budget, effort: effort)
            #expect(EncodingCost.avifMilliseconds(pixels: pixels, effort: effort) <= budget)
            #expect(EncodingCost.avifMilliseconds(pixels: pixels + 30_000, effort: effort) > budget)
        }
        #expect(EncodingCost.avifPixels(within: 10, effort: 1) == 0)
        let searched = EncodingCost.avifPixels(within: 700, effort: 0, encodes: 7)
        #expect(searched == EncodingCost.avifPixels(within: 100, effort: 0))
    }

    @Test func `distinguishes cheap from expensive formats`() {
        func cost(_ change: (inout PlanSettings) -> Void, bucket: FormatBucket = .rest, smallest: Bool = false) -> Int {
            var settings = PlanSettings(format: .jpeg)
            change(&settings)
            return EncodingCost.milliseconds(
                of: settings,
                pixels: 2_000_000,
                bucket: bucket,
                quality: QualityDefaults(),
                search: EncodingSearch(takesSmallest: smallest)
            )
        }
        let jpeg = cost { _ in }
        #expect(jpeg > 0 && jpeg < 100)
        let webp = cost { $0.format = .webp }
        #expect(webp > jpeg && cost { $0.format = .auto } == webp)
        #expect(cost({ $0.format = .auto }, bucket: .avif) > webp)
        let jxl = cost { $0.format = .jxl }
        for bucket in [FormatBucket.jxl, .avifJXL] { #expect(cost({ $0.format = .auto }, bucket: bucket) == jxl) }
        #expect(cost({ $0.format = .auto }, bucket: .avifJXL, smallest: true) > 4 * jxl)
        for change in [
            { $0.encoding.isLossless = true }, { $0.encoding.usesSharpYUV = true }, { $0.encoding.effort = 9 },
            { $0.encoding.maximumBytes = 9 }, { $0.quality = .search(nil) },
        ] as [(inout PlanSettings) -> Void] {
            let dearer = cost { settings in
                settings.format = .webp
                change(&settings)
            }
            #expect(dearer >= 2 * webp)
        }
        #expect(cost({ $0.format = .auto }, smallest: true) >= 4 * webp)
        #expect(
            cost { $0.format = .avif }
                < cost { settings in
                    settings.format = .avif
                    settings.encoding.effort = 4
                }
        )
        #expect(
            cost { $0.format = .jxl } > jpeg && cost { $0.format = .png } > jpeg && cost { $0.format = .gif } > jpeg
        )
        #expect(cost { $0.format = .json } <= 2)
    }
}
