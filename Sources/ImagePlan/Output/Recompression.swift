/// Encoding a stored result again with more effort while a worker is idle.
package enum Recompression {
    /// The plan of a second encoding, and what it costs.
    package struct Order: Hashable, Sendable {
        /// The plan's canonical text: the request's, with an effort.
        package var plan: String
        /// The estimated CPU time of the encoder, in milliseconds.
        package var milliseconds: Int
    }

    /// Returns the order for a stored result.
    ///
    /// Losslessly, more effort saves hardly 1 %. Of JPEGs, only progressive ones become smaller, by the choice of their scans. More effort
    /// makes an AVIF of the same quality better, but no smaller.
    /// - Parameters:
    ///   - text: the canonical text of the plan that made it.
    ///   - bucket: the bucket that `format=auto` was resolved in.
    /// - Returns: `nil` for text, animations, lossless results, other formats than WebP and progressive JPEG, plans that state an effort or a
    ///   size in bytes, and if the first encoding had as much effort.
    package static func order(
        of text: String,
        result: ResultFormat,
        pixels: Int,
        frames: Int,
        bucket: FormatBucket,
        quality: QualityDefaults
    ) -> Order? {
        guard let format = result.image, let setting = FormatSetting(rawValue: "\(format)"), frames <= 1,
            let plan = try? Plan(canonicalText: text), plan.settings.encoding.effort == nil,
            plan.settings.encoding.maximumBytes == nil,
            let (first, second) = efforts(format, plan.settings, quality), second > first
        else { return nil }
        var settings = plan.settings
        settings.encoding.effort = second
        let order = Plan(steps: plan.steps, settings: settings)
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

    /// The effort of the first encoding, and that beyond which files hardly become smaller; `nil` if there is nothing to gain.
    private static func efforts(
        _ format: ImageFormat,
        _ settings: PlanSettings,
        _ quality: QualityDefaults
    ) -> (first: Int, second: Int)? {
        let encoding = settings.encoding
        guard !encoding.isLossless, encoding.nearLossless == nil else { return nil }
        switch format {
        case .webp:
            let isLossless = quality.webpOptions.lossless && settings.quality.number(for: .webp) == nil
            return isLossless ? nil : (quality.webpOptions.method, 6)
        case .jpeg:
            return encoding.isProgressive ? (4, 9) : nil
        default:
            return nil
        }
    }
}
