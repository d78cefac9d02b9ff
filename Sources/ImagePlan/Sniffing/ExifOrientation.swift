/// Reads the orientation tag of an EXIF block, which is in TIFF format (Exif 3.0 §4.6.5.1.6).
enum ExifOrientation {
    /// Reads the tag from bytes that are all available; 1 if there is none or the block is damaged.
    static func read(_ bytes: Span<UInt8>, in range: Range<Int>) -> Int {
        guard range.lowerBound >= 0, range.upperBound <= bytes.count, range.count >= 14 else { return 1 }
        let start = range.lowerBound
        let bigEndian: Bool
        if bytes.has(bytes: [0x4D, 0x4D, 0x00, 0x2A], at: start) {
            bigEndian = true
        } else if bytes.has(bytes: [0x49, 0x49, 0x2A, 0x00], at: start) {
            bigEndian = false
        } else {
            return 1
        }
        func number(_ offset: Int, _ count: Int) -> Int? {
            guard offset >= start, offset + count <= range.upperBound else { return nil }
            return bigEndian
                ? try? bytes.bigEndian(offset, bytes: count, of: bytes.count)
                : try? bytes.littleEndian(offset, bytes: count, of: bytes.count)
        }
        guard let directory = number(start + 4, 4), let entries = number(start + directory, 2) else { return 1 }
        for index in 0..<entries {
            let entry = start + directory + 2 + 12 * index
            guard let tag = number(entry, 2) else { return 1 }
            guard tag == 0x0112 else { continue }
            // A SHORT by the standard; some encoders write a LONG.
            let value = number(entry + 2, 2) == 4 ? number(entry + 8, 4) : number(entry + 8, 2)
            guard let value, (1...8).contains(value) else { return 1 }
            return value
        }
        return 1
    }
}
