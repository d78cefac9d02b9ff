/// A smaller copy of an original with the same pixels, which replaces its bytes on disk (SDWebImage: `CacheSerializer`).
///
/// A copy is a still PNG with the original's pixels, alpha and ICC profile. Its orientation and size are those of the original's
/// header, so results are computed as if from the original (`Reduction` by a factor of 1).
package enum LosslessCopy {
    /// The format of copies.
    package static let format = ImageFormat.png
    /// The fewest bytes of an original worth copying.
    package static let minimumBytes = 1 << 20

    /// The plan text with which a worker makes the copy of an original with a header; no request can contain it.
    package static func planText(for header: ImageHeader) -> String { planPrefix + String(header.orientation) }

    /// Returns the EXIF orientation in a plan text; `nil` for other plans.
    package static func orientation(inPlan text: String) -> Int? {
        guard text.hasPrefix(planPrefix) else { return nil }
        return Int(text.dropFirst(planPrefix.count))
    }

    private static let planPrefix = "lossless/1?orientation="

    /// Whether a copy of an original may be smaller: of stills as BMP, TIFF and PNG, from `minimumBytes` on.
    package static func isWorthwhile(for header: ImageHeader, length: Int) -> Bool {
        guard length >= minimumBytes, header.frames == 1 else { return false }
        return [.bmp, .tiff, .png].contains(header.format)
    }

    /// Whether a copy can replace the original for a plan: one that reads no metadata and no other page.
    ///
    /// - Parameter plan: the plan's canonical text.
    package static func serves(_ plan: String) -> Bool {
        guard let settings = (try? Plan(canonicalText: plan))?.settings else { return false }
        return !settings.format.isMetadata && settings.metadata == .strip && settings.animation.page == 0
    }
}
