/// Removes metadata from an image file without decoding it: pixels, colours and orientation do not change by a bit.
///
/// Works from a list of what to keep, so unknown parts of a format are dropped, too. An orientation other than upright is kept in
/// an EXIF block with no other tag. Everything after the end of the image (previews, second images, gain maps) is dropped, and of
/// an SVG also scripts and external references (`SVGCleaner`). Runs in a worker,
/// and in the daemon for small originals other than SVG that are served under overload.
package enum MetadataCleaner {
    /// The plan text with which a worker cleans an original; no request can contain it.
    package static let planText = "clean/1"

    /// The reason a file cannot be cleaned; none of its bytes may be served then.
    package enum Stop: Error, Hashable, Sendable {
        /// The format's metadata cannot be removed without encoding again.
        case unsupported(ImageFormat)
        /// The file violates its format, or is truncated.
        case broken(String)
    }

    /// Whether files of a format can be cleaned.
    package static func supports(_ format: ImageFormat) -> Bool {
        switch format {
        case .jpeg, .png, .webp, .gif, .svg, .svgz: true
        case .avif, .heic, .tiff, .jxl, .jp2, .bmp, .ico, .pdf, .other, .planes: false
        }
    }

    /// Returns the image without its metadata.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - header: the sniffed header.
    /// - Throws: `Stop`.
    package static func clean(_ bytes: Span<UInt8>, as header: ImageHeader) throws(Stop) -> [UInt8] {
        switch header.format {
        case .jpeg: try JPEGCleaner.clean(bytes, orientation: header.orientation)
        case .png: try PNGCleaner.clean(bytes, orientation: header.orientation)
        case .webp: try WebPCleaner.clean(bytes, orientation: header.orientation)
        case .gif: try GIFCleaner.clean(bytes)
        case .svg: try SVGCleaner.clean(bytes)
        default: throw .unsupported(header.format)
        }
    }

    /// An EXIF block, in TIFF format, with the orientation as its only tag (Exif 3.0 §4.6.2).
    static func orientationBlock(_ orientation: Int) -> [UInt8] {
        [
            0x4D, 0x4D, 0, 42, 0, 0, 0, 8,  // big-endian, the directory at 8
            0, 1,  // one entry:
            0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(truncatingIfNeeded: orientation), 0, 0,  // Orientation, one SHORT
            0, 0, 0, 0,  // no further directory
        ]
    }
}

extension Span where Element == UInt8 {
    /// The byte at an offset; the span is the whole file.
    func byte(_ offset: Int) throws(MetadataCleaner.Stop) -> UInt8 {
        guard offset >= 0, offset < count else { throw .broken("the file is truncated") }
        return self[offset]
    }

    /// The range of `length` bytes at an offset; the span is the whole file.
    func range(_ offset: Int, count length: Int) throws(MetadataCleaner.Stop) -> Range<Int> {
        guard offset >= 0, length >= 0, offset <= count, count - offset >= length else {
            throw .broken("the file is truncated")
        }
        return offset..<offset + length
    }

    /// Up to four bytes, most significant first.
    func bigEndian(_ offset: Int, bytes: Int) throws(MetadataCleaner.Stop) -> Int {
        var value = 0
        for index in try range(offset, count: bytes) { value = value << 8 | Int(self[index]) }
        return value
    }

    /// Up to four bytes, least significant first.
    func littleEndian(_ offset: Int, bytes: Int) throws(MetadataCleaner.Stop) -> Int {
        var value = 0
        for index in try range(offset, count: bytes).reversed() { value = value << 8 | Int(self[index]) }
        return value
    }
}

extension [UInt8] {
    /// Appends a range of a file, which must be within it.
    mutating func append(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        for index in range { append(bytes[index]) }
    }

    /// Appends a number as four bytes, most significant first.
    mutating func append(bigEndian value: Int) {
        for shift in [24, 16, 8, 0] { append(UInt8(truncatingIfNeeded: value >> shift)) }
    }

    /// Appends a number as four bytes, least significant first.
    mutating func append(littleEndian value: Int) {
        for shift in [0, 8, 16, 24] { append(UInt8(truncatingIfNeeded: value >> shift)) }
    }

    /// Overwrites four bytes at a valid offset with a number, least significant first.
    mutating func put(littleEndian value: Int, at offset: Int) {
        for (index, shift) in [0, 8, 16, 24].enumerated() {
            self[offset + index] = UInt8(truncatingIfNeeded: value >> shift)
        }
    }
}
