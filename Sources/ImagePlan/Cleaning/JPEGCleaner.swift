/// Cleans JPEG files: keeps tables, frames, scans, JFIF, the ICC profile and Adobe's colour marker (ITU-T T.81 Annex B).
enum JPEGCleaner {
    static func clean(_ bytes: Span<UInt8>, orientation: Int) throws(MetadataCleaner.Stop) -> [UInt8] {
        guard bytes.has(bytes: [0xFF, 0xD8], at: 0) else { throw .broken("the file does not start like a JPEG") }
        var output: [UInt8] = [0xFF, 0xD8]
        output.reserveCapacity(bytes.count)
        var isTurned = orientation == 1
        var hasScan = false
        var position = 2
        while true {
            let marker = try nextMarker(bytes, &position)
            // T.81 table B.1: TEM and RSTn have no length.
            if marker == 0x01 || (0xD0...0xD7).contains(marker) { continue }
            guard marker != 0xD8 else { throw .broken("a second image starts inside the first") }
            if marker == 0xD9 { break }
            let length = try bytes.bigEndian(position, bytes: 2)
            guard length >= 2 else { throw .broken("a marker segment is shorter than its length field") }
            let segment = try bytes.range(position, count: length)
            // EXIF belongs after JFIF and before all other segments (Exif 3.0 §4.5.4).
            if marker != 0xE0, !isTurned {
                output += exifSegment(orientation)
                isTurned = true
            }
            if let kept = try keptSegment(marker, bytes, segment) { output += [0xFF, marker] + kept }
            position = segment.upperBound
            guard marker == 0xDA else { continue }
            hasScan = true
            let data = try scanData(bytes, from: position)
            output.append(bytes, data)
            position = data.upperBound
        }
        guard hasScan else { throw .broken("the image has no scan") }
        return output + [0xFF, 0xD9]
    }

    /// The next marker; bytes between two segments are not part of the image.
    private static func nextMarker(
        _ bytes: Span<UInt8>,
        _ position: inout Int
    ) throws(MetadataCleaner.Stop) -> UInt8 {
        while true {
            while try bytes.byte(position) != 0xFF { position += 1 }
            while try bytes.byte(position) == 0xFF { position += 1 }
            let marker = try bytes.byte(position)
            position += 1
            if marker != 0 { return marker }
        }
    }

    /// The bytes of a segment to keep, from its length field on; `nil` for metadata.
    private static func keptSegment(
        _ marker: UInt8,
        _ bytes: Span<UInt8>,
        _ segment: Range<Int>
    ) throws(MetadataCleaner.Stop) -> [UInt8]? {
        var copy: [UInt8] = []
        let start = segment.lowerBound + 2
        switch marker {
        case _ where try JPEGSegment.isNeeded(marker, start..<segment.upperBound, bytes):
            copy.append(bytes, segment)
        case 0xE0:
            // JFIF without its thumbnail; JFIF extensions hold thumbnails, too.
            guard segment.count >= 16, bytes.has(bytes: Array("JFIF\0".utf8), at: start) else { return nil }
            copy = [0, 16]
            copy.append(bytes, start..<start + 12)
            copy += [0, 0]
        case 0xE2:
            guard segment.count > 16, bytes.has(bytes: Array("ICC_PROFILE\0".utf8), at: start) else { return nil }
            copy.append(bytes, segment)
        case 0xEE:
            // Only the fields that define the colour transform.
            guard segment.count >= 14, bytes.has("Adobe", at: start) else { return nil }
            copy = [0, 14]
            copy.append(bytes, start..<start + 12)
        default: return nil
        }
        return copy
    }

    /// Entropy-coded data, which ends before the first marker that is neither byte stuffing nor a restart.
    private static func scanData(_ bytes: Span<UInt8>, from start: Int) throws(MetadataCleaner.Stop) -> Range<Int> {
        var position = start
        while true {
            while try bytes.byte(position) != 0xFF { position += 1 }
            let first = position
            // Any number of fill bytes may precede a marker code; decoders also skip them before a stuffed 0.
            while try bytes.byte(position) == 0xFF { position += 1 }
            let next = bytes[position]
            guard next == 0 || (0xD0...0xD7).contains(next) else { return start..<first }
            position += 1
        }
    }

    private static func exifSegment(_ orientation: Int) -> [UInt8] {
        let block = Array("Exif\0\0".utf8) + MetadataCleaner.orientationBlock(orientation)
        return [0xFF, 0xE1, 0, UInt8(truncatingIfNeeded: block.count + 2)] + block
    }
}

/// The marker segments a decoder needs, with a check of their lengths (ITU-T T.81 §B.2).
///
/// A segment longer than its content could carry arbitrary data after its tables.
enum JPEGSegment {
    /// SOF0 to SOF15 without DHT, JPG and DAC.
    private static func isFrameHeader(_ marker: UInt8) -> Bool {
        (0xC0...0xCF).contains(marker) && marker != 0xC4 && marker != 0xC8 && marker != 0xCC
    }

    /// Whether a decoder needs a segment.
    ///
    /// - Parameter content: the segment without marker and length, within the file.
    /// - Throws: `.broken` for a needed segment whose length does not match its content.
    static func isNeeded(
        _ marker: UInt8,
        _ content: Range<Int>,
        _ bytes: Span<UInt8>
    ) throws(MetadataCleaner.Stop) -> Bool {
        let isRight: Bool
        switch marker {
        case _ where isFrameHeader(marker):
            isRight = content.count >= 6 && content.count == 6 + 3 * Int(bytes[content.lowerBound + 5])
        case 0xC4: isRight = areHuffmanTables(content, bytes)
        case 0xDB: isRight = areQuantizationTables(content, bytes)
        case 0xCC: isRight = content.count.isMultiple(of: 2)
        // DRI, and DNL.
        case 0xDD, 0xDC: isRight = content.count == 2
        case 0xDA:
            isRight = !content.isEmpty && content.count == 4 + 2 * Int(bytes[content.lowerBound])
        case 0xDE, 0xDF: throw .broken("hierarchical JPEG is not supported")
        default: return false
        }
        guard isRight else {
            throw .broken(
                "the length of segment FF\(String(marker, radix: 16, uppercase: true)) does not match its content"
            )
        }
        return true
    }

    /// DHT: repeated groups of a class and destination, 16 counts, and that many values.
    private static func areHuffmanTables(_ content: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
        var offset = content.lowerBound
        while offset < content.upperBound {
            guard content.upperBound - offset >= 17 else { return false }
            var values = 0
            for index in offset + 1...offset + 16 { values += Int(bytes[index]) }
            guard values <= 256 else { return false }
            offset += 17 + values
        }
        return offset == content.upperBound
    }

    /// DQT: repeated groups of a precision and destination, and 64 values of one or two bytes.
    private static func areQuantizationTables(_ content: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
        var offset = content.lowerBound
        while offset < content.upperBound {
            let precision = bytes[offset] >> 4
            guard precision <= 1 else { return false }
            offset += precision == 0 ? 65 : 129
        }
        return offset == content.upperBound
    }
}
