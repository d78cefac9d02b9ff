/// Estimates the CPU time of encoding, from the table in `Benchmarks/README.md`.
package enum EncodingCost {
    /// A linear model: fixed milliseconds, plus milliseconds per megapixel.
    private struct Line {
        var base: Int
        var perMegapixel: Int
    }

    /// AVIF with aom, by effort: lines through the table's values at 512 px and 1920 px.
    ///
    /// Those of efforts 1 to 4 have ten bits per sample; efforts from 5 on are guesses.
    private static let avif = [
        Line(base: 7, perMegapixel: 45), Line(base: 29, perMegapixel: 170), Line(base: 30, perMegapixel: 290),
        Line(base: 40, perMegapixel: 480), Line(base: 250, perMegapixel: 1_950), Line(base: 400, perMegapixel: 2_900),
        Line(base: 600, perMegapixel: 5_000), Line(base: 1_200, perMegapixel: 12_500),
        Line(base: 2_500, perMegapixel: 25_000), Line(base: 6_000, perMegapixel: 75_000),
    ]

    /// The number of encodes to expect of a plan: the most for `max_bytes`, and one and its scores, or two, for `q=auto`.
    package static func usualEncodes(_ settings: PlanSettings) -> Int {
        settings.encoding.maximumBytes != nil ? 7 : settings.seeksQuality ? 2 : 1
    }

    /// The CPU time, in milliseconds, of encoding an image as AVIF.
    ///
    /// - Parameters:
    ///   - pixels: the pixels of the result; 0 if unknown.
    ///   - effort: 0–9, clamped.
    ///   - encodes: the number of encodes.
    package static func avifMilliseconds(pixels: Int, effort: Int, encodes: Int = 1) -> Int {
        let line = avif[min(max(effort, 0), avif.count - 1)]
        let once = line.base.addingSaturated(pixels.multipliedSaturated(by: line.perMegapixel) / 1_000_000)
        return once.multipliedSaturated(by: encodes)
    }

    /// The maximum number of pixels that can be encoded as AVIF within a CPU time in milliseconds.
    package static func avifPixels(within milliseconds: Int, effort: Int, encodes: Int = 1) -> Int {
        let line = avif[min(max(effort, 0), avif.count - 1)]
        return max(0, milliseconds / max(1, encodes) - line.base).multipliedSaturated(by: 1_000_000) / line.perMegapixel
    }
}

extension EncodingCost {
    /// The approximate CPU time, in milliseconds, of encoding a plan's result: enough to tell cheap from expensive.
    ///
    /// From the table's 1920 px column; efforts between two of its rows count as the more expensive one.
    /// - Parameters:
    ///   - pixels: the pixels of the result, over all frames.
    ///   - bucket: the `Accept` bucket for `format=auto`.
    ///   - search: the search for the encoding, beyond the plan.
    package static func milliseconds(
        of settings: PlanSettings,
        pixels: Int,
        bucket: FormatBucket,
        quality: QualityDefaults,
        search: EncodingSearch = EncodingSearch()
    ) -> Int {
        let first = once(settings, pixels, bucket, quality)
        let isSearched = settings.encoding.maximumBytes != nil || settings.seeksQuality || search.takesSmallest
        let all = isSearched ? first.multipliedSaturated(by: maximumTries) : first
        guard let effort = search.secondEffort else { return all }
        var again = settings
        again.encoding.effort = effort
        again.encoding.usesSharpYUV = true
        return all.addingSaturated(
            once(again, pixels, bucket, quality)
                .multipliedSaturated(by: settings.format == .jpeg ? 1 : secondTries)
        )
    }

    /// The number of encodes to allow for any search, comparisons included.
    private static let maximumTries = 8
    /// The number of encodes to allow for a second effort, comparisons included; a JPEG takes one.
    private static let secondTries = 4

    /// The time of one encode.
    private static func once(
        _ settings: PlanSettings,
        _ pixels: Int,
        _ bucket: FormatBucket,
        _ quality: QualityDefaults
    ) -> Int {
        let other = pixels.multipliedSaturated(by: perMegapixel(settings, bucket, quality)) / 1_000_000
        switch settings.format {
        case .avif,
            .auto where bucket.hasAVIF:
            let standard = settings.format == .auto ? quality.avifEffort : QualityDefaults.standardAVIFEffort
            let avif = avifMilliseconds(pixels: pixels, effort: settings.encoding.effort ?? standard)
            // Photographs become JPEG XL, drawings AVIF.
            return bucket.hasJXL && settings.format == .auto ? max(avif, other) : avif
        default:
            return other
        }
    }

    private static func perMegapixel(
        _ settings: PlanSettings,
        _ bucket: FormatBucket,
        _ quality: QualityDefaults
    ) -> Int {
        let effort = settings.encoding.effort
        switch settings.format {
        case .json, .blurhash, .thumbhash, .lqip: return 1
        case .jpeg: return effort.map { $0 > 6 ? 150 : 15 } ?? 15
        case .tiff: return 15
        case .gif: return 280
        case .png where settings.paletteQuality != nil: return effort.map { $0 > 3 ? 2_700 : 700 } ?? 700
        case .png: return effort.map { $0 > 3 ? 900 : 90 } ?? 90
        case .jxl,
            .auto where bucket.hasJXL && !settings.encoding.isLossless:
            let lossy = effort.map { $0 > 7 ? 4_000 : $0 > 5 ? 410 : $0 > 4 ? 260 : 200 } ?? 260
            return settings.encoding.isLossless ? lossy * 3 : lossy
        // The source's format is unknown here; assume WebP, which costs more than JPEG and PNG.
        case .auto, .source, .webp, .avif:
            let isLossless = settings.encoding.isLossless || settings.encoding.nearLossless != nil
            guard !isLossless, !quality.webpOptions.lossless else { return 1_500 }
            let lossy = effort.map { $0 > 4 ? 200 : 84 } ?? 84
            return settings.encoding.usesSharpYUV ? lossy * 2 : lossy
        }
    }
}
