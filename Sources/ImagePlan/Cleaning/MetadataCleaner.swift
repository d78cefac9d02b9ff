/// Takes the metadata out of an image file without decoding it: pixels, colours and orientation stay bit for bit what they are.
///
/// What is kept is listed, what is dropped is not: whatever a format may carry that nobody here knows is dropped as well. An
/// orientation other than upright stays, in an EXIF block that says nothing else. Everything behind the picture's end (previews,
/// second pictures, gain maps) goes. Runs in a worker.
package enum MetadataCleaner {
    /// What stands for a plan where a bare original is to be cleaned: no request can spell it.
    package static let planText = "clean/1"

    /// Why a file does not come out clean; none of its bytes may be given then.
    package enum Stop: Error, Hashable, Sendable {
        /// The format's metadata cannot be taken out without encoding anew.
        case unsupported(ImageFormat)
        /// The file does not keep the format's rules, or ends early.
        case broken(String)
    }

    /// Whether files of a format can be cleaned.
    package static func supports(_ format: ImageFormat) -> Bool {
        switch format {
        case .jpeg, .png, .webp, .gif: true
        case .avif, .heic, .tiff, .jxl, .jp2, .bmp, .ico, .svg, .svgz, .pdf: false
        }
    }

    /// The same picture without metadata.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - header: what it says of itself, as sniffed.
    /// - Throws: why there is none.
    package static func clean(_ bytes: Span<UInt8>, as header: ImageHeader) throws(Stop) -> [UInt8] {
        switch header.format {
        case .jpeg: try JPEGCleaner.clean(bytes, orientation: header.orientation)
        case .png: try PNGCleaner.clean(bytes, orientation: header.orientation)
        case .webp: try WebPCleaner.clean(bytes, orientation: header.orientation)
        case .gif: try GIFCleaner.clean(bytes)
        default: throw .unsupported(header.format)
        }
    }

    /// An EXIF block, as a TIFF file in small, that says how the picture is to be turned and nothing else (Exif 3.0 §4.6.2).
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
    /// The byte at an offset of a whole file.
    func byte(_ offset: Int) throws(MetadataCleaner.Stop) -> UInt8 {
        guard offset >= 0, offset < count else { throw .broken("the file ends early") }
        return self[offset]
    }

    /// A range of a whole file, from an offset on.
    func range(_ offset: Int, count length: Int) throws(MetadataCleaner.Stop) -> Range<Int> {
        guard offset >= 0, length >= 0, offset <= count, count - offset >= length else {
            throw .broken("the file ends early")
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
    /// Appends a range of a file, which lies within it.
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

    /// Puts a number at an offset that exists, as four bytes, least significant first.
    mutating func put(littleEndian value: Int, at offset: Int) {
        for (index, shift) in [0, 8, 16, 24].enumerated() {
            self[offset + index] = UInt8(truncatingIfNeeded: value >> shift)
        }
    }
}
