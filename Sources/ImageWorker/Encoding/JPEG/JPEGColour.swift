import CLanes

/// Converts rows of RGB to rows of Y, Cb and Cr (JFIF §7), with colours at half or full resolution.
@safe
struct JPEGColour {
    let width: Int
    let height: Int
    /// The interleaved samples of a pixel: 1 for grey, 3 for RGB.
    let bands: Int
    /// 2 for 4:2:0, else 1.
    let sampling: Int
    /// The rows of MCUs of each component that `convert` made last.
    let strips: [JPEGStrip]

    init(width: Int, height: Int, bands: Int, sampling: Int) {
        self.width = width
        self.height = height
        self.bands = bands
        self.sampling = sampling
        let mcus = (width + 8 * sampling - 1) / (8 * sampling)
        let luma = JPEGStrip(stride: mcus * 8 * sampling, rows: 8 * sampling)
        strips = [luma] + (1..<bands).map { _ in JPEGStrip(stride: mcus * 8, rows: 8) }
    }

    /// Converts the strip of MCUs that begins at row `top`; the last column and row are repeated as far as needed.
    func convert(_ pixels: UnsafeRawBufferPointer, from top: Int) {
        guard let pixels = unsafe pixels.bindMemory(to: UInt8.self).baseAddress else { return }
        for row in 0..<8 * sampling {
            let source = unsafe pixels + min(top + row, height - 1) * width * bands
            let target = unsafe strips[0].row(row)
            if bands == 1 {
                unsafe target.update(from: source, count: width)
            } else {
                unsafe convertLuma(source, to: target)
            }
            unsafe repeatLast(target, width, strips[0].stride)
        }
        guard bands == 3 else { return }
        for row in 0..<8 {
            let (b, r) = unsafe (strips[1].row(row), strips[2].row(row))
            let first = unsafe pixels + min(top + row * sampling, height - 1) * width * 3
            let second = unsafe pixels + min(top + row * sampling + sampling - 1, height - 1) * width * 3
            if sampling == 2 {
                unsafe convertHalf(first, second, b, r)
            } else {
                unsafe convertFull(first, b, r)
            }
            let made = (width + sampling - 1) / sampling
            unsafe repeatLast(b, made, strips[1].stride)
            unsafe repeatLast(r, made, strips[1].stride)
        }
    }

    private func repeatLast(_ row: UnsafeMutablePointer<UInt8>, _ made: Int, _ count: Int) {
        for index in made..<count { unsafe row[index] = row[made - 1] }
    }

    @inline(__always)
    private func convertLuma(_ source: UnsafePointer<UInt8>, to target: UnsafeMutablePointer<UInt8>) {
        // The last pixel of a vector is read with the byte after it.
        let whole = max(0, width - 1) / 16 * 16
        for x in stride(from: 0, to: whole, by: 16) {
            let place = unsafe UnsafeRawPointer(source + 3 &* x)
            let samples = unsafe edge_saturated_bytes(
                Pixels(place).luma,
                Pixels(place + 12).luma,
                Pixels(place + 24).luma,
                Pixels(place + 36).luma
            )
            unsafe UnsafeMutableRawPointer(target + x).storeBytes(of: samples, as: SIMD16<UInt8>.self)
        }
        for x in whole..<width {
            let (r, g, b) = unsafe (Int32(source[3 &* x]), Int32(source[3 &* x &+ 1]), Int32(source[3 &* x &+ 2]))
            let sum = 19_595 &* r &+ 38_470 &* g &+ 7471 &* b &+ 32_768
            unsafe target[x] = UInt8(truncatingIfNeeded: sum &>> 16)
        }
    }

    @inline(__always)
    private func convertFull(
        _ source: UnsafePointer<UInt8>,
        _ blue: UnsafeMutablePointer<UInt8>,
        _ red: UnsafeMutablePointer<UInt8>
    ) {
        for x in 0..<width {
            let (r, g, b) = unsafe (Int32(source[3 &* x]), Int32(source[3 &* x &+ 1]), Int32(source[3 &* x &+ 2]))
            unsafe blue[x] = Self.blue(r, g, b, fraction: 16)
            unsafe red[x] = Self.red(r, g, b, fraction: 16)
        }
    }

    @inline(__always)
    private func convertHalf(
        _ first: UnsafePointer<UInt8>,
        _ second: UnsafePointer<UInt8>,
        _ blue: UnsafeMutablePointer<UInt8>,
        _ red: UnsafeMutablePointer<UInt8>
    ) {
        @inline(__always)
        func sum(_ left: Int, _ right: Int) -> Int32 {
            unsafe Int32(first[left]) &+ Int32(first[right]) &+ Int32(second[left]) &+ Int32(second[right])
        }
        // The last pixel of a vector is read with the byte after it.
        let whole = max(0, width - 1) / 16 * 8
        for x in stride(from: 0, to: whole, by: 8) {
            let (upper, lower) = unsafe (UnsafeRawPointer(first + 6 &* x), UnsafeRawPointer(second + 6 &* x))
            let left = unsafe Pixels(sumOfPairs: Pixels(upper) + Pixels(lower), Pixels(upper + 12) + Pixels(lower + 12))
            let right = unsafe Pixels(
                sumOfPairs: Pixels(upper + 24) + Pixels(lower + 24),
                Pixels(upper + 36) + Pixels(lower + 36)
            )
            let samples = edge_saturated_bytes(left.blueOfFour, right.blueOfFour, left.redOfFour, right.redOfFour)
            unsafe UnsafeMutableRawPointer(blue + x).storeBytes(of: samples.lowHalf, as: SIMD8<UInt8>.self)
            unsafe UnsafeMutableRawPointer(red + x).storeBytes(of: samples.highHalf, as: SIMD8<UInt8>.self)
        }
        for x in whole..<width / 2 {
            let place = 6 &* x
            let (r, g, b) = (sum(place, place &+ 3), sum(place &+ 1, place &+ 4), sum(place &+ 2, place &+ 5))
            unsafe blue[x] = Self.blue(r, g, b, fraction: 18)
            unsafe red[x] = Self.red(r, g, b, fraction: 18)
        }
        guard !width.isMultiple(of: 2) else { return }
        let place = 3 * (width - 1)
        let (r, g, b) = (sum(place, place), sum(place + 1, place + 1), sum(place + 2, place + 2))
        unsafe blue[width / 2] = Self.blue(r, g, b, fraction: 18)
        unsafe red[width / 2] = Self.red(r, g, b, fraction: 18)
    }

