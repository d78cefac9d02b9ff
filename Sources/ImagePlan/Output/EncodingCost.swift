/// What an encoder will about take, told before it is asked: the CPU time of `Benchmarks/README.md`'s table.
package enum EncodingCost {
    /// Milliseconds for a picture without pixels, and for each million of them.
    private struct Line {
        var base: Int
        var perMegapixel: Int
    }

    /// AVIF through aom, by effort: lines through the table's 512 px and 1920 px; 3, 5 and 6 were tried at 512 px, what is from 7 on
    /// is a guess.
    private static let avif = [
        Line(base: 7, perMegapixel: 45), Line(base: 29, perMegapixel: 133), Line(base: 22, perMegapixel: 265),
        Line(base: 25, perMegapixel: 420), Line(base: 250, perMegapixel: 1_750), Line(base: 300, perMegapixel: 2_200),
        Line(base: 500, perMegapixel: 4_000), Line(base: 1_000, perMegapixel: 10_000),
        Line(base: 2_000, perMegapixel: 20_000), Line(base: 5_000, perMegapixel: 60_000),
    ]

    /// The encodes that a search for the quality of `max_bytes` may take.
    private static let mostSearches = 7

    /// Milliseconds of one processor to encode a picture as AVIF.
    ///
    /// - Parameters:
    ///   - pixels: of the result; 0 where they are not known.
    ///   - effort: 0–9; others count as the nearest of these.
    ///   - isSearched: whether the quality is to be found by trying.
    package static func avifMilliseconds(pixels: Int, effort: Int, isSearched: Bool = false) -> Int {
        let line = avif[min(max(effort, 0), avif.count - 1)]
        let once = line.base.addingSaturated(pixels.multipliedSaturated(by: line.perMegapixel) / 1_000_000)
        return isSearched ? once.multipliedSaturated(by: mostSearches) : once
    }

    /// The most pixels whose AVIF is made within some milliseconds.
    package static func avifPixels(within milliseconds: Int, effort: Int, isSearched: Bool = false) -> Int {
        let line = avif[min(max(effort, 0), avif.count - 1)]
        let once = isSearched ? milliseconds / mostSearches : milliseconds
        return max(0, once - line.base).multipliedSaturated(by: 1_000_000) / line.perMegapixel
    }
}

extension EncodingCost {
    /// Milliseconds of one processor to encode a plan's result, about: to tell the cheap from the dear.
    ///
    /// By the 1920 px column of the table; what stands between two of its efforts counts as the dearer.
    /// - Parameters:
    ///   - pixels: of the result, all frames.
    ///   - bucket: the one that `format=auto` answers.
    ///   - takesSmallest: whether several formats are tried.
    package static func milliseconds(
        of settings: PlanSettings,
        pixels: Int,
        bucket: FormatBucket,
        quality: QualityDefaults,
        takesSmallest: Bool
    ) -> Int {
        let encoding = settings.encoding
        let once: Int
        switch (settings.format, bucket) {
        case (.avif, _), (.auto, .avif):
            let standard = settings.format == .auto ? quality.avifEffort : 0
            once = avifMilliseconds(pixels: pixels, effort: encoding.effort ?? standard)
        default:
            once = pixels.multipliedSaturated(by: perMegapixel(settings, quality)) / 1_000_000
        }
        let isSearched = encoding.maximumBytes != nil || settings.seeksQuality || takesSmallest
        return isSearched ? once.multipliedSaturated(by: mostTries) : once
    }

    /// The encodes that any search may take, with the look at each.
    private static let mostTries = 8

    private static func perMegapixel(_ settings: PlanSettings, _ quality: QualityDefaults) -> Int {
        let effort = settings.encoding.effort
        switch settings.format {
        case .json, .blurhash, .lqip: return 1
        case .jpeg, .tiff: return 15
        case .gif: return 280
        case .png: return effort.map { $0 > 3 ? 900 : 90 } ?? 90
        case .jxl:
            let lossy = effort.map { $0 > 7 ? 4_000 : $0 > 5 ? 410 : 260 } ?? 200
            return settings.encoding.isLossless ? lossy * 3 : lossy
        // The source's own format may be any; WebP is dearer than JPEG and PNG.
        case .auto, .source, .webp, .avif:
            let isLossless = settings.encoding.isLossless || settings.encoding.nearLossless != nil
            guard !isLossless, !quality.webpOptions.lossless else { return 1_500 }
            let lossy = effort.map { $0 > 4 ? 200 : 84 } ?? 84
            return settings.encoding.usesSharpYUV ? lossy * 2 : lossy
        }
    }
}
