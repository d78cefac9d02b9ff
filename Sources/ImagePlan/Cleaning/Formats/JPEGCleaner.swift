/// JPEG: tables, frames, scans, JFIF, ICC profile and Adobe's word on colours stay (ITU-T T.81 Annex B).
enum JPEGCleaner {
    static func clean(_ bytes: Span<UInt8>, orientation: Int) throws(MetadataCleaner.Stop) -> [UInt8] {
        guard bytes.has(bytes: [0xFF, 0xD8], at: 0) else { throw .broken("no JPEG begins so") }
        var output: [UInt8] = [0xFF, 0xD8]
        output.reserveCapacity(bytes.count)
        var isTurned = orientation == 1
        var hasScan = false
        var position = 2
        while true {
            let marker = try nextMarker(bytes, &position)
            // T.81 table B.1: TEM and RSTn stand alone.
            if marker == 0x01 || (0xD0...0xD7).contains(marker) { continue }
            guard marker != 0xD8 else { throw .broken("a second image begins within the first") }
            if marker == 0xD9 { break }
            let length = try bytes.bigEndian(position, bytes: 2)
            guard length >= 2 else { throw .broken("a marker segment is shorter than its length field") }
            let segment = try bytes.range(position, count: length)
            // EXIF belongs behind JFIF, and before all others (Exif 3.0 §4.5.4).
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

    /// The marker that comes next; what stands between two segments is no part of the picture.
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

    /// A segment's bytes from its length field on, as they are kept; `nil` where it is metadata.
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
            // JFIF without its thumbnail; its extensions are thumbnails, too.
            guard segment.count >= 16, bytes.has(bytes: Array("JFIF\0".utf8), at: start) else { return nil }
            copy = [0, 16]
            copy.append(bytes, start..<start + 12)
            copy += [0, 0]
        case 0xE2:
            guard segment.count > 16, bytes.has(bytes: Array("ICC_PROFILE\0".utf8), at: start) else { return nil }
            copy.append(bytes, segment)
        case 0xEE:
            // Exactly the fields that say how colours are coded.
            guard segment.count >= 14, bytes.has("Adobe", at: start) else { return nil }
            copy = [0, 14]
            copy.append(bytes, start..<start + 12)
        default: return nil
        }
        return copy
    }

    /// Entropy-coded data, which ends before the first marker that is neither stuffing nor a restart.
    private static func scanData(_ bytes: Span<UInt8>, from start: Int) throws(MetadataCleaner.Stop) -> Range<Int> {
        var position = start
        while true {
            while try bytes.byte(position) != 0xFF { position += 1 }
            let first = position
            // Any number of fill bytes may stand before a marker's code, and decoders skip them before a stuffed 0, too.
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
