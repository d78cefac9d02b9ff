/// Encoding a stored result again with more effort while a worker is idle.
package enum Recompression {
    /// The plan of a second encoding, and what it costs.
    package struct Order: Hashable, Sendable {
        /// The plan's canonical text: the request's, with an effort.
        package var plan: String
        /// The estimated CPU time of the encoder, in milliseconds.
        package var milliseconds: Int
    }

    /// The effort beyond which files hardly become smaller, on the format's own scale; `nil` for formats that gain nothing.
    private static func effort(of format: ImageFormat, isLossless: Bool) -> Int? {
        switch format {
        case .webp: isLossless ? 9 : 6
        case .avif: isLossless ? nil : 4
        case .jpeg: 9
        default: nil
        }
    }

    /// Returns the order for a stored result.
    ///
    /// - Parameters:
    ///   - text: the canonical text of the plan that made it.
    ///   - bucket: the bucket that `format=auto` was resolved in.
    /// - Returns: `nil` for text, animations, other formats than AVIF, JPEG and WebP, and plans that state an effort or a size in bytes.
    package static func order(
        of text: String,
        result: ResultFormat,
        pixels: Int,
        frames: Int,
        bucket: FormatBucket,
        quality: QualityDefaults
    ) -> Order? {
        guard let format = result.image, frames <= 1, let plan = try? Plan(canonicalText: text),
            plan.settings.encoding.effort == nil, plan.settings.encoding.maximumBytes == nil
        else { return nil }
        let encoding = plan.settings.encoding
        let isLossless =
            encoding.isLossless || encoding.nearLossless != nil || (format == .webp && quality.webpOptions.lossless)
        guard let effort = effort(of: format, isLossless: isLossless),
            let setting = FormatSetting(rawValue: "\(format)")
        else { return nil }
        var settings = plan.settings
        settings.encoding.effort = effort
        let order = Plan(steps: plan.steps, settings: settings)
        // The same format again, also where another would be smallest.
        settings.format = setting
        let milliseconds = EncodingCost.milliseconds(
            of: settings,
            pixels: pixels,
            bucket: bucket,
            quality: quality,
            takesSmallest: false
        )
        return Order(plan: order.canonicalText, milliseconds: milliseconds)
    }
}
