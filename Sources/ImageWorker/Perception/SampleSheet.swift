import ImagePlan

/// Tiles of a large picture, or of the frames of an animation, side by side: what a search looks at in place of all of it.
///
/// Tiles begin at multiples of the codecs' blocks, so that each block is what it is in the picture.
struct SampleSheet {
    /// A tile's longest side.
    private static let side = 128
    /// Tiles in each direction of the sheet.
    private static let count = 4
    /// The largest block that prediction and quantisation share: a macroblock of VP8, an MCU of a subsampled JPEG.
    private static let block = 16
    /// Pixels of a picture up to which a sheet would save little: twice its own.
    static let largestWhole = 2 * side * side * count * count

    /// Cuts the sheet out of frames of one size that are in memory.
    static func make(of frames: [Raster]) throws -> Raster {
        let (width, height, bands) = (frames[0].width, frames[0].height, frames[0].bands)
        let (tileWidth, tileHeight) = (min(side, width), min(side, height))
        let stride = tileWidth * count * bands
        var bytes = [UInt8](repeating: 0, count: stride * tileHeight * count)
        for row in 0..<count {
            for column in 0..<count {
                let tile = row * count + column
                let left = start(column, of: width, tileWidth)
                let top = start(row, of: height, tileHeight)
                try frames[tile * frames.count / (count * count)].withPixels { pixels in
                    for y in 0..<tileHeight {
                        let from = ((top + y) * width + left) * bands
                        let to = (row * tileHeight + y) * stride + column * tileWidth * bands
                        let line = unsafe pixels[from..<from + tileWidth * bands]
                        unsafe bytes.replaceSubrange(to..<to + tileWidth * bands, with: line)
                    }
                }
            }
        }
        return try Raster.sRGB(bytes, width: tileWidth * count, height: tileHeight * count, bands: bands)
    }

    /// Where a tile begins, so that the tiles are spread evenly from edge to edge.
    private static func start(_ index: Int, of length: Int, _ tile: Int) -> Int {
        (length - tile) * index / (count - 1) / block * block
    }
}