    @inline(__always)
    private static func blue(_ r: Int32, _ g: Int32, _ b: Int32, fraction: Int32) -> UInt8 {
        // A half less a little rounds, and keeps the largest value within a byte.
        let half = (128 &<< fraction) &+ (1 &<< (fraction &- 1)) &- 1
        return UInt8(truncatingIfNeeded: (half &- 11_059 &* r &- 21_709 &* g &+ 32_768 &* b) &>> fraction)
    }

    @inline(__always)
    private static func red(_ r: Int32, _ g: Int32, _ b: Int32, fraction: Int32) -> UInt8 {
        let half = (128 &<< fraction) &+ (1 &<< (fraction &- 1)) &- 1
        return UInt8(truncatingIfNeeded: (half &+ 32_768 &* r &- 27_439 &* g &- 5329 &* b) &>> fraction)
    }
}

extension JPEGColour {
    /// Four pixels, or sums of as many of them, in 16 bits each.
    fileprivate struct Pixels {
        private typealias Pairs = SIMD8<Int16>

        /// Red in the lower half of each number, blue in the upper.
        private var redBlue: SIMD4<UInt32>
        private var green: SIMD4<UInt32>

        /// Reads four pixels and one more byte.
        @inline(__always)
        init(_ source: UnsafeRawPointer) {
            let words = unsafe SIMD4(
                source.loadUnaligned(as: UInt32.self),
                source.loadUnaligned(fromByteOffset: 3, as: UInt32.self),
                source.loadUnaligned(fromByteOffset: 6, as: UInt32.self),
                source.loadUnaligned(fromByteOffset: 9, as: UInt32.self)
            )
            redBlue = words & SIMD4(repeating: 0x00FF_00FF)
            green = (words &>> 8) & SIMD4(repeating: 0xFF)
        }

        /// Adds the pixels of eight that are next to each other.
        @inline(__always)
        init(sumOfPairs left: Pixels, _ right: Pixels) {
            let (both, greens) = (
                SIMD8(lowHalf: left.redBlue, highHalf: right.redBlue), SIMD8(lowHalf: left.green, highHalf: right.green)
            )
            redBlue = both.evenHalf &+ both.oddHalf
            green = greens.evenHalf &+ greens.oddHalf
        }

        @inline(__always)
        static func + (left: Pixels, right: Pixels) -> Pixels {
            var sum = left
            sum.redBlue &+= right.redBlue
            sum.green &+= right.green
            return sum
        }

        @inline(__always)
        private static func products(_ pairs: SIMD4<UInt32>, _ low: Int16, _ high: Int16) -> SIMD4<Int32> {
            // Both are vectors of 16 bytes, and any bits are numbers.
            let pairs = unsafe unsafeBitCast(pairs, to: Pairs.self)
            return edge_pairwise_products(pairs, Pairs(low, high, low, high, low, high, low, high))
        }

        /// The luma of pixels, as of `convertLuma`.
        @inline(__always)
        var luma: SIMD4<Int32> {
            // The factor of green is too large for 16 bits.
            let sum =
                Self.products(redBlue, 19_595, 7471)
                &+ Self.products(green | green &<< 16, 19_235, 19_235) &+ SIMD4(repeating: 32_768)
            return sum &>> 16
        }

        /// Cb of sums of four pixels, as of `blue`.
        @inline(__always)
        var blueOfFour: SIMD4<Int32> {
            let blue = SIMD4<Int32>(truncatingIfNeeded: redBlue &>> 16) &<< 15
            let rest = Self.products((redBlue & SIMD4(repeating: 0xFFFF)) | green &<< 16, -11_059, -21_709)
            return (SIMD4(repeating: Self.half) &+ blue &+ rest) &>> 18
        }

        /// Cr of sums of four pixels, as of `red`.
        @inline(__always)
        var redOfFour: SIMD4<Int32> {
            let red = SIMD4<Int32>(truncatingIfNeeded: redBlue & SIMD4(repeating: 0xFFFF)) &<< 15
            let rest = Self.products(green | (redBlue & SIMD4(repeating: 0xFFFF_0000)), -27_439, -5329)
            return (SIMD4(repeating: Self.half) &+ red &+ rest) &>> 18
        }

        private static var half: Int32 { 128 << 18 + 1 << 17 - 1 }
    }
}

/// Rows of samples of one component, as wide as its blocks.
@safe
struct JPEGStrip {
    let samples: Samples<UInt8>
    /// The samples of a row.
    let stride: Int

    init(stride: Int, rows: Int) {
        samples = Samples(count: stride * rows)
        self.stride = stride
    }

    /// The first sample of a row.
    func row(_ index: Int) -> UnsafeMutablePointer<UInt8> { unsafe samples.start + index * stride }
}
