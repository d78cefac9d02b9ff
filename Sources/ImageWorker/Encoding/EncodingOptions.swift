import ImagePlan

/// How to encode one output: the request's settings, completed by the configuration's.
struct EncodingOptions {
    /// The quality, 1–100; ignored by lossless formats.
    var quality: Int
    /// Whether the saver drops all remaining metadata.
    var strips = true
    var isLossless = false
    /// The quality, 1–99, of a PNG's palette; `nil` to keep every pixel.
    var paletteQuality: Int?
    var settings = EncodingSettings()
    var webp = WebPOptions()
    let deadline: Deadline

    /// Creates the options for one format.
    init(_ plan: Plan, _ defaults: QualityDefaults, format: ImageFormat, deadline: Deadline) {
        quality = plan.settings.quality.number(for: format) ?? defaults.standard(of: format)
        paletteQuality = plan.settings.paletteQuality
        settings = plan.settings.encoding
        strips = plan.settings.metadata == .strip
        webp = defaults.webpOptions
        // avif.effort applies to format=auto, whose AVIF may be made in advance.
        if format == .avif, plan.settings.format == .auto, settings.effort == nil {
            settings.effort = defaults.avifEffort
        }
        isLossless = settings.isLossless
        // near_lossless implies lossless; a quality in the request overrides the operator's lossless option.
        if format == .webp {
            let isDefault = webp.lossless && plan.settings.quality.number(for: .webp) == nil
            isLossless = isLossless || settings.nearLossless != nil || isDefault
        }
        self.deadline = deadline
    }

    /// Creates options with a quality and defaults otherwise.
    init(quality: Int, deadline: Deadline) {
        self.quality = quality
        self.deadline = deadline
    }

    /// Returns the options with another quality.
    func with(quality: Int) -> EncodingOptions {
        var options = self
        options.quality = quality
        return options
    }

    /// Whether a lossy WebP's chroma is subsampled with its effect on luma in mind.
    var usesSharpYUV: Bool { webp.useSharpYUV || settings.usesSharpYUV }

    /// The request's effort, clamped to the format's scale; `standard` without one.
    func effort(in range: ClosedRange<Int>, standard: Int) -> CInt {
        CInt(min(max(settings.effort ?? standard, range.lowerBound), range.upperBound))
    }
}
