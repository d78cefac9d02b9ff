import ImagePlan

/// How to encode one output: the request's settings, with the configuration's where it says nothing.
struct EncodingOptions {
    /// 1–100; formats without loss have none.
    var quality: Int
    /// Whether metadata that is still there is dropped by the saver.
    var strips = true
    var isLossless = false
    var settings = EncodingSettings()
    var webp = WebPOptions()
    let deadline: Deadline

    /// Options for one format.
    init(_ plan: Plan, _ defaults: QualityDefaults, format: ImageFormat, deadline: Deadline) {
        quality =
            plan.settings.quality
            ?? {
                switch format {
                case .webp: defaults.webp
                case .avif: defaults.avif
                default: defaults.jpeg
                }
            }()
        settings = plan.settings.encoding
        strips = plan.settings.metadata == .strip
        webp = defaults.webpOptions
        // Who asks for AVIF by name waits for it; what auto makes in advance may take longer.
        if format == .avif, plan.settings.format == .auto, settings.effort == nil {
            settings.effort = defaults.avifEffort
        }
        isLossless = settings.isLossless
        // near_lossless is a kind of lossless; an operator's lossless gives way to a request that names a quality.
        if format == .webp {
            let isDefault = webp.lossless && plan.settings.quality == nil
            isLossless = isLossless || settings.nearLossless != nil || isDefault
        }
        self.deadline = deadline
    }

    /// Options of a quality alone.
    init(quality: Int, deadline: Deadline) {
        self.quality = quality
        self.deadline = deadline
    }

    /// The same with another quality.
    func with(quality: Int) -> EncodingOptions {
        var options = self
        options.quality = quality
        return options
    }

    /// The request's effort on a format's own scale; `standard` where it names none.
    func effort(in range: ClosedRange<Int>, standard: Int) -> CInt {
        CInt(min(max(settings.effort ?? standard, range.lowerBound), range.upperBound))
    }
}
