import ImagePlan

/// Predicts the quality at which a format's encoder reaches a score for a given image.
///
/// The mean score of photographs at each quality, and how far an image lies below that: a linear function of its traits, and of the
/// score, fitted by ridge regression. `Benchmarks/quality.sh --fit` prints the numbers; fit them again when an encoder changes.
struct QualityModel {
    /// The mean scores of photographs at `qualities`, rising.
    let curve: [Double]
    /// By how many points an image lies below the curve at a score of `centre`: a constant, and a weight for each trait.
    let offset: [Double]
    /// The same for each ten points of score above `centre`.
    let slope: [Double]
    /// The difference between a score and a target of 75 that ends a search, in points; larger where images differ more.
    let tolerance: Double

    private static let qualities: [Double] = [30, 40, 50, 60, 70, 80, 88, 95]
    private static let centre = 70.0
    /// The scores for which the model was fitted.
    private static let fitted = 50.0...86.0

    /// Returns the quality, not rounded, at which an image is expected to have a score.
    ///
    /// - Parameter traits: the image's; without them it is taken for an average one.
    func quality(for score: Double, _ traits: PictureTraits?) -> Double {
        guard let traits else { return quality(scoring: score) }
        let tens = (min(max(score, Self.fitted.lowerBound), Self.fitted.upperBound) - Self.centre) / 10
        let inputs = [1] + traits.values
        let off = zip(inputs, zip(offset, slope)).reduce(0) { $0 + $1.0 * ($1.1.0 + $1.1.1 * tens) }
        return quality(scoring: score + off)
    }

    /// Returns the quality at which photographs have a mean score.
    func quality(scoring score: Double) -> Double { Self.interpolate(score, from: curve, to: Self.qualities) }

    /// Returns the mean score of photographs at a quality.
    func score(at quality: Double) -> Double { Self.interpolate(quality, from: Self.qualities, to: curve) }

    /// Interpolates between the two nearest points, and extrapolates beyond the first and last.
    private static func interpolate(_ value: Double, from inputs: [Double], to outputs: [Double]) -> Double {
        let above = inputs.dropFirst().dropLast().firstIndex { $0 >= value } ?? inputs.count - 1
        let share = (value - inputs[above - 1]) / (inputs[above] - inputs[above - 1])
        return outputs[above - 1] + share * (outputs[above] - outputs[above - 1])
    }
}

extension QualityModel {
    /// Returns the model of a format; formats without a quality have JPEG's.
    ///
    /// - Parameter sharpYUV: whether a WebP's chroma is subsampled with its effect on luma in mind.
    static func of(_ format: ImageFormat, sharpYUV: Bool = false) -> QualityModel {
        switch format {
        case .webp: sharpYUV ? sharpWebP : webp
        case .avif: avif
        case .jxl: jxl
        default: jpeg
        }
    }

    private static let jpeg = QualityModel(
        curve: [53.2, 60.3, 64.9, 68.7, 72.8, 78.0, 83.1, 88.4],
        offset: [
            -26.318, 0.655, -8.939, 3.786, -1.385, -4.168, -0.443, -8.712, 2.391, 0.02, -22.03, -3.974,
            1.583, -0.903, 0.626, -0.536,
        ],
        slope: [
            7.416, -0.242, 3.596, -0.626, 0.161, 0.836, 0.402, 1.344, 1.595, 2.351, 8.29, 0.477, 0.766,
            0.236, 0.174, 0.685,
        ],
        tolerance: 1.75
    )
    private static let webp = QualityModel(
        curve: [53.4, 59.2, 63.6, 67.2, 70.3, 75.9, 82.1, 86.6],
        offset: [
            -11.717, 0.289, -5.661, 0.997, -1.569, -3.012, -0.637, -5.738, -1.602, 0.068, -12.372, 0.439,
            0.55, 0.867, -0.929, -0.039,
        ],
        slope: [
            7.822, 0.127, 0.952, -0.202, 0.541, 1.019, 0.498, 2.774, 2.366, 2.21, 7.707, 0.459, -0.481,
            0.049, 0.019, 0.004,
        ],
        tolerance: 2
    )
    /// WebP with `sharp_yuv`.
    private static let sharpWebP = QualityModel(
        curve: [53.0, 59.2, 63.8, 67.5, 70.9, 76.9, 83.5, 88.9],
        offset: [
            -23.872, 0.193, -2.134, 0.253, -0.749, -1.779, -1.898, -4.217, 1.596, -1.975, -16.5, 0.027,
            0.317, -0.176, 0.171, 0.284,
        ],
        slope: [
            9.864, -0.024, -0.716, -0.288, 0.082, 0.591, 0.987, 1.766, 0.78, 1.861, 7.572, 0.391, 0.039,
            0.012, -0.181, -0.059,
        ],
        tolerance: 2.5
    )
    private static let avif = QualityModel(
        curve: [29.6, 49.2, 63.5, 74.7, 80.3, 85.4, 89.5, 92.3],
        offset: [
            -45.497, 0.108, -13.161, 1.715, -3.549, -5.197, 0.583, -15.484, -2.01, -3.68, -21.17, -2.91,
            2.261, -1.539, 0.476, 0.008,
        ],
        slope: [
            15.133, 0.094, 3.603, -0.521, 0.981, 1.835, 0.236, 4.511, 2.684, 1.823, 10.481, 0.536, -0.495,
            0.581, -0.245, -0.074,
        ],
        tolerance: 2.5
    )
    private static let jxl = QualityModel(
        curve: [40.5, 45.7, 51.7, 61.3, 67.6, 74.8, 81.9, 89.2],
        offset: [
            -6.143, 0.726, -14.262, 2.492, -0.872, -3.315, 1.372, -9.771, -1.89, -2.143, 1.723, 0.107, -1.056, 0.168,
            -0.409, -0.089,
        ],
        slope: [
            3.243, -0.238, 3.817, -0.799, 0.278, 1.209, 0.132, 2.008, 2.369, 3.303, 0.777, 0.098, 0.031, 0.173, 0.232,
            0.311,
        ],
        tolerance: 2
    )
}
