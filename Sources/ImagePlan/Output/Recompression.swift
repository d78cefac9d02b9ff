/// Encoding a stored result again with more effort while a worker is idle.
package enum Recompression {
    /// Returns the effort of the second encoding of a stored result.
    ///
    /// The highest that the time allows, of those beyond which files hardly become smaller. Losslessly, more effort saves hardly 1 %. Of
    /// JPEGs, only progressive ones become smaller, by the choice of their scans.
    /// - Parameters:
    ///   - text: the canonical text of the plan that made it.
    ///   - bucket: the bucket that `format=auto` was resolved in.
    ///   - milliseconds: the CPU time that the encoder may take, by estimate.
    /// - Returns: `nil` for text, animations, lossless results, other formats than AVIF, WebP and progressive JPEG, plans that state an
    ///   effort or a size in bytes, if the first encoding had as much effort, and if there is not enough time.
    package static func effort(
        of text: String,
        result: ResultFormat,
        pixels: Int,
        frames: Int,
        bucket: FormatBucket,
        quality: QualityDefaults,
        within milliseconds: Int
    ) -> Int? {
        guard let format = result.image, let setting = FormatSetting(rawValue: "\(format)"), frames <= 1,
            let plan = try? Plan(canonicalText: text), plan.settings.encoding.effort == nil,
            plan.settings.encoding.maximumBytes == nil
        else { return nil }
        var settings = plan.settings
        settings.format = setting
        return efforts(format, plan.settings, quality).first { effort in
            let time = EncodingCost.milliseconds(
                of: settings,
                pixels: pixels,
                bucket: bucket,
                quality: quality,
                search: EncodingSearch(secondEffort: effort)
            )
            return time <= milliseconds
        }
    }

    /// The efforts that make smaller files than the first encoding, best first.
    private static func efforts(_ format: ImageFormat, _ settings: PlanSettings, _ quality: QualityDefaults) -> [Int] {
        let encoding = settings.encoding
        guard !encoding.isLossless, encoding.nearLossless == nil else { return [] }
        switch format {
        case .avif:
            let first = settings.format == .auto ? quality.avifEffort : QualityDefaults.standardAVIFEffort
            return [4, 3].filter { $0 > first }
        case .webp:
            let isLossless = quality.webpOptions.lossless && settings.quality.number(for: .webp) == nil
            return isLossless || quality.webpOptions.method >= 6 ? [] : [6]
        case .jpeg:
            return encoding.isProgressive ? [9] : []
        default:
            return []
        }
    }
}
