import Glibc

/// Red, green and blue of an image in linear light, 0–1, one plane after the other.
struct LinearPlanes {
    let width: Int
    let height: Int
    let values: [Float]

    /// The light of the 256 levels of sRGB (IEC 61966-2-1).
    private static let light: [Float] = (0..<256).map { level in
        let value = Double(level) / 255
        return Float(value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4))
    }

    /// Converts 8-bit RGB or RGBA pixels in sRGB, row by row without padding; transparent ones are composited over middle grey.
    @safe
    init(_ pixels: UnsafeRawBufferPointer, width: Int, height: Int, bands: Int) {
        let count = width * height
        precondition((3...4).contains(bands) && pixels.count >= count * bands)
        (self.width, self.height) = (width, height)
        let table = Self.light
        values = unsafe [Float](unsafeUninitializedCapacity: 3 * count) { values, initialized in
            unsafe table.withUnsafeBufferPointer { table in
                for index in 0..<count {
                    for band in 0..<3 {
                        var level = unsafe Int(pixels[index &* bands &+ band])
                        if bands == 4 {
                            let alpha = unsafe Int(pixels[index &* bands &+ 3])
                            level = (level &* alpha &+ 128 &* (255 &- alpha)) / 255
                        }
                        unsafe values[band &* count &+ index] = table[level]
                    }
                }
            }
            initialized = 3 * count
        }
    }

    private init(width: Int, height: Int, values: [Float]) {
        (self.width, self.height, self.values) = (width, height, values)
    }

    /// Returns half the size, by means of four values; the last column or row of an odd size counts twice.
    func halved() -> LinearPlanes {
        let (width, height) = ((self.width + 1) / 2, (self.height + 1) / 2)
        let (oldWidth, oldHeight) = (self.width, self.height)
        let values = unsafe values.withUnsafeBufferPointer { source in
            unsafe [Float](unsafeUninitializedCapacity: 3 * width * height) { target, initialized in
                for band in 0..<3 {
                    for y in 0..<height {
                        let upper = (band &* oldHeight &+ 2 &* y) &* oldWidth
                        let lower = 2 &* y &+ 1 < oldHeight ? upper &+ oldWidth : upper
                        let start = (band &* height &+ y) &* width
                        for x in 0..<oldWidth / 2 {
                            let above = unsafe source[upper &+ 2 &* x] + source[upper &+ 2 &* x &+ 1]
                            let below = unsafe source[lower &+ 2 &* x] + source[lower &+ 2 &* x &+ 1]
                            unsafe target[start &+ x] = 0.25 * (above + below)
                        }
                        if oldWidth % 2 == 1 {
                            let last = oldWidth - 1
                            unsafe target[start &+ width &- 1] = 0.5 * (source[upper &+ last] + source[lower &+ last])
                        }
                    }
                }
                initialized = 3 * width * height
            }
        }
        return LinearPlanes(width: width, height: height, values: values)
    }
}
