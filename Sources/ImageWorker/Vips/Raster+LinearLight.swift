import CVips
import Glibc
import ImagePlan

extension Raster {
    /// Scales 8-bit sRGB in linear light to a size, with the kernels of `resized` and premultiplied alpha.
    ///
    /// The arithmetic is in floats, and light is rounded to 16 bits before it is encoded again, less than a twentieth of the
    /// smallest step of an 8-bit sRGB value, so that every uniform colour is unchanged.
    func resizedInLinearLight(to size: PixelSize) throws(VipsError) -> Raster {
        let colours = hasAlpha ? try bands(from: 0, count: bands - 1) : self
        let light = try colours.mapped(toFloats: LinearLight.decoded)
        guard hasAlpha else {
            return try light.resized(width: size.width, height: size.height).encodedLight()
        }
        let alpha = try bands(from: bands - 1, count: 1)
        let scaled = try light.joined(with: alpha).premultiplied()
            .resized(width: size.width, height: size.height)
            .unpremultiplied()
        let made = try scaled.bands(from: 0, count: bands - 1).encodedLight()
        return try made.joined(with: scaled.bands(from: bands - 1, count: 1).roundedToEightBits())
    }

    /// Encodes light of 0–65,535 as 8-bit sRGB; values beyond are clipped.
    func encodedLight() throws(VipsError) -> Raster {
        // 0.5 rounds, since the cast truncates.
        let rounded = try linear([1], plus: [0.5]).cast(to: VIPS_FORMAT_USHORT)
        return try rounded.mapped(by: [LinearLight.encoded])
    }
}

/// The transfer function of sRGB (IEC 61966-2-1), for light from 0 to 65,535.
private enum LinearLight {
    private static let most = 65_535

    /// The light of each 8-bit value.
    static let decoded: [Float] = (0...255).map { value in
        let value = Double(value) / 255
        return Float(Double(most) * (value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)))
    }

    /// The nearest 8-bit value of each light.
    static let encoded: [UInt8] = (0...most).map { light in
        let light = Double(light) / Double(most)
        return UInt8(rounding: 255 * (light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055))
    }
}
