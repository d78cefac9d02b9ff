import ImagePlan
import LinuxSystem

/// Whether what came in the gzip coding is SVG: by a look at the beginning of what it holds, which is all that the daemon expands.
enum OriginMarkup {
    /// Bytes of markup within which its root must stand, as in markup that is not compressed.
    private static let firstLook = 64 << 10

    /// The header of compressed SVG; `nil` for anything else in gzip.
    static func header(of coded: Span<UInt8>, claimed: ImageHeader) -> ImageHeader? {
        let beginning = GzipExpansion(of: coded, atMost: firstLook)
        guard beginning.end != .damaged else { return nil }
        // What is cut off or goes on is as long as needs be: the root decides.
        let length = beginning.end == .complete ? beginning.bytes.count : Int.max
        guard case .image(let inside) = ImageSniffer.sniff(beginning.bytes.span, totalLength: length),
            inside.format == .svg
        else { return nil }
        return claimed
    }
}
