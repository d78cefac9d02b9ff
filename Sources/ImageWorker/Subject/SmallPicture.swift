import CVips

/// A small copy of a picture, as planes of luma, both chroma differences and alpha.
struct SmallPicture {
    let width: Int
    let height: Int
    /// Luma, row by row, in sixteenths of an 8-bit level (JFIF §7).
    let luma: [Int32]
    /// Blue minus luma, scaled as JFIF's Cb without its offset, in sixteenths.
    let blue: [Int32]
    /// Red minus luma, scaled as JFIF's Cr without its offset, in sixteenths.
    let red: [Int32]
    /// Opacity in sixteenths, 0–4080; `nil` if every pixel is opaque.
    let alpha: [Int32]?

    /// The steps of a plane in one 8-bit level.
    static let unit: Int32 = 16
    /// The longest side, in pixels, of copies in which subjects are found; 128 or 192 are no better (`Benchmarks/README.md`).
    static let subjectSide = 96
    /// The most rows and columns that are read for one pixel of the copy, evenly spaced.
    private static let mostSamples = 8
}

extension SmallPicture {
    /// Averages an 8-bit sRGB or grey image, which must be in memory; transparent pixels are composited over middle grey.
    ///
    /// - Parameter side: the most pixels of the longest side; the copy is never larger than the image.
    init(of raster: Raster, side: Int = subjectSide) throws(VipsError) {
        let (width, height, bands, hasAlpha) = (raster.width, raster.height, raster.bands, raster.hasAlpha)
        self = try raster.withPixels { pixels in
            SmallPicture(pixels, width: width, height: height, bands: bands, hasAlpha: hasAlpha, side: side)
        }
    }

    /// Averages pixels of 8-bit bands, row by row without padding; alpha is the last band.
    @safe
    private init(_ pixels: UnsafeRawBufferPointer, width: Int, height: Int, bands: Int, hasAlpha: Bool, side: Int) {
        precondition(width > 0 && height > 0 && bands > (hasAlpha ? 1 : 0) && pixels.count >= width * height * bands)
        let (columns, rows) = Self.size(of: width, height, side: side)
        self.width = columns
        self.height = rows
        let isGrey = bands - (hasAlpha ? 1 : 0) < 3
        var luma = [Int32](repeating: 0, count: columns * rows)
        var (blue, red, opacity) = (luma, luma, luma)
        var isOpaque = true
        for row in 0..<rows {
            let lines = Self.samples(row, of: height, in: rows)
            for column in 0..<columns {
                let samples = Self.samples(column, of: width, in: columns)
                var sums = SIMD4<Int>()
                var count = 0
                for y in lines {
                    for x in samples {
                        let start = (y &* width &+ x) &* bands
                        let alpha = hasAlpha ? unsafe Int(pixels[start &+ bands &- 1]) : 255
                        let first = unsafe Int(pixels[start])
                        let (second, third) =
                            isGrey ? (first, first) : unsafe (Int(pixels[start &+ 1]), Int(pixels[start &+ 2]))
                        let grey = 128 &* (255 &- alpha)
                        let colour = SIMD4(first, second, third, 1) &* SIMD4(repeating: alpha)
                        sums = sums &+ colour &+ SIMD4(grey, grey, grey, 0)
                        count &+= 1
                    }
                }
                let (r, g, b) = (sums[0], sums[1], sums[2])
                let index = row * columns + column
                // The sums are in 1/255 of a level, and the weights in 1/256.
                luma[index] = Self.value(77 * r + 150 * g + 29 * b, dividedBy: 256 * 255 * count)
                blue[index] = Self.value(128 * b - 43 * r - 85 * g, dividedBy: 256 * 255 * count)
                red[index] = Self.value(128 * r - 107 * g - 21 * b, dividedBy: 256 * 255 * count)
                opacity[index] = Self.value(sums[3], dividedBy: count)
                isOpaque = isOpaque && sums[3] == 255 * count
            }
        }
        (self.luma, self.blue, self.red) = (luma, blue, red)
        alpha = isOpaque ? nil : opacity
    }

    /// The size of the copy of a picture, with its proportions; both sides are at least 1.
    private static func size(of width: Int, _ height: Int, side longestSide: Int) -> (columns: Int, rows: Int) {
        let longest = max(width, height)
        let side = min(longestSide, longest)
        return (max(1, (width * side + longest / 2) / longest), max(1, (height * side + longest / 2) / longest))
    }

    /// The rows or columns that are averaged to one of a copy with `count`.
    private static func samples(_ index: Int, of length: Int, in count: Int) -> StrideTo<Int> {
        let (start, end) = (index * length / count, (index + 1) * length / count)
        return stride(from: start, to: end, by: max(1, (end - start) / mostSamples))
    }

    private static func value(_ sum: Int, dividedBy count: Int) -> Int32 {
        Int32(clamping: sum * Int(unit) / count)
    }
}
