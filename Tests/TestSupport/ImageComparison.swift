import Glibc

/// Measures of similarity between two images.
package enum ImageComparison {
    /// The mean absolute difference over all pixels and colour channels, 0–255; infinite for different sizes.
    package static func meanDifference(_ left: PixelImage, _ right: PixelImage) -> Double {
        guard left.width == right.width, left.height == right.height else { return .infinity }
        var sum = 0
        for index in 0..<left.width * left.height {
            for channel in 0..<3 {
                let a = Int(left.bytes[index * left.channels + channel])
                let b = Int(right.bytes[index * right.channels + channel])
                sum += abs(a - b)
            }
        }
        return Double(sum) / Double(left.width * left.height * 3)
    }

    /// The structural similarity of luma (Wang et al., 2004), averaged over 8×8 blocks; 1 for equal images, 0 for different sizes.
    package static func structuralSimilarity(_ left: PixelImage, _ right: PixelImage) -> Double {
        guard left.width == right.width, left.height == right.height, left.width >= 8, left.height >= 8 else {
            return 0
        }
        let a = luma(left)
        let b = luma(right)
        var sum = 0.0
        var count = 0.0
        for top in stride(from: 0, to: left.height - 7, by: 8) {
            for start in stride(from: 0, to: left.width - 7, by: 8) {
                sum += blockSimilarity(a, b, width: left.width, left: start, top: top)
                count += 1
            }
        }
        return sum / count
    }

    /// The distance of two sRGB colours in CIELAB (CIE 1976, D65).
    package static func colourDistance(_ left: [UInt8], _ right: [UInt8]) -> Double {
        let a = lab(left)
        let b = lab(right)
        return (pow(a.0 - b.0, 2) + pow(a.1 - b.1, 2) + pow(a.2 - b.2, 2)).squareRoot()
    }

    private static func luma(_ image: PixelImage) -> [Double] {
        (0..<image.width * image.height).map { index in
            let start = index * image.channels
            return 0.299 * Double(image.bytes[start]) + 0.587 * Double(image.bytes[start + 1])
                + 0.114 * Double(image.bytes[start + 2])
        }
    }

    private static func blockSimilarity(_ a: [Double], _ b: [Double], width: Int, left: Int, top: Int) -> Double {
        var sumA = 0.0
        var sumB = 0.0
        var squareA = 0.0
        var squareB = 0.0
        var product = 0.0
        for y in top..<top + 8 {
            for x in left..<left + 8 {
                let one = a[y * width + x]
                let two = b[y * width + x]
                sumA += one
                sumB += two
                squareA += one * one
                squareB += two * two
                product += one * two
            }
        }
        let (meanA, meanB) = (sumA / 64, sumB / 64)
        let (varianceA, varianceB) = (squareA / 64 - meanA * meanA, squareB / 64 - meanB * meanB)
        let covariance = product / 64 - meanA * meanB
        let (c1, c2) = (6.5025, 58.5225)
        return (2 * meanA * meanB + c1) * (2 * covariance + c2)
            / ((meanA * meanA + meanB * meanB + c1) * (varianceA + varianceB + c2))
    }

    private static func lab(_ colour: [UInt8]) -> (Double, Double, Double) {
        let linear = colour.prefix(3).map { byte -> Double in
            let value = Double(byte) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        let x = (0.4124564 * linear[0] + 0.3575761 * linear[1] + 0.1804375 * linear[2]) / 0.95047
        let y = 0.2126729 * linear[0] + 0.7151522 * linear[1] + 0.0721750 * linear[2]
        let z = (0.0193339 * linear[0] + 0.1191920 * linear[1] + 0.9503041 * linear[2]) / 1.08883
        let curve = { (t: Double) in t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116 }
        return (116 * curve(y) - 16, 500 * (curve(x) - curve(y)), 200 * (curve(y) - curve(z)))
    }
}
