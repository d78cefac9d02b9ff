import Glibc

/// The three planes of an image at one scale, in the opsin colour space XYB of JPEG XL (ISO/IEC 18181-1 Annex L), shifted to be positive.
struct OpsinPlanes {
    let width: Int
    let height: Int
    /// X (red against green), Y (luma) and B (blue against luma), row by row.
    let planes: [[Float]]

    /// Converts linear light.
    init(_ light: LinearPlanes, channels: [Int]) {
        (width, height) = (light.width, light.height)
        let count = width * height
        var (x, y, b) = (
            [Float](repeating: 0, count: channels.contains(0) ? count : 0), [Float](repeating: 0, count: count),
            [Float](repeating: 0, count: channels.contains(2) ? count : 0)
        )
        let (wantsX, wantsB) = (channels.contains(0), channels.contains(2))
        unsafe light.values.withUnsafeBufferPointer { light in
            unsafe x.withUnsafeMutableBufferPointer { x in
                unsafe y.withUnsafeMutableBufferPointer { y in
                    unsafe b.withUnsafeMutableBufferPointer { b in
                        for index in 0..<count {
                            let red = unsafe light[index]
                            let green = unsafe light[count &+ index]
                            let blue = unsafe light[2 &* count &+ index]
                            let long = Self.root(0.3 * red + 0.622 * green + 0.078 * blue + Self.bias) - Self.rootOfBias
                            let medium =
                                Self.root(0.23 * red + 0.692 * green + 0.078 * blue + Self.bias) - Self.rootOfBias
                            let luma = 0.5 * (long + medium)
                            unsafe y[index] = luma + 0.01
                            if wantsX { unsafe x[index] = 7 * (long - medium) + 0.42 }
                            if wantsB {
                                let short =
                                    Self.root(
                                        0.243_422_69 * red + 0.204_767_45 * green + 0.551_809_87 * blue + Self.bias
                                    ) - Self.rootOfBias
                                unsafe b[index] = short - luma + 0.55
                            }
                        }
                    }
                }
            }
        }
        planes = [x, y, b]
    }

    private static let bias: Float = 0.003_793_073_3
    private static let rootOfBias: Float = cbrtf(bias)

    /// The cube root of a positive number: an estimate from the exponent, and two steps of Halley's method, to 1 in 10 million.
    @inline(__always)
    private static func root(_ value: Float) -> Float {
        var root = Float(bitPattern: value.bitPattern / 3 &+ 709_921_077)
        for _ in 0..<2 {
            let cube = root * root * root
            root *= (cube + 2 * value) / (2 * cube + value)
        }
        return root
    }
}
