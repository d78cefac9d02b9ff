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
