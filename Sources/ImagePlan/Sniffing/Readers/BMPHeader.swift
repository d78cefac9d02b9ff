/// Reads BMP headers: size and alpha from the bitmap header (OS/2 1.x and Windows versions).
enum BMPHeader {
    private static let knownHeaderSizes: Set<Int> = [12, 16, 40, 52, 56, 64, 108, 124]

    static func matches(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.has("BM", at: 0), let size = try? bytes.littleEndian(14, bytes: 4, of: bytes.count) else {
            return false
        }
        return knownHeaderSizes.contains(size)
    }

    static func read(_ bytes: Span<UInt8>, of total: Int) throws(SniffStop) -> ImageHeader {
        let size = try read(bytes, of: total, at: 14)
        return ImageHeader(format: .bmp, width: size.width, height: size.height, hasAlpha: size.hasAlpha)
    }

    /// Reads the bitmap header at an offset; icons contain such headers, too.
    static func read(
        _ bytes: Span<UInt8>,
        of total: Int,
        at offset: Int
    ) throws(SniffStop) -> (width: Int, height: Int, hasAlpha: Bool) {
        let headerSize = try bytes.littleEndian(offset, bytes: 4, of: total)
        if headerSize == 12 {
            let width = try bytes.littleEndian(offset + 4, bytes: 2, of: total)
            let height = try bytes.littleEndian(offset + 6, bytes: 2, of: total)
            guard width > 0, height > 0 else { throw .malformed("the size is zero") }
            return (width, height, false)
        }
        let width = try bytes.littleEndian(offset + 4, bytes: 4, of: total)
        let signedHeight = Int(
            Int32(truncatingIfNeeded: try bytes.littleEndian(offset + 8, bytes: 4, of: total))
        )
        // A negative height means that the rows run from top to bottom.
        let height = abs(signedHeight)
        guard width > 0, width <= Int(Int32.max), height > 0 else { throw .malformed("the size is out of range") }
        var hasAlpha = false
        if headerSize >= 56, try bytes.littleEndian(offset + 14, bytes: 2, of: total) == 32 {
            hasAlpha = try bytes.littleEndian(offset + 52, bytes: 4, of: total) != 0
        }
        return (width, height, hasAlpha)
    }
}
