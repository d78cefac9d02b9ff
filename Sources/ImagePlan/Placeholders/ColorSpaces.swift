/// A colour in Oklab, where distances are perceptually uniform (Björn Ottosson, 2020).
struct Oklab: Hashable {
    var lightness: Double
    /// Green to red.
    var a: Double
    /// Blue to yellow.
    var b: Double

    init(lightness: Double, a: Double, b: Double) {
        self.lightness = lightness
        self.a = a
        self.b = b
    }

    /// Converts from sRGB; alpha is ignored.
    init(_ color: Color) {
        let red = SRGBTransfer.linear[Int(color.red)]
        let green = SRGBTransfer.linear[Int(color.green)]
        let blue = SRGBTransfer.linear[Int(color.blue)]
        let long = MathFunctions.cubeRoot(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
        let medium = MathFunctions.cubeRoot(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
        let short = MathFunctions.cubeRoot(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
        lightness = 0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short
        a = 1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short
        b = 0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short
    }

    /// The colour in sRGB, opaque, clipped to the gamut.
    var color: Color {
        func cube(_ value: Double) -> Double { value * value * value }
        let long = cube(lightness + 0.3963377774 * a + 0.2158037573 * b)
        let medium = cube(lightness - 0.1055613458 * a - 0.0638541728 * b)
        let short = cube(lightness - 0.0894841775 * a - 1.2914855480 * b)
        return Color(
            red: SRGBTransfer.stored(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
            green: SRGBTransfer.stored(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
            blue: SRGBTransfer.stored(-0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short)
        )
    }

    /// The squared distance.
    func distance(to other: Oklab) -> Double {
        let (dl, da, db) = (lightness - other.lightness, a - other.a, b - other.b)
        return dl * dl + da * da + db * db
    }
}

/// The transfer function of sRGB (IEC 61966-2-1).
package enum SRGBTransfer {
    /// Linear light, 0–1, for each encoded value.
    package static let linear: [Double] = (0...255).map { value in
        let encoded = Double(value) / 255
        return encoded <= 0.04045 ? encoded / 12.92 : MathFunctions.power((encoded + 0.055) / 1.055, 2.4)
    }

    /// The encoded value of linear light, rounded; light outside 0–1 is clipped.
    package static func stored(_ light: Double) -> UInt8 {
        let light = min(1, max(0, light))
        let encoded = light <= 0.0031308 ? light * 12.92 : 1.055 * MathFunctions.power(light, 1 / 2.4) - 0.055
        return UInt8((encoded * 255).rounded())
    }
}
