/// A JPEG original as JPEG XL without another loss: its coefficients, from which the JPEG is restored byte for byte.
///
/// Clients that accept JPEG XL get it in place of the bare original (`jxl-originals`), and it can be stored in place of the JPEG
/// (`serialize: jxl`).
package enum OriginalTranscoding {
    /// The plan text with which a worker transcodes an original; no request can contain it.
    ///
    /// - Parameter isClean: whether the metadata is removed first, as `MetadataCleaner` does.
    package static func planText(isClean: Bool) -> String { isClean ? cleanText : text }

    /// Whether the metadata is removed first according to a plan text; `nil` for other plans.
    package static func isClean(inPlan plan: String) -> Bool? {
        switch plan {
        case text: false
        case cleanText: true
        default: nil
        }
    }

    /// The plan text with which a worker restores a JPEG from its JPEG XL; no request can contain it.
    ///
    /// - Parameter length: the length of the JPEG in bytes.
    package static func restoringPlanText(length: Int) -> String { restoringPrefix + String(length) }

    /// The length of the JPEG to restore according to a plan text, in bytes; `nil` for other plans.
    package static func lengthToRestore(inPlan plan: String) -> Int? {
        guard plan.hasPrefix(restoringPrefix) else { return nil }
        return Int(plan.dropFirst(restoringPrefix.count))
    }

    private static let restoringPrefix = "jpeg/1?length="

    /// The fewest bytes of an original worth storing as JPEG XL, which saves a sixth of them.
    package static let minimumBytes = 32 << 10

    /// Whether a plan text is one of transcoding or restoring.
    package static func isStated(inPlan plan: String) -> Bool {
        isClean(inPlan: plan) != nil || lengthToRestore(inPlan: plan) != nil
    }

    /// The memory that a worker touches, in bytes per pixel; it needs more than twice as much address space.
    package static let bytesPerPixel = 24

    private static let text = "jxl/1"
    private static let cleanText = "jxl/1?clean"

    /// Whether a JPEG XL can stand for an original: for a JPEG that has nothing which a JPEG XL would not show.
    ///
    /// C2PA manifests and gain maps are restored with the JPEG, but no viewer of the JPEG XL finds them; cleaning removes both.
    package static func isPossible(for header: ImageHeader, isClean: Bool) -> Bool {
        header.format == .jpeg && (isClean || (!header.hasCredentials && header.hasGainMap == false))
    }
}
