/// A bounded walk over ISO base media boxes (ISO/IEC 14496-12 §4.2), the container of HEIF, JPEG 2000 and JPEG XL.
enum BoxWalk {
    /// The maximum number of boxes to visit on one level.
    private static let maximumBoxes = 4096

    /// The numeric value of a box type.
    static func type(_ name: String) -> Int {
        name.utf8.reduce(0) { $0 << 8 | Int($1) }
    }

    /// Calls `visit` with type and content of each box in a range until it returns `false`.
    ///
    /// Boxes that exceed the range are malformed. Only the headers of the boxes have to be available, not their contents.
    static func children(
        _ bytes: Span<UInt8>,
        of total: Int,
        in range: Range<Int>,
        visit: (_ type: Int, _ content: Range<Int>) throws(SniffStop) -> Bool
    ) throws(SniffStop) {
        var offset = range.lowerBound
        for _ in 0..<maximumBoxes where range.upperBound - offset >= 8 {
            let length32 = try bytes.bigEndian(offset, bytes: 4, of: total)
            let type = try bytes.bigEndian(offset + 4, bytes: 4, of: total)
            var content = offset + 8
            var end = offset + length32
            if length32 == 1 {
                // A 64-bit length follows; no file needs more than 56 bits.
                guard try bytes.byte(offset + 8, of: total) == 0 else {
                    throw .malformed("the length of a box is out of range")
                }
                end = offset + (try bytes.bigEndian(offset + 9, bytes: 7, of: total))
                content += 8
            } else if length32 == 0 {
                end = range.upperBound
            }
            guard end >= content, end <= range.upperBound else {
                throw .malformed("a box exceeds its container")
            }
            guard try visit(type, content..<end) else { return }
            offset = end
        }
    }
}
