import Glibc

/// The transfer function of sRGB (IEC 61966-2-1).
package enum SRGBTransfer {
    /// Linear light, 0–1, of each stored value.
    static let linear: [Double] = (0...255).map { value in
        let encoded = Double(value) / 255
        return encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4)
    }

    /// The stored value of linear light, rounded; what is out of 0–1 is clipped.
    package static func stored(_ light: Double) -> UInt8 {
        let light = min(1, max(0, light))
        let encoded = light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
        return UInt8((encoded * 255).rounded())
    }
}
