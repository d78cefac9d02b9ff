/// Reads what an image file says of itself, before any decoder sees it: magic bytes first, then the format's own header.
///
/// Trusts no length, reads within bounds, and does a bounded number of steps on any input. Undoes no coding: what is in gzip it
/// calls compressed SVG, the only image that comes so, and who has zlib looks inside.
package enum ImageSniffer {
    /// Bytes with which a first call has a good chance to be the last one.
    package static let preferredPrefix = 64 << 10

    /// Sniffs a file by its first bytes.
    ///
    /// A call with the whole file never answers `needsMore`; each answer of `needsMore` asks for more than was given.
    ///
    /// - Parameters:
    ///   - bytes: The file's beginning; the whole file where it is at hand.
    ///   - totalLength: The file's length.
    package static func sniff(_ bytes: Span<UInt8>, totalLength: Int) -> SniffResult {
        let total = max(totalLength, bytes.count)
        switch detect(bytes, of: total) {
        case .none:
            return .unknown
        case .undecided:
            return more(than: bytes.count, of: total, atLeast: 0)
        case .format(let format):
            do {
                return .image(try readHeader(format, bytes, of: total))
            } catch {
                return switch error {
                case .needsMore(let end): more(than: bytes.count, of: total, atLeast: end)
                case .malformed(let reason): .malformed(format, reason)
                }
            }
        }
    }

    /// Asks for at least twice the bytes each time, so that a long walk is begun anew only a few times.
    private static func more(than count: Int, of total: Int, atLeast end: Int) -> SniffResult {
        .needsMore(min(total, max(end, 2 * count, 512)))
    }

    private static func readHeader(
        _ format: ImageFormat,
        _ bytes: Span<UInt8>,
        of total: Int
    ) throws(SniffStop) -> ImageHeader {
        switch format {
        case .jpeg: try JPEGHeader.read(bytes, of: total)
        case .png: try PNGHeader.read(bytes, of: total)
        case .gif: try GIFHeader.read(bytes, of: total)
        case .webp: try WebPHeader.read(bytes, of: total)
        case .avif, .heic: try HEIFHeader.read(bytes, of: total, as: format)
        case .tiff: try TIFFHeader.read(bytes, of: total)
        case .jxl: try JXLHeader.read(bytes, of: total)
        case .jp2: try JP2Header.read(bytes, of: total)
        case .bmp: try BMPHeader.read(bytes, of: total)
        case .ico: try ICOHeader.read(bytes, of: total)
        // Sizes in markup and in page descriptions are the worker's business: a renderer chooses them.
        case .svg, .svgz: ImageHeader(format: format, width: 0, height: 0, hasAlpha: true)
        case .pdf: ImageHeader(format: .pdf, width: 0, height: 0, hasAlpha: nil)
        }
    }
}

extension ImageSniffer {
    /// What the magic bytes say.
    enum Detection: Hashable {
        case format(ImageFormat)
        /// The bytes at hand end too early to tell, and the file goes on.
        case undecided
        case none
    }

    /// Bytes within which every binary format shows itself, HEIF's list of brands apart.
    private static let magicBytes = 32

    /// Tells the format by magic bytes; markup is looked at only when no magic is there.
    static func detect(_ bytes: Span<UInt8>, of total: Int) -> Detection {
        if bytes.count < min(total, magicBytes) { return .undecided }
        if let format = binaryFormat(bytes) { return .format(format) }
        if bytes.has("ftyp", at: 4) { return HEIFHeader.detect(bytes, of: total) }
        return SVGMarkup.detect(bytes, of: total)
    }

    private static func binaryFormat(_ bytes: Span<UInt8>) -> ImageFormat? {
        if bytes.has(bytes: [0xFF, 0xD8, 0xFF], at: 0) { return .jpeg }
        if bytes.has(bytes: PNGHeader.signature, at: 0) { return .png }
        if bytes.has("GIF87a", at: 0) || bytes.has("GIF89a", at: 0) { return .gif }
        if bytes.has("RIFF", at: 0) && bytes.has("WEBP", at: 8) { return .webp }
        if TIFFHeader.matches(bytes) { return .tiff }
        if JXLHeader.matches(bytes) { return .jxl }
        if JP2Header.matches(bytes) { return .jp2 }
        if ICOHeader.matches(bytes) { return .ico }
        if BMPHeader.matches(bytes) { return .bmp }
        if bytes.has("%PDF-", at: 0) { return .pdf }
        // RFC 1952 §2.3.1: the magic bytes, and deflate, the one method there is.
        if bytes.has(bytes: [0x1F, 0x8B, 0x08], at: 0) { return .svgz }
        return nil
    }
}

/// What the first bytes of a file are.
package enum SniffResult: Hashable, Sendable {
    /// An image whose header was read.
    case image(ImageHeader)
    /// Probably an image; call again with at least so many bytes from the file's start, never more than its length.
    case needsMore(Int)
    /// No image that the project knows by its bytes: 415.
    case unknown
    /// The bytes begin as an image and then break the format's rules, or end too early: 422.
    case malformed(ImageFormat, String)
}
