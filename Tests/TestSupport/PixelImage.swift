/// Decoded 8-bit pixels, for inspecting a result.
package struct PixelImage: Hashable, Sendable {
    package var width: Int
    package var height: Int
    /// Bytes per pixel: 3 for RGB, 4 for RGBA.
    package var channels: Int
    /// The pixels, row by row.
    package var bytes: [UInt8]

    /// Creates an image from bytes.
    package init(width: Int, height: Int, channels: Int, bytes: [UInt8]) {
        precondition(bytes.count == width * height * channels)
        self.width = width
        self.height = height
        self.channels = channels
        self.bytes = bytes
    }

    /// Creates an image from a function of the position.
    package init(width: Int, height: Int, channels: Int = 4, _ pixel: (_ x: Int, _ y: Int) -> [UInt8]) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(width * height * channels)
        for y in 0..<height {
            for x in 0..<width { bytes += pixel(x, y) }
        }
        self.init(width: width, height: height, channels: channels, bytes: bytes)
    }

    /// The channels of one pixel.
    package subscript(x: Int, y: Int) -> [UInt8] {
        let start = (y * width + x) * channels
        return Array(bytes[start..<start + channels])
    }

    /// The alpha of a pixel; 255 without an alpha channel.
    package func alpha(_ x: Int, _ y: Int) -> UInt8 { channels == 4 ? self[x, y][3] : 255 }

    /// Part of the image.
    package func cropped(x: Int, y: Int, width: Int, height: Int) -> PixelImage {
        PixelImage(width: width, height: height, channels: channels) { self[x + $0, y + $1] }
    }
}
