/// A width and a height in whole pixels.
package struct PixelSize: Hashable, Sendable, CustomStringConvertible {
    package var width: Int
    package var height: Int

    /// Creates a size.
    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Width times height, `Int.max` where that overflows.
    package var pixels: Int {
        let (product, overflow) = width.multipliedReportingOverflow(by: height)
        return overflow ? .max : product
    }

    package var shorterSide: Int { min(width, height) }

    /// Whether neither side is longer than the other size's.
    package func isContained(in other: PixelSize) -> Bool { width <= other.width && height <= other.height }

    /// The size with its sides exchanged.
    package var transposed: PixelSize { PixelSize(width: height, height: width) }

    /// `400x300`.
    package var description: String { "\(width)x\(height)" }
}
