/// Reads AVIF and HEIC headers: brands, the primary item's size, orientation and alpha, and the frame count of sequences
/// (ISO/IEC 23008-12, AV1 Image File Format 1.1).
///
/// The size is the stored size after `clap`; `irot` and `imir` are reported as an orientation.
enum HEIFHeader {
    /// The maximum number of brands to check in `ftyp`.
    private static let maximumBrands = 64
    /// The longest `meta` box to read, in bytes.
    private static let longestMetadata = 4 << 20

    /// Distinguishes AVIF, HEIC and other files with an `ftyp` box, such as video.
    static func detect(_ bytes: Span<UInt8>, of total: Int) -> ImageSniffer.Detection {
        guard let length = try? bytes.bigEndian(0, bytes: 4, of: total), length >= 16, length <= total else {
            return .none
        }
        let end = min(length, 16 + 4 * maximumBrands)
        if bytes.count < end { return .undecided }
        var isHEIC = false
        // The minor version at offset 12 is not a brand.
        for offset in [8] + Array(stride(from: 16, to: end - 3, by: 4)) {
            if bytes.has("avif", at: offset) || bytes.has("avis", at: offset) { return .format(.avif) }
            if isHEICBrand(bytes, at: offset) { isHEIC = true }
        }
        return isHEIC ? .format(.heic) : .none
    }

    private static func isHEICBrand(_ bytes: Span<UInt8>, at offset: Int) -> Bool {
        bytes.has("heic", at: offset) || bytes.has("heix", at: offset) || bytes.has("heim", at: offset)
            || bytes.has("heis", at: offset) || bytes.has("hevc", at: offset) || bytes.has("hevx", at: offset)
            || bytes.has("mif1", at: offset) || bytes.has("msf1", at: offset)
    }

    static func read(_ bytes: Span<UInt8>, of total: Int, as format: ImageFormat) throws(SniffStop) -> ImageHeader {
        let item = try primaryItem(bytes, of: total)
        guard let placement = item.placement, placement.stored.width > 0, placement.stored.height > 0 else {
            throw .malformed("the primary item has no size")
        }
        return ImageHeader(
            format: format,
            width: placement.visible.width,
            height: placement.visible.height,
            frames: try HEIFSequence.count(bytes, of: total),
            orientation: placement.orientation,
            hasAlpha: item.hasAlpha
        )
    }

    /// Reads the `meta` box of a file of which the beginning is available.
    static func primaryItem(_ bytes: Span<UInt8>, of total: Int) throws(SniffStop) -> HEIFPrimaryItem {
        var found: Range<Int>?
        try BoxWalk.children(bytes, of: total, in: 0..<total) { type, content in
            if type == BoxWalk.type("meta") { found = content }
            return found == nil
        }
        guard let found, found.count >= 4 else { throw .malformed("the file has no meta box") }
        guard found.count <= longestMetadata else { throw .malformed("the meta box is too long") }
        try bytes.require(found.upperBound, of: total)
        var item = HEIFPrimaryItem()
        try item.read(bytes, in: found.lowerBound + 4..<found.upperBound)
        return item
    }
}
