import Glibc

/// A linear map of colour values: a matrix and a constant.
///
/// The rows give red, green and blue of the result.
struct ColourMatrix {
    /// Nine factors, row by row.
    var factors: [Double]
    /// Three addends, in values of 0–255.
    var addends: [Double] = [0, 0, 0]

    /// The luma weights of red, green and blue: CSS Filter Effects 1 (ITU-R BT.709).
    static let luma = [0.2126, 0.7152, 0.0722]

    /// `feColorMatrix` of type `saturate` (CSS Filter Effects 1 §9.6), which rounds the weights to three digits.
    static func saturation(_ factor: Double) -> ColourMatrix {
        let weights = [0.213, 0.715, 0.072]
        let factors = (0..<9).map { index in
            let own = index % 3 == index / 3 ? factor : 0
            return weights[index % 3] * (1 - factor) + own
        }
        return ColourMatrix(factors: factors)
    }

    /// `feColorMatrix` of type `hueRotate` (CSS Filter Effects 1 §9.6).
    static func hueRotation(degrees: Double) -> ColourMatrix {
        let cosine = cos(degrees * .pi / 180)
        let sine = sin(degrees * .pi / 180)
        let constant = [0.213, 0.715, 0.072, 0.213, 0.715, 0.072, 0.213, 0.715, 0.072]
        let byCosine = [0.787, -0.715, -0.072, -0.213, 0.285, -0.072, -0.213, -0.715, 0.928]
        let bySine = [-0.213, -0.715, 0.928, 0.143, 0.140, -0.283, -0.787, 0.715, 0.072]
        return ColourMatrix(factors: (0..<9).map { constant[$0] + cosine * byCosine[$0] + sine * bySine[$0] })
    }

    /// Maps luma to the line from one colour to another.
    static func lumaRamp(from dark: [Double], to light: [Double]) -> ColourMatrix {
        let factors = (0..<9).map { index in
            let range: Double = light[index / 3] - dark[index / 3]
            return luma[index % 3] * range / 255
        }
        return ColourMatrix(factors: factors, addends: dark)
    }
}

/// Returns `base` to the power of `exponent`.
func power(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }
