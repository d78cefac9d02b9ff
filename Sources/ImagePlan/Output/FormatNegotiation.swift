/// The choice of the result's format.
package enum FormatNegotiation {
    /// Chooses by the contract's rules for `format`.
    ///
    /// What the encoder of a choice cannot keep (alpha, the frames, the size, every pixel with `lossless=1`), or that is not there,
    /// is answered by the next that can: AVIF's bucket by WebP. `source` keeps a format that is encoded here, and is the rest's
    /// answer for any other.
    ///
    /// - Parameters:
    ///   - hasAlpha: Whether the source has transparency; `nil`, not known, counts as yes, so that nothing is lost.
    ///   - frames: Frames of the source, 1 for a still.
    ///   - outputSize: The result's size, where it is known.
    ///   - encoders: What can be encoded.
    /// - Returns: for a format that is asked for by name that one, whether `encoders` has it or not.
    package static func choose(
        _ setting: FormatSetting,
        bucket: FormatBucket,
        sourceFormat: ImageFormat,
        hasAlpha: Bool?,
        frames: Int,
        plan: Plan,
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
        // Words are made from the pixels of one frame, with their alpha.
        case .json, .blurhash, .lqip: return .png
        case .jxl: return .jxl
        case .tiff: return .tiff
        case .source:
            if encoders[sourceFormat] != nil { return sourceFormat }
            return first(of: rest(sourceFormat, demand), for: demand, encoders)
        case .auto:
            return first(of: preferred(bucket, demand) + rest(sourceFormat, demand), for: demand, encoders)
        }
    }

    /// What a bucket's clients show beyond what every client does, the best first.
    ///
    /// AVIF is for stills that may lose: WebP takes less for both animations and pictures without loss.
    private static func preferred(_ bucket: FormatBucket, _ demand: EncoderTable.Demand) -> [ImageFormat] {
        switch bucket {
        case .rest: []
        case .webp: [.webp]
        case .avif: demand.isAnimated || demand.isLossless ? [.webp] : [.avif, .webp]
        }
    }

    /// What every client shows, the best first: for clients that name neither AVIF nor WebP.
    private static func rest(_ source: ImageFormat, _ demand: EncoderTable.Demand) -> [ImageFormat] {
        let fallbacks: [ImageFormat] = demand.hasAlpha || demand.isLossless ? [.png, .gif] : [.jpeg, .png]
        return switch source {
        // PNG is written with one frame: an animated one goes as other animations do.
        case .png where !demand.isAnimated, .gif: [source] + fallbacks
        // Before alpha: a GIF keeps both the animation and, at one bit, the transparency; a PNG would keep one frame.
        default: demand.isAnimated ? [.gif] + fallbacks : fallbacks
        }
    }

    /// The first that can take all of a result; else the first that gives up no more than its frames; else PNG, which is always
    /// there and whose encoder then says what it cannot.
    private static func first(
        of candidates: [ImageFormat],
        for demand: EncoderTable.Demand,
        _ encoders: EncoderTable
    ) -> ImageFormat {
        var still = demand
        still.isAnimated = false
        return candidates.first { encoders.canEncode($0, demand) }
            ?? candidates.first { encoders.canEncode($0, still) }
            ?? .png
    }
}

extension FormatNegotiation {
    /// What `format=auto` may answer where the smallest is wanted, `chosen` first: formats that the bucket's clients show and that
    /// give up no more of the picture than `chosen` does.
    ///
    /// An animation stays what it is: no other format of the buckets comes near WebP, and GIF costs most to try.
    ///
    /// - Parameters:
    ///   - chosen: what `choose` has chosen.
    ///   - demand: the result.
    package static func contenders(
        chosen: ImageFormat,
        bucket: FormatBucket,
        demand: EncoderTable.Demand,
        encoders: EncoderTable
    ) -> [ImageFormat] {
        guard !demand.isAnimated else { return [chosen] }
        let shown: [ImageFormat] =
            switch bucket {
            case .rest: [.jpeg, .png]
            case .webp: [.webp, .jpeg, .png]
            case .avif: [.webp, .avif, .jpeg, .png]
            }
        return [chosen] + shown.filter { $0 != chosen && encoders.canEncode($0, demand) }
    }
}
