/// Reads what an image file says of itself, before any decoder sees it: magic bytes first, then the format's own header.
///
/// Trusts no length, reads within bounds, and does a bounded number of steps on any input. Undoes no coding: what is in gzip it
/// calls compressed SVG, the only image that comes so, and who has zlib looks inside.
///
/// Own code, since it runs in the daemon, which links no image library, and must be memory-safe on hostile bytes: libvips and
/// libmagic are C. It can go if a sandboxed worker reads headers as cheaply (a header takes libvips 44 µs, besides the hop to the
/// worker) for every request that needs one.
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
