/// A ratio of width to height, such as `16:9`, in lowest terms.
package struct AspectRatio: Hashable, Sendable {
    /// The largest term as stated.
    package static let longestTerm = 16_384
    /// The largest term in lowest terms; keeps the product with a side of 2^31 pixels far from overflow.
    private static let largestReduced = 1_000_000_000

    /// The terms without a common divisor, 1–1,000,000,000.
    package let width: Int
    package let height: Int

    /// Creates a ratio of two numbers, which must be at least 1.
    package init(width: Int, height: Int) {
        let divisor = Self.greatestCommonDivisor(width, height)
        self.width = width / divisor
        self.height = height / divisor
    }

    /// Parses `W:H`, each a number of at most 16384 and more than 0, possibly with a fraction: `1.91:1`.
    ///
    /// - Throws: 400, naming the parameter.
    package init(parsing parameter: Parameter) throws(RequestError) {
        let terms = parameter.parts(separatedBy: ":")
        let range = FixedDecimal(millionths: 1)...FixedDecimal(Self.longestTerm)
        guard terms.count == 2, let width = FixedDecimal(parsing: terms[0].value),
            let height = FixedDecimal(parsing: terms[1].value), range.contains(width), range.contains(height)
        else {
            throw parameter.error(
                "must have a ratio of two numbers, more than 0 and at most \(Self.longestTerm), such as 16:9 or 1.91:1"
            )
        }
        self.init(width: width.millionths, height: height.millionths)
        guard max(self.width, self.height) <= Self.largestReduced else {
            throw parameter.error("has a ratio with too many digits")
        }
    }

    /// `16:9`; `191:100` for 1.91:1, and `W:H` in millionths where a term would be longer than `longestTerm`.
    package var text: String {
        guard max(width, height) > Self.longestTerm else { return "\(width):\(height)" }
        return FixedDecimal(millionths: width).text + ":" + FixedDecimal(millionths: height).text
    }

    /// The largest size with the ratio inside an image; each side is at least 1.
    package func largest(in picture: PixelSize) -> PixelSize {
        var size = picture
        if isWider(than: picture) {
            size.height = min(size.height, .side(size.width * height, dividedBy: width))
        } else {
            size.width = min(size.width, .side(size.height * width, dividedBy: height))
        }
        return size
    }

    /// The smallest size with the ratio around an image.
    package func smallest(around picture: PixelSize) -> PixelSize {
        var size = picture
        if isWider(than: picture) {
            size.width = max(size.width, .side(size.height * width, dividedBy: height))
        } else {
            size.height = max(size.height, .side(size.width * height, dividedBy: width))
        }
        return size
    }

    private func isWider(than picture: PixelSize) -> Bool { width * picture.height > height * picture.width }

    private static func greatestCommonDivisor(_ first: Int, _ second: Int) -> Int {
        var (larger, smaller) = (first, second)
        while smaller != 0 { (larger, smaller) = (smaller, larger % smaller) }
        return larger
    }
}
