import HTTPCache
import ImagePlan
import LinuxSystem

/// What the first bytes of an original say of it.
enum OriginalHeader {
    /// Bytes that are read at first, and at most.
    ///
    /// Photographs carry previews, depth maps and other extended metadata of many megabytes before their size.
    private static let firstLook = 64 << 10
    private static let lastLook = 16 << 20
    private static let unknown = PipelineError.notAnImage("the bytes are no image format that is known here")

    /// Reads as much of an original as its header needs; blocks.
    ///
    /// - Throws: `.notAnImage` or `.broken` when its first bytes are not an image's.
    static func read(_ body: OriginBody) throws(PipelineError) -> ImageHeader {
        var look = min(body.length, firstLook)
        while true {
            guard let bytes = body.file.read(count: look) else {
                throw .originProtocol("the original was lost while it was read")
            }
            switch ImageSniffer.sniff(bytes.span, totalLength: body.length) {
            case .image(let header) where header.format == .svgz:
                guard let inside = OriginMarkup.header(of: bytes.span, claimed: header) else { throw unknown }
                return inside
            case .image(let header): return header
            case .unknown: throw unknown
            case .malformed(_, let reason): throw .broken(reason)
            case .needsMore(let wanted):
                guard look < min(body.length, lastLook) else { throw .broken("the image's header does not end") }
                look = min(body.length, lastLook, max(wanted, look * 4))
            }
        }
    }
}
