/// Identifies image files and reads their headers, before any decoder sees them.
///
/// Trusts no length, stays within bounds, and takes a bounded number of steps on any input. Does not decompress: gzip is reported
/// as compressed SVG, the only image format that uses it, and callers with zlib look inside.
///
/// Own code, since it runs in the daemon, which links no image library, and must be memory-safe on hostile bytes: libvips and
/// libmagic are C. It can go if a sandboxed worker reads headers as cheaply (a header takes libvips 44 µs, besides the hop to the
/// worker) for every request that needs one.
package enum ImageSniffer {
    /// The number of bytes for a first call; enough for most files.
    package static let preferredPrefix = 64 << 10

    /// Sniffs a file by its first bytes.
    ///
    /// A call with the whole file never returns `needsMore`; each `needsMore` requests more bytes than were given.
    ///
    /// - Parameters:
    ///   - bytes: the beginning of the file, or all of it.
    ///   - totalLength: the length of the file in bytes.
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
                case .notAnImage: .unknown
                }
            }
        }
    }

    /// Requests at least twice as many bytes each time, so that a long walk restarts only a few times.
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
        // The renderer in the worker chooses the size of vector images.
        case .svg, .svgz: ImageHeader(format: format, width: 0, height: 0, hasAlpha: true)
        case .pdf, .other, .planes: ImageHeader(format: format, width: 0, height: 0, hasAlpha: nil)
        }
    }
}

extension ImageSniffer {
    /// The result of looking at the magic bytes.
    enum Detection: Hashable {
        case format(ImageFormat)
        /// There are too few bytes to tell, and the file continues.
        case undecided
        case none
    }

    /// The number of bytes that identify every binary format, except for HEIF's list of brands.
    private static let magicBytes = 32

    /// Detects the format by its magic bytes; markup is checked last.
    private static func detect(_ bytes: Span<UInt8>, of total: Int) -> Detection {
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
        // RFC 1952 §2.3.1: the magic bytes and deflate, the only method.
        if bytes.has(bytes: [0x1F, 0x8B, 0x08], at: 0) { return .svgz }
        return nil
    }
}

/// The result of sniffing.
package enum SniffResult: Hashable, Sendable {
    /// An image whose header was read.
    case image(ImageHeader)
    /// Probably an image: call again with at least this many bytes from the start, never more than the file's length.
    case needsMore(Int)
    /// Not a known image format: 415.
    case unknown
    /// Starts like an image, but violates the format or is truncated: 422.
    case malformed(ImageFormat, String)
}
