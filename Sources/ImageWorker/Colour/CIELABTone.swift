import ImagePlan

/// The colours with one chroma: CIELAB with the white of sRGB (D65), a fixed a* and b*, and any lightness.
struct CIELABTone {
    private let a: Double
    private let b: Double

    /// Red, green and blue light that make X, Y and Z, each relative to white's (IEC 61966-2-1).
    private static let toXYZ = [
        [0.412_456 / 0.950_470, 0.357_576 / 0.950_470, 0.180_438 / 0.950_470],
        [0.212_673, 0.715_152, 0.072_175],
        [0.019_334 / 1.088_830, 0.119_192 / 1.088_830, 0.950_304 / 1.088_830],
    ]

    /// The reverse.
    private static let toRGB = [
        [3.240_454 * 0.950_470, -1.537_139, -0.498_531 * 1.088_830],
        [-0.969_266 * 0.950_470, 1.876_011, 0.041_556 * 1.088_830],
        [0.055_643 * 0.950_470, -0.204_026, 1.057_225 * 1.088_830],
    ]

    init(chromaOf color: Color) {
        let light = [color.red, color.green, color.blue].map { SRGBTransfer.linear[Int($0)] }
        let roots = Self.toXYZ.map { row in Self.root(zip(row, light).reduce(0) { $0 + $1.0 * $1.1 }) }
        a = 500 * (roots[0] - roots[1])
        b = 200 * (roots[1] - roots[2])
    }

    /// The greatest luminance of the tables: steps that are small against those of 8 bits, also near black.
    static let white = 16_383

    /// Red, green and blue for each luminance from 0 to `white`; colours outside sRGB are clipped.
    var tables: [[UInt8]] {
        var tables = [[UInt8]](repeating: [UInt8](repeating: 0, count: Self.white + 1), count: 3)
        for level in 0...Self.white {
            let luminance = Double(level) / Double(Self.white)
            let root = Self.root(luminance)
            let whole = [Self.cube(root + a / 500), luminance, Self.cube(root - b / 200)]
            for channel in 0..<3 {
                tables[channel][level] = SRGBTransfer.stored(
                    zip(Self.toRGB[channel], whole).reduce(0) { $0 + $1.0 * $1.1 }
                )
            }
        }
        return tables
    }

    /// CIELAB's f: a cube root, and near black a line.
    private static func root(_ share: Double) -> Double {
        share > 216 / 24_389 ? MathFunctions.cubeRoot(share) : (24_389 / 27 * share + 16) / 116
    }

    /// The reverse of `root`.
    private static func cube(_ root: Double) -> Double {
        let cube = root * root * root
        return cube > 216 / 24_389 ? cube : (116 * root - 16) * 27 / 24_389
    }
}
