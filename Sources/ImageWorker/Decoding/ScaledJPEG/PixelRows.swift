import CLanes

/// Rows of pixels of a strip's samples (JFIF §"Conversion to and from RGB").
struct PixelRows: ~Copyable {
    /// The bytes after the planes that are read with the last samples.
    static let padding = 8

    /// The bytes of a row, and some more.
    private(set) var bytes: [UInt8]
    private let width: Int
    private let bands: Int

    init(width: Int, bands: Int) {
        self.width = width
        self.bands = bands
        bytes = [UInt8](repeating: 0, count: (width + 8) * bands + 8)
    }

    /// Converts a row of samples.
    mutating func convert(_ strip: borrowing ScaledJPEG.Strip, row: Int) {
        let (plane, start, width) = (strip.stride * strip.height, row * strip.stride, width)
        guard bands == 3 else {
            for index in 0..<width { bytes[index] = strip.planes[start + index] }
            return
        }
        let samples = unsafe strip.planes.span.bytes
        var span = bytes.mutableSpan
        var pixels = unsafe span.mutableBytes
        for column in stride(from: 0, to: width, by: 8) {
            let place = start &+ column
            let packed = Self.packed(
                y: Self.eight(samples, at: place),
                cb: Self.eight(samples, at: place &+ plane),
                cr: Self.eight(samples, at: place &+ 2 &* plane)
            )
            Self.store(packed, to: &pixels, at: 3 &* column)
        }
    }

    /// Stores eight pixels of `packed` as 24 bytes, and two more.
    @inline(__always)
    static func store(_ packed: SIMD8<UInt32>, to pixels: inout MutableRawSpan, at offset: Int) {
        // Both are vectors of 32 bytes, and any bits are numbers.
        let pairs = unsafe unsafeBitCast(packed, to: SIMD4<UInt64>.self)
        let first = pairs & SIMD4(repeating: 0xFF_FFFF)
        let six = first | (pairs &>> 8 & SIMD4(repeating: 0xFFFF_FF00_0000))
        for pair in 0..<4 {
            pixels.storeBytes(of: six[pair].littleEndian, toByteOffset: offset &+ 6 &* pair, as: UInt64.self)
        }
    }

    @inline(__always)
    private static func eight(_ samples: RawSpan, at offset: Int) -> SIMD8<UInt8> {
        // Any bits are 8-bit numbers.
        unsafe samples.unsafeLoadUnaligned(fromByteOffset: offset, as: SIMD8<UInt8>.self)
    }

    /// Red, green and blue in the three lower bytes, by libjpeg's factors with 16 fractional bits, without their whole parts.
    @inline(__always)
    static func packed(y: SIMD8<UInt8>, cb: SIMD8<UInt8>, cr: SIMD8<UInt8>) -> SIMD8<UInt32> {
        let luma = SIMD8<Int16>(truncatingIfNeeded: y)
        let blue = SIMD8<Int16>(truncatingIfNeeded: cb) &- 128
        let red = SIMD8<Int16>(truncatingIfNeeded: cr) &- 128
        let low = SIMD8(blue[0], red[0], blue[1], red[1], blue[2], red[2], blue[3], red[3])
        let high = SIMD8(blue[4], red[4], blue[5], red[5], blue[6], red[6], blue[7], red[7])
        return byte(luma &+ red &+ products(low, high, 0, 26_345))
            | byte(luma &- red &+ products(low, high, -22_554, 18_734)) &<< 8
            | byte(luma &+ blue &+ blue &+ products(low, high, -14_942, 0)) &<< 16
    }

    /// The sums of both differences times their factors, rounded.
    @inline(__always)
    private static func products(_ low: SIMD8<Int16>, _ high: SIMD8<Int16>, _ blue: Int16, _ red: Int16) -> SIMD8<Int16>
    {
        let factors = SIMD8(blue, red, blue, red, blue, red, blue, red)
        let half = SIMD4<Int32>(repeating: 1 << 15)
        return edge_saturated_shorts(
            (edge_pairwise_products(low, factors) &+ half) &>> SIMD4(repeating: 16),
            (edge_pairwise_products(high, factors) &+ half) &>> SIMD4(repeating: 16)
        )
    }

    @inline(__always)
    private static func byte(_ values: SIMD8<Int16>) -> SIMD8<UInt32> {
        SIMD8<UInt32>(
            truncatingIfNeeded: values.clamped(lowerBound: SIMD8(repeating: 0), upperBound: SIMD8(repeating: 255))
        )
    }
}
