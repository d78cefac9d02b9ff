/// Chooses the format of a result.
package enum FormatNegotiation {
    /// Chooses the format for a value of `format`.
    ///
    /// If the preferred encoder is missing or cannot keep alpha, the frames, the size or, with `lossless=1`, every pixel, the next
    /// candidate is used, at last WebP for clients that support it. `source` keeps the source's format if there is an encoder for it and
    /// browsers show it, and otherwise chooses as for clients without AVIF, JPEG XL and WebP.
    ///
    /// - Parameters:
    ///   - hasAlpha: whether the source has transparency; `nil`, for unknown, counts as yes, so that nothing is lost.
    ///   - frames: the number of frames of the source, 1 for a still.
    ///   - keepsGainMap: whether the result keeps the source's gain map (`Plan.keepsGainMap`).
    ///   - outputSize: the size of the result, if known.
    ///   - encoders: the available encoders.
    /// - Returns: a format requested by name is returned even if `encoders` lacks it.
    package static func choose(
        _ setting: FormatSetting,
        bucket: FormatBucket,
        sourceFormat: ImageFormat,
        hasAlpha: Bool?,
        frames: Int,
        plan: Plan,
        keepsGainMap: Bool = false,
        outputSize: PixelSize? = nil,
        encoders: EncoderTable
    ) -> ImageFormat {
        let demand = EncoderTable.Demand(
            hasAlpha: plan.hasAlpha(source: hasAlpha ?? true),
            isAnimated: frames > 1,
            isLossless: plan.settings.encoding.isLossless,
            size: outputSize
        )
        switch setting {
        case .jpeg: return .jpeg
        case .png: return .png
        case .webp: return .webp
        case .avif: return .avif
        case .gif: return .gif
        // Descriptions are computed from the pixels of one frame, with alpha.
        case .json, .blurhash, .thumbhash, .lqip: return .png
        case .jxl: return .jxl
        case .tiff: return .tiff
        case .source:
            if encoders[sourceFormat] != nil, FormatPolicy.shown.contains(sourceFormat) { return sourceFormat }
            return first(of: rest(sourceFormat, demand), for: demand, encoders)
        case .auto where keepsGainMap && encoders.canEncode(.jpeg, demand):
            return .jpeg
        case .auto:
            return first(
                of: preferred(bucket, demand, sourceFormat) + rest(sourceFormat, demand),
                for: demand,
                encoders
            )
        }
    }

    /// The formats that a bucket's clients support beyond those all clients do, best first.
    ///
    /// AVIF and JPEG XL are used for lossy stills only: WebP is smaller for most lossless images, not every client that accepts AVIF
    /// plays sequences, and animations are not encoded as JPEG XL.
    private static func preferred(
        _ bucket: FormatBucket,
        _ demand: EncoderTable.Demand,
        _ source: ImageFormat
    ) -> [ImageFormat] {
        guard bucket >= .webp else { return [] }
        guard !demand.isAnimated, !demand.isLossless else { return [.webp] }
        let isFirst = prefersJXL(source, hasAlpha: demand.hasAlpha)
        let formats: [ImageFormat] = isFirst ? [.jxl, .avif, .webp] : [.avif, .jxl, .webp]
        return formats.filter { $0 == .webp || ($0 == .avif ? bucket.hasAVIF : bucket.hasJXL) }
    }

    /// Whether JPEG XL is preferred to AVIF.
    ///
    /// For photographs it has about 0.95 of the bytes at equal scores, in half of the time. Drawings and images with transparency are up
    /// to half as large in AVIF; originals in PNG, GIF, BMP, ICO, SVG and PDF count as drawings (Benchmarks/README.md). The headers of
    /// JPEG XL and JPEG 2000 are not read for transparency, so that it does not count there.
    package static func prefersJXL(_ source: ImageFormat, hasAlpha: Bool) -> Bool {
        switch source {
        case .jxl, .jp2: true
        case .jpeg, .webp, .avif, .heic, .tiff: !hasAlpha
        case .png, .gif, .bmp, .ico, .svg, .svgz, .pdf, .other, .planes: false
        }
    }

    /// The formats that all clients support, best first.
    private static func rest(_ source: ImageFormat, _ demand: EncoderTable.Demand) -> [ImageFormat] {
        let fallbacks: [ImageFormat] = demand.hasAlpha || demand.isLossless ? [.png, .gif] : [.jpeg, .png]
        return switch source {
        case .png where demand.isAnimated: [.png, .gif] + fallbacks
        case .png, .gif: [source] + fallbacks
        // The animation wins over alpha: GIF keeps it and 1-bit transparency, PNG would keep one frame.
        default: demand.isAnimated ? [.gif] + fallbacks : fallbacks
        }
    }

    /// The first candidate that meets all requirements; else the first that loses only frames; else PNG, or another common format
    /// if the source does not write PNG, whose encoder then reports what it cannot preserve.
    private static func first(
        of candidates: [ImageFormat],
        for demand: EncoderTable.Demand,
        _ encoders: EncoderTable
    ) -> ImageFormat {
        var still = demand
        still.isAnimated = false
        return candidates.first { encoders.canEncode($0, demand) }
            ?? candidates.first { encoders.canEncode($0, still) }
            ?? [.png, .jpeg, .webp, .gif].first { encoders[$0] != nil }
            ?? .png
    }
}

extension FormatNegotiation {
    /// The candidates for the smallest result with `format=auto`, `chosen` first: formats that the bucket's clients support and
    /// that lose no more than `chosen` does.
    ///
    /// Animations have only one candidate: no other format comes near WebP, and GIF is the most expensive to try.
    ///
    /// - Parameters:
    ///   - chosen: the result of `choose`.
    ///   - demand: the requirements of the result.
    package static func contenders(
        chosen: ImageFormat,
        bucket: FormatBucket,
        demand: EncoderTable.Demand,
        encoders: EncoderTable
    ) -> [ImageFormat] {
        guard !demand.isAnimated else { return [chosen] }
        let shown: [ImageFormat] =
            (bucket >= .webp ? [.webp] : []) + (bucket.hasAVIF ? [.avif] : []) + (bucket.hasJXL ? [.jxl] : [])
            + [.jpeg, .png]
        return [chosen] + shown.filter { $0 != chosen && encoders.canEncode($0, demand) }
    }
}
