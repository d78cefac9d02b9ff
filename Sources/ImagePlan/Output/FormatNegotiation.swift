/// The choice of the result's format.
package enum FormatNegotiation {
    /// The longest side of a WebP picture in pixels (RFC 9649 §2.5: 14 bits).
    package static let longestWebPSide = 16_383

    /// Chooses by the contract's rules for `format`.
    ///
    /// `auto` never chooses AVIF yet: its bucket answers WebP. A picture too long for WebP is answered as by the rest.
    /// `source` keeps a format that is encoded here (JPEG, PNG, GIF, WebP, AVIF), and is the rest's answer for any other.
    ///
    /// - Parameters:
    ///   - hasAlpha: Whether the source has transparency; `nil`, not known, counts as yes, so that nothing is lost.
    ///   - frames: Frames of the source, 1 for a still.
    ///   - outputSize: The result's size, where it is known.
    package static func choose(
        _ setting: FormatSetting,
        bucket: FormatBucket,
        sourceFormat: ImageFormat,
        hasAlpha: Bool?,
        frames: Int,
        plan: Plan,
        outputSize: PixelSize? = nil
    ) -> ImageFormat {
        let alpha = plan.hasAlpha(source: hasAlpha ?? true)
        switch setting {
        case .jpeg: return .jpeg
        case .png: return .png
        case .webp: return .webp
        case .avif: return .avif
        case .gif: return .gif
        // Words are made from the pixels of one frame, with their alpha.
        case .json, .blurhash, .lqip: return .png
        case .source:
            return isEncoded(sourceFormat) ? sourceFormat : rest(sourceFormat, alpha: alpha, frames: frames)
        case .auto:
            let fitsWebP = outputSize.map { max($0.width, $0.height) <= longestWebPSide } ?? true
            if bucket != .rest && fitsWebP { return .webp }
            return rest(sourceFormat, alpha: alpha, frames: frames)
        }
    }

    /// Whether results can have a format.
    package static func isEncoded(_ format: ImageFormat) -> Bool {
        switch format {
        case .jpeg, .png, .gif, .webp, .avif: true
        case .heic, .tiff, .jxl, .jp2, .bmp, .ico, .svg, .pdf: false
        }
    }

    /// The answer for clients that name neither AVIF nor WebP: what every client shows.
    private static func rest(_ source: ImageFormat, alpha: Bool, frames: Int) -> ImageFormat {
        switch source {
        case .png, .gif: source
        case .jpeg where !alpha: .jpeg
        // Before alpha: a GIF keeps both the animation and, at one bit, the transparency; a PNG would keep one frame.
        case _ where frames > 1: .gif
        default: alpha ? .png : .jpeg
        }
    }
}
