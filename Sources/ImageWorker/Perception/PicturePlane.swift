/// One plane of an image at one scale: luma or a chroma difference.
struct PicturePlane {
    let width: Int
    let height: Int
    /// The values row by row, in sixteenths of an 8-bit level, so that averaging keeps small steps.
    let values: [Int16]

    /// Returns the plane at half the size, by means of four values; an odd last column or row is dropped.
    func halved() -> PicturePlane {
        let (width, height) = (width / 2, height / 2)
        let values = unsafe values.withUnsafeBufferPointer { source in
            unsafe [Int16](unsafeUninitializedCapacity: width * height) { target, count in
                for y in 0..<height {
                    let upper = 2 * y * self.width
                    let lower = upper + self.width
                    for x in 0..<width {
                        let above = unsafe Int32(source[upper &+ 2 &* x]) &+ Int32(source[upper &+ 2 &* x &+ 1])
                        let below = unsafe Int32(source[lower &+ 2 &* x]) &+ Int32(source[lower &+ 2 &* x &+ 1])
                        unsafe target[y &* width &+ x] = Int16(truncatingIfNeeded: (above &+ below &+ 2) >> 2)
                    }
                }
                count = width * height
            }
        }
        return PicturePlane(width: width, height: height, values: values)
    }
}

extension PicturePlane {
    /// Returns luma and both chroma planes (JFIF §7) of 8-bit RGB or RGBA pixels, row by row without padding.
    ///
    /// Transparent pixels are composited over middle grey.
    @safe
    static func planes(
        of pixels: UnsafeRawBufferPointer,
        width: Int,
        height: Int,
        bands: Int
    ) -> (luma: PicturePlane, blue: PicturePlane, red: PicturePlane) {
        let count = width * height
        precondition((3...4).contains(bands) && pixels.count >= count * bands)
        var blue: [Int16] = []
        var red: [Int16] = []
        let luma = unsafe [Int16](unsafeUninitializedCapacity: count) { luma, lumaCount in
            unsafe blue = [Int16](unsafeUninitializedCapacity: count) { blue, blueCount in
                unsafe red = [Int16](unsafeUninitializedCapacity: count) { red, redCount in
                    for index in 0..<count {
                        let start = index &* bands
                        var r = unsafe Int32(pixels[start])
                        var g = unsafe Int32(pixels[start &+ 1])
                        var b = unsafe Int32(pixels[start &+ 2])
                        if bands == 4 {
                            let alpha = unsafe Int32(pixels[start &+ 3])
                            let grey = (255 &- alpha) &* 128
                            r = (r &* alpha &+ grey) / 255
                            g = (g &* alpha &+ grey) / 255
                            b = (b &* alpha &+ grey) / 255
                        }
                        // In 1/256, then in sixteenths.
                        unsafe luma[index] = Int16(truncatingIfNeeded: (77 &* r &+ 150 &* g &+ 29 &* b) >> 4)
                        unsafe blue[index] = Int16(truncatingIfNeeded: (128 &* b &- 43 &* r &- 85 &* g) >> 4)
                        unsafe red[index] = Int16(truncatingIfNeeded: (128 &* r &- 107 &* g &- 21 &* b) >> 4)
                    }
                    redCount = count
                }
                blueCount = count
            }
            lumaCount = count
        }
        return (
            PicturePlane(width: width, height: height, values: luma),
            PicturePlane(width: width, height: height, values: blue),
            PicturePlane(width: width, height: height, values: red)
        )
    }
}
