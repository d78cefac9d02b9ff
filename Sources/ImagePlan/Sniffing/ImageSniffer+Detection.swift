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
