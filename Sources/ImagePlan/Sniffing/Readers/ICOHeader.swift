/// Reads ICO headers: the size of the largest image, from the images' own headers as well as the directory.
enum ICOHeader {
    /// The maximum number of directory entries to read.
    private static let maximumEntries = 256

    static func matches(_ bytes: Span<UInt8>) -> Bool {
        // Reserved, type 1, a count; the reserved byte of an entry is 0.
        bytes.has(bytes: [0, 0, 1, 0], at: 0) && bytes.count >= 22 && (bytes[4] != 0 || bytes[5] != 0) && bytes[9] == 0
    }

    static func read(_ bytes: Span<UInt8>, of total: Int) throws(SniffStop) -> ImageHeader {
        let count = try bytes.littleEndian(4, bytes: 2, of: total)
        guard count <= maximumEntries else { throw .malformed("the icon has more than \(maximumEntries) images") }
        var largest: (width: Int, height: Int)?
        for index in 0..<count {
            let size = try picture(bytes, of: total, entry: 6 + 16 * index)
            if let current = largest, current.width * current.height >= size.width * size.height { continue }
            largest = size
        }
        guard let largest else { throw .malformed("the icon has no image") }
        return ImageHeader(format: .ico, width: largest.width, height: largest.height, hasAlpha: true)
    }

    private static func picture(
        _ bytes: Span<UInt8>,
        of total: Int,
        entry: Int
    ) throws(SniffStop) -> (width: Int, height: Int) {
        let offset = try bytes.littleEndian(entry + 12, bytes: 4, of: total)
        guard offset >= 6, offset <= total - 16 else { throw .malformed("an image is outside the icon") }
        try bytes.require(min(total, offset + 33), of: total)
        if bytes.has(bytes: PNGHeader.signature, at: offset) {
            let width = try bytes.bigEndian(offset + 16, bytes: 4, of: total)
            let height = try bytes.bigEndian(offset + 20, bytes: 4, of: total)
            guard (1...1 << 20).contains(width), (1...1 << 20).contains(height) else {
                throw .malformed("the size is out of range")
            }
            return (width, height)
        }
        let bitmap = try BMPHeader.read(bytes, of: total, at: offset)
        // The height counts the rows of both colours and mask.
        return (bitmap.width, max(1, bitmap.height / 2))
    }
}
