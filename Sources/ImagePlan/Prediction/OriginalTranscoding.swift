/// A JPEG original as JPEG XL without another loss: its coefficients, from which the JPEG is restored byte for byte.
///
/// Clients that accept JPEG XL get it in place of the bare original (`jxl-originals`).
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
