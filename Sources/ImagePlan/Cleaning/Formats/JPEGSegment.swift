/// Which marker segments a decoder needs, and whether they are no longer than what they say (ITU-T T.81 §B.2).
///
/// A segment whose length and content do not match could carry anything behind its tables.
enum JPEGSegment {
    /// SOF0 to SOF15 without DHT, JPG and DAC.
    private static func isFrameHeader(_ marker: UInt8) -> Bool {
        (0xC0...0xCF).contains(marker) && marker != 0xC4 && marker != 0xC8 && marker != 0xCC
    }

    /// Whether the image cannot be decoded without a segment.
    ///
    /// - Parameter content: the segment without marker and length, which lies within the file.
    /// - Throws: `.broken` for one that is needed and does not say what its length says.
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
            throw .broken("the length of segment FF\(String(marker, radix: 16, uppercase: true)) is not what it holds")
        }
        return true
    }

    /// DHT: a class and place, 16 counts, and as many values, again and again.
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

    /// DQT: a precision and place, and 64 values of one or two bytes, again and again.
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
