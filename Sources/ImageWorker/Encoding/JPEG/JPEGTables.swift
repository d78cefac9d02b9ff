import Glibc

/// The quantisation tables for a quality.
///
/// The steps rise with the spatial frequency, by parameters that were fitted to photographs of 512 px: at equal SSIMULACRA 2 scores the
/// files are smallest. ITU-T T.81 §K.1's tables, which most encoders use, were made in the 1980s for viewing experiments with
/// other displays. The quality has libjpeg's meaning: at each one, the mean score is that of libjpeg's tables.
struct JPEGTables {
    /// The steps in the order column + 8 · row.
    let luma: [Int]
    let chroma: [Int]

    init(quality: Int) {
        let scale = Self.scale(quality)
        luma = Self.lumaShape.steps(scale)
        chroma = Self.chromaShape.steps(scale)
    }

    /// A table as a function of the frequency.
    private struct Shape {
        /// The step of the mean.
        var mean: Float
        /// The step towards which those of low frequencies go.
        var base: Float
        /// The growth at the first frequency, and its exponent.
        var slope: Float
        var power: Float
        /// The exponent of the norm of the two frequencies: 2 is their Euclidean length.
        var norm: Float

        /// Returns the table times `scale`, within the limits of 8-bit tables.
        func steps(_ scale: Float) -> [Int] {
            (0..<64).map { index in
                let (u, v) = (Float(index % 8), Float(index / 8))
                let radius = pow(pow(u, norm) + pow(v, norm), 1 / norm)
                let step = index == 0 ? mean : base + slope * pow(radius, power)
                return min(255, max(1, Int((step * scale).rounded())))
            }
        }
    }

    private static let lumaShape = Shape(mean: 11, base: 18.75, slope: 3.2, power: 1.49, norm: 1.63)
    private static let chromaShape = Shape(mean: 7.6, base: 18, slope: 8, power: 1.1, norm: 2.5)

    /// The qualities and the factors at which scores are those of libjpeg; between them, factors are interpolated.
    private static let anchors: [(quality: Float, factor: Float)] = [
        (1, 0.75), (12, 0.71), (30, 0.66), (50, 0.68), (70, 0.74), (80, 0.785), (87, 0.835), (93, 0.91), (97, 0.97),
        (100, 1),
    ]

    /// Returns libjpeg's factor for a quality times the anchors'.
    private static func scale(_ quality: Int) -> Float {
        let quality = Float(min(max(quality, 1), 100))
        let standard = quality < 50 ? 50 / quality : 2 - quality / 50
        let above = anchors.firstIndex { $0.quality >= quality } ?? anchors.count - 1
        guard above > 0 else { return standard * anchors[0].factor }
        let (low, high) = (anchors[above - 1], anchors[above])
        let part = (quality - low.quality) / (high.quality - low.quality)
        return standard * (low.factor + part * (high.factor - low.factor))
    }
}
