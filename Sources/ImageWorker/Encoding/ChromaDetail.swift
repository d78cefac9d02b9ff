import CVips

/// Measures how much colour detail chroma subsampling would smear: much in drawings and text, little in photographs.
struct ChromaDetail {
    /// The share of blocks with a sharp edge between colours.
    let share: Double

    /// The maximum number of pixels for which `chroma=auto` examines an image, since it must be in memory for that.
    static let largestPicture = 4_000_000
    /// The maximum number of blocks of 2 × 2 pixels to examine.
    private static let mostBlocks = 16_384
    /// The difference of Cb or Cr within a block, of 255, from which smearing is visible.
    private static let sharpDifference = 40
    /// The share above which the image keeps full chroma resolution.
    private static let sharpShare = 0.02

    var isSharp: Bool { share > Self.sharpShare }

    /// Examines an 8-bit RGB or RGBA image in memory.
    init(of raster: Raster) throws(VipsError) {
        let (width, height, bands) = (raster.width, raster.height, raster.bands)
        guard bands >= 3 else {
            share = 0
            return
        }
        let blocks = max(1, (width / 2) * (height / 2))
        // Evenly spaced whole rows of blocks, so that memory is read in order.
        let rowStep = max(1, blocks / Self.mostBlocks)
        share = try raster.withPixels { pixels in
            var seen = 0
            var sharp = 0
            var y = 0
            while y + 1 < height {
                for x in stride(from: 0, to: width - 1, by: 2) {
                    let corners = (y * width + x) * bands
                    seen += 1
                    if unsafe Self.isSharp(pixels, at: corners, below: corners + width * bands, bands) { sharp += 1 }
                }
                y += 2 * rowStep
            }
            return seen == 0 ? 0 : Double(sharp) / Double(seen)
        }
    }

    private static func isSharp(_ pixels: UnsafeRawBufferPointer, at top: Int, below: Int, _ bands: Int) -> Bool {
        var (lowBlue, highBlue, lowRed, highRed) = (Int.max, Int.min, Int.max, Int.min)
        for corner in 0..<4 {
            let start = (corner < 2 ? top : below) + (corner & 1) * bands
            let red = unsafe Int(pixels[start])
            let green = unsafe Int(pixels[start + 1])
            let blue = unsafe Int(pixels[start + 2])
            // JFIF §7 in 1/256.
            let cb = -43 * red - 85 * green + 128 * blue
            let cr = 128 * red - 107 * green - 21 * blue
            (lowBlue, highBlue) = (min(lowBlue, cb), max(highBlue, cb))
            (lowRed, highRed) = (min(lowRed, cr), max(highRed, cr))
        }
        return max(highBlue - lowBlue, highRed - lowRed) > sharpDifference * 256
    }
}
