/// Reads GIF headers: canvas, number of frames and transparency, by walking the blocks (GIF89a §§17–27).
///
/// LZW data is skipped, never decoded.
enum GIFHeader {
    /// The number of frames at which counting stops.
    private static let maximumFrames = 100_000
    /// The number of data sub-blocks at which counting stops.
    private static let maximumSubBlocks = 1 << 20

    static func read(_ bytes: Span<UInt8>, of total: Int) throws(SniffStop) -> ImageHeader {
        var walk = Walk(
            width: try bytes.littleEndian(6, bytes: 2, of: total),
            height: try bytes.littleEndian(8, bytes: 2, of: total)
        )
        let packed = try bytes.byte(10, of: total)
        walk.offset = 13 + colorTableBytes(packed)
        do {
            while try walk.step(bytes, of: total), walk.frames < maximumFrames {}
        } catch .malformed(let reason) {
            // A truncated animation: the count is a lower bound, and the decoder decides whether to accept the file.
            guard walk.frames > 0 else { throw .malformed(reason) }
        }
        guard walk.frames > 0 else { throw .malformed("the file has no frame") }
        guard walk.width > 0, walk.height > 0 else { throw .malformed("the size is zero") }
        return ImageHeader(
            format: .gif,
            width: walk.width,
            height: walk.height,
            frames: walk.frames,
            hasAlpha: walk.hasTransparency
        )
    }

    /// The size in bytes of the colour table that a packed field announces.
    private static func colorTableBytes(_ packed: Int) -> Int {
        packed & 0x80 == 0 ? 0 : 3 << (packed & 7 + 1)
    }

    /// A walk over the blocks.
    private struct Walk {
        var width: Int
        var height: Int
        var offset = 0
        var frames = 0
        var subBlocks = 0
        var hasTransparency = false

        init(width: Int, height: Int) {
            self.width = width
            self.height = height
        }

        /// Skips one block; returns `false` at the end.
        mutating func step(_ bytes: Span<UInt8>, of total: Int) throws(SniffStop) -> Bool {
            switch try bytes.byte(offset, of: total) {
            case 0x21:
                let label = try bytes.byte(offset + 1, of: total)
                // §23: a bit of the graphic control extension's packed field states whether there is a transparent index.
                if label == 0xF9, try bytes.byte(offset + 3, of: total) & 1 == 1 { hasTransparency = true }
                offset += 2
            case 0x2C:
                try stepIntoFrame(bytes, of: total)
            default:
                // The trailer, or bytes that are not a block.
                return false
            }
            return try skipSubBlocks(bytes, of: total)
        }

        private mutating func stepIntoFrame(_ bytes: Span<UInt8>, of total: Int) throws(SniffStop) {
            let left = try bytes.littleEndian(offset + 1, bytes: 2, of: total)
            let top = try bytes.littleEndian(offset + 3, bytes: 2, of: total)
            let frameWidth = try bytes.littleEndian(offset + 5, bytes: 2, of: total)
            let frameHeight = try bytes.littleEndian(offset + 7, bytes: 2, of: total)
            let packed = try bytes.byte(offset + 9, of: total)
            if frames == 0, left > 0 || top > 0 || frameWidth < width || frameHeight < height {
                hasTransparency = true
            }
            // Decoders enlarge the canvas for a frame that exceeds it.
            width = max(width, left + frameWidth)
            height = max(height, top + frameHeight)
            frames += 1
            // The image descriptor, a local colour table, and the LZW code size.
            offset += 10 + colorTableBytes(packed) + 1
        }

        /// Skips data sub-blocks (§15); returns `false` if there were too many in total.
        private mutating func skipSubBlocks(_ bytes: Span<UInt8>, of total: Int) throws(SniffStop) -> Bool {
            while subBlocks < maximumSubBlocks {
                let length = try bytes.byte(offset, of: total)
                offset += 1 + length
                if length == 0 { return true }
                subBlocks += 1
            }
            return false
        }
    }
}
