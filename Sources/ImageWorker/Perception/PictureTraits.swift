import Glibc

/// What of an image decides how well encoders keep it at a quality: its local contrast, its flat regions, its fine colours, its
/// brightness and its size.
///
/// By-products of the reference of a score; the model of `QualityModel` is linear in them.
struct PictureTraits {
    /// The traits, in the order of the model's weights.
    let values: [Double]
    /// The number of traits.
    static let count = 15
    /// Whether subsampled chroma changes luma visibly.
    ///
    /// Above, WebPs of photographs are smaller at equal scores if that is avoided; below, hardly any is (Benchmarks/README.md).
    var hasFineColours: Bool { values[0] > 7 }

    /// The scales and channels of X and B whose contrast counts.
    private static let colours: [(scale: Int, channel: Int)] = [(1, 0), (2, 0), (3, 2), (4, 2)]
    /// The number of scales of luma that count.
    private static let lumaScales = 4
    /// Added to variances before the logarithm is taken, so that flat regions all count alike.
    private static let leastVariance: Float = 0.000_01
    /// The variance below which a region is flat.
    private static let flatVariance: Float = 0.000_1

    /// Measures an image; `nil` for one that is too small to have all scales.
    ///
    /// - Parameters:
    ///   - pixels: 8-bit RGB or RGBA, row by row without padding.
    ///   - scales: the reference made of it.
    @safe
    init?(_ pixels: UnsafeRawBufferPointer, bands: Int, scales: [PerceptualScore.Scale]) {
        let luma = scales.prefix(Self.lumaScales).compactMap { $0.planes[1] }
        let colours = Self.colours.compactMap { place in
            scales.indices.contains(place.scale) ? scales[place.scale].planes[place.channel] : nil
        }
        guard let full = luma.first, luma.count == Self.lumaScales, colours.count == Self.colours.count else {
            return nil
        }
        let (width, height) = (scales[0].width, scales[0].height)
        let fine = unsafe Self.fineColour(pixels, width: width, height: height, bands: bands)
        let brightness = full.values.reduce(0) { $0 + Double($1) } / Double(full.values.count)
        let (lumaContrasts, colourContrasts) = (luma.map(Self.contrast), colours.map(Self.contrast))
        var values = [log(fine + 1), brightness]
        values += lumaContrasts.map(\.mean)
        values += lumaContrasts.map(\.flat)
        values += colourContrasts.map(\.mean)
        values.append(log(Double(width * height)))
        self.values = values
    }

    /// The mean logarithm of the local variance, and the share of flat regions.
    private static func contrast(_ plane: PerceptualScore.Scale.Plane) -> (mean: Double, flat: Double) {
        var (sum, flat) = (0.0, 0)
        for index in plane.mean.indices {
            let variance = max(plane.square[index] - plane.mean[index] * plane.mean[index], 0)
            sum += Double(logf(variance + leastVariance))
            if variance < flatVariance { flat += 1 }
        }
        let count = Double(plane.mean.count)
        return (sum / count, Double(flat) / count)
    }

    /// The mean fourth power of the differences of Cb and Cr (JFIF §7) from their means over 2 × 2 pixels, which chroma subsampling
    /// loses.
    private static func fineColour(_ pixels: UnsafeRawBufferPointer, width: Int, height: Int, bands: Int) -> Double {
        var sum = 0.0
        for y in stride(from: 0, to: height - 1, by: 2) {
            var line: Float = 0
            for x in stride(from: 0, to: width - 1, by: 2) {
                let first = (y * width + x) * bands
                var (blue, red) = (SIMD4<Float>(), SIMD4<Float>())
                for corner in 0..<4 {
                    let start = first + (corner & 1) * bands + (corner >> 1) * width * bands
                    let r = unsafe Float(pixels[start])
                    let g = unsafe Float(pixels[start + 1])
                    let b = unsafe Float(pixels[start + 2])
                    blue[corner] = -0.168_736 * r - 0.331_264 * g + 0.5 * b
                    red[corner] = 0.5 * r - 0.418_688 * g - 0.081_312 * b
                }
                let (offBlue, offRed) = (blue - blue.sum() / 4, red - red.sum() / 4)
                let (squareBlue, squareRed) = (offBlue * offBlue, offRed * offRed)
                line += (squareBlue * squareBlue + squareRed * squareRed).sum()
            }
            sum += Double(line)
        }
        return sum / Double(max(1, width / 2 * (height / 2) * 4))
    }
}
