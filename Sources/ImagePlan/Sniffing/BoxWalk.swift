/// A bounded walk over ISO base media boxes (ISO/IEC 14496-12 §4.2), which HEIF, JPEG 2000 and JPEG XL files are made of.
enum BoxWalk {
    /// Boxes that are looked at on one level.
    private static let maximumBoxes = 4096

    /// A box's type as a number.
    static func type(_ name: String) -> Int {
        name.utf8.reduce(0) { $0 << 8 | Int($1) }
    }

    /// Calls `visit` with type and content of each box in a range, until it answers `false`.
    ///
    /// Boxes that reach out of the range are malformed; the bytes of their headers must be at hand, of their contents not.
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
                // A 64-bit length follows; what does not fit 56 bits is in no file.
                guard try bytes.byte(offset + 8, of: total) == 0 else { throw .malformed("a box's length is absurd") }
                end = offset + (try bytes.bigEndian(offset + 9, bytes: 7, of: total))
                content += 8
            } else if length32 == 0 {
                end = range.upperBound
            }
            guard end >= content, end <= range.upperBound else {
                throw .malformed("a box reaches out of what holds it")
            }
            guard try visit(type, content..<end) else { return }
            offset = end
        }
    }
}
