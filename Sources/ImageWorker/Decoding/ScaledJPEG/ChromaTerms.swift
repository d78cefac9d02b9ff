import CLanes

/// What the chroma of eight pixels adds to their luma in each band.
///
/// By libjpeg's factors with 16 fractional bits, without their whole parts. The standard library's conversions and comparisons of
/// vectors are calls of functions, and its subscripts keep lanes outside of vectors: hence the instructions of `CLanes`.
struct ChromaTerms {
    private(set) var red: SIMD8<Int16>
    private(set) var green: SIMD8<Int16>
    private(set) var blue: SIMD8<Int16>

    @inline(__always)
    init(cb: SIMD8<UInt8>, cr: SIMD8<UInt8>) {
        let (blue, red) = (edge_widened(cb) &- 128, edge_widened(cr) &- 128)
        let (low, high) = (edge_interleaved_low(blue, red), edge_interleaved_high(blue, red))
        self.red = red &+ Self.products(low, high, 0, 26_345)
        green = Self.products(low, high, -22_554, 18_734) &- red
        self.blue = blue &+ blue &+ Self.products(low, high, -14_942, 0)
    }

    /// The terms of the first four and of the last four, each for two pixels.
    @inline(__always)
    var doubled: (ChromaTerms, ChromaTerms) {
        var (first, last) = (self, self)
        first.red = edge_interleaved_low(red, red)
        first.green = edge_interleaved_low(green, green)
        first.blue = edge_interleaved_low(blue, blue)
        last.red = edge_interleaved_high(red, red)
        last.green = edge_interleaved_high(green, green)
        last.blue = edge_interleaved_high(blue, blue)
        return (first, last)
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
}
