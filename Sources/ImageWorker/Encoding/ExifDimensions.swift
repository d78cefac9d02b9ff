/// Writes a picture's size into an EXIF block (CIPA DC-008 §4.6.5, `PixelXDimension` and `PixelYDimension`).
enum ExifDimensions {
    /// The tag of the pointer to the Exif IFD, and those of both sides.
    private static let (pointer, width, height) = (0x8769, 0xA002, 0xA003)

    /// Sets both sides where a block states them; a malformed block stays as it is.
    ///
    /// - Parameter block: a TIFF structure, after `Exif\0\0` or without it.
    static func set(_ block: inout [UInt8], width: Int, height: Int) {
        let start = block.starts(with: Array("Exif\0\0".utf8)) ? 6 : 0
        guard block.count >= start + 8 else { return }
        let isLittle = block[start] == 0x49
        func number(_ place: Int, _ count: Int) -> Int? {
            guard place >= 0, place + count <= block.count else { return nil }
            let bytes = block[place..<place + count]
            return (isLittle ? Array(bytes.reversed()) : Array(bytes)).reduce(0) { $0 << 8 | Int($1) }
        }
        /// The place of the entry with a tag in the directory at an offset.
        func entry(_ tag: Int, _ offset: Int) -> Int? {
            guard let count = number(start + offset, 2) else { return nil }
            return (0..<count).map { start + offset + 2 + 12 * $0 }.first { number($0, 2) == tag }
        }
        guard let first = number(start + 4, 4), let found = entry(Self.pointer, first),
            let directory = number(found + 8, 4)
        else { return }
        for (tag, value) in [(Self.width, width), (Self.height, height)] {
            guard let place = entry(tag, directory), place + 12 <= block.count, let type = number(place + 2, 2),
                number(place + 4, 4) == 1, let size = [3: 2, 4: 4][type], value >> (8 * size) == 0
            else { continue }
            for index in 0..<size {
                let shift = 8 * (isLittle ? index : size - 1 - index)
                block[place + 8 + index] = UInt8(truncatingIfNeeded: value >> shift)
            }
        }
    }
}
