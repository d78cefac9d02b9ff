/// Reads JPEG headers: the size from the first frame header, the orientation from the first EXIF segment (ITU-T T.81 Annex B).
enum JPEGHeader {
    /// The maximum number of marker segments before the first scan.
    private static let maximumSegments = 4096
    /// The maximum number of bytes to skip between two segments; libjpeg skips them, too.
    private static let maximumGarbage = 64 << 10

    static func read(_ bytes: Span<UInt8>, of total: Int) throws(SniffStop) -> ImageHeader {
        var header: ImageHeader?
        var orientation: Int?
        var offset = 2
        for _ in 0..<maximumSegments {
            let marker = try nextMarker(bytes, of: total, from: &offset)
            // T.81 table B.1: TEM and RSTn have no length.
            if marker == 0x01 || (0xD0...0xD7).contains(marker) { continue }
            if marker == 0xD9 { throw .malformed("the image ends before its first scan") }
            if marker == 0xDA {
                guard var header else { throw .malformed("a scan precedes the frame header") }
                header.orientation = orientation ?? 1
                return header
            }
            let length = try bytes.bigEndian(offset, bytes: 2, of: total)
            guard length >= 2 else { throw .malformed("a marker segment is shorter than its length field") }
            if isFrameHeader(marker), header == nil {
                header = try frameHeader(bytes, of: total, at: offset, length: length)
            } else if marker == 0xE1, orientation == nil {
                orientation = try exifOrientation(bytes, of: total, at: offset, length: length)
            }
            offset += length
        }
        throw .malformed("more than \(maximumSegments) segments precede the first scan")
    }

    /// SOF0 to SOF15 without DHT, JPG and DAC.
    private static func isFrameHeader(_ marker: Int) -> Bool {
        (0xC0...0xCF).contains(marker) && marker != 0xC4 && marker != 0xC8 && marker != 0xCC
    }

    /// Skips past the next marker code, which any number of fill bytes may precede (T.81 §B.1.1.2).
    private static func nextMarker(
        _ bytes: Span<UInt8>,
        of total: Int,
        from offset: inout Int
    ) throws(SniffStop) -> Int {
        let limit = offset + maximumGarbage
        while offset < limit {
            let byte = try bytes.byte(offset, of: total)
            offset += 1
            guard byte == 0xFF else { continue }
            let code = try bytes.byte(offset, of: total)
            if code == 0xFF { continue }
            offset += 1
            if code != 0 { return code }
        }
        throw .malformed("a marker is missing")
    }

    private static func frameHeader(
        _ bytes: Span<UInt8>,
        of total: Int,
        at offset: Int,
        length: Int
    ) throws(SniffStop) -> ImageHeader {
        guard length >= 8 else { throw .malformed("the frame header is too short") }
        let height = try bytes.bigEndian(offset + 3, bytes: 2, of: total)
        let width = try bytes.bigEndian(offset + 5, bytes: 2, of: total)
        // A height of 0 means that a DNL segment after the scan states it; no common decoder supports that.
        guard width > 0, height > 0 else { throw .malformed("the frame header has no size") }
        return ImageHeader(format: .jpeg, width: width, height: height, hasAlpha: false)
    }

    private static func exifOrientation(
        _ bytes: Span<UInt8>,
        of total: Int,
        at offset: Int,
        length: Int
    ) throws(SniffStop) -> Int? {
        let start = offset + 2
        guard length >= 8 else { return nil }
        try bytes.require(start + 6, of: total)
        guard bytes.has("Exif", at: start) else { return nil }
        try bytes.require(offset + length, of: total)
        return ExifOrientation.read(bytes, in: start + 6..<offset + length)
    }
}
