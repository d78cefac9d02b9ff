/// The bits that a run of zeros and the coefficient after it take, learnt from the blocks before.
@safe
struct JPEGRates {
    /// The bits for each run of up to 63 zeros and each size of up to 15 bits.
    private let bits = Samples<Float>(count: 64 * 16)
    /// How often each symbol occurred (ITU-T T.81 §F.1.2.2.1), beginning with a guess.
    private let counts = Samples<Float>(count: 256)
    /// The bits of the end of a block.
    private(set) var end: Float = 0

    /// The symbol of sixteen zeros; 0 is the end of a block.
    private static let sixteenZeros = 0xF0

    init() {
        for run in 0..<16 {
            // Each bit of a value halves its frequency; that of a run falls with the square of its length.
            for size in 1..<16 {
                unsafe counts.start[run << 4 | size] = 250 / (Float(1 << size) * (1 + Float(run * run) / 4))
            }
        }
        unsafe counts.start[Self.sixteenZeros] = 0.3
        unsafe counts.start[0] = 100
        learn()
    }

    /// The bits of `run` zeros and a value with a magnitude of `size` bits.
    @inline(__always)
    subscript(run: Int, size: Int) -> Float { unsafe bits.start[run &<< 4 &+ size] }

    /// Counts the symbols of a run and a value.
    @inline(__always)
    mutating func count(run: Int, size: Int) {
        unsafe counts.start[(run & 15) &<< 4 | size] += 1
        if run > 15 { unsafe counts.start[Self.sixteenZeros] += Float(run &>> 4) }
    }

    /// Counts the end of a block.
    @inline(__always)
    mutating func countEnd() { unsafe counts.start[0] += 1 }

    /// Computes the bits from what was counted.
    mutating func learn() {
        var total: Float = 0
        for symbol in 0..<256 { unsafe total += counts.start[symbol] }
        let most = Self.logarithm(total)
        func code(_ symbol: Int) -> Float {
            // The longest and the shortest code that a table can state.
            unsafe min(16, max(1, most - Self.logarithm(max(counts.start[symbol], 0.001))))
        }
        end = code(0)
        let skip = code(Self.sixteenZeros)
        for run in 0..<16 {
            for size in 1..<16 {
                let symbol = code(run << 4 | size) + Float(size)
                for skips in 0..<4 { unsafe bits.start[(run + 16 * skips) << 4 | size] = symbol + Float(skips) * skip }
            }
        }
    }

    /// Returns the binary logarithm of a positive number with an error below 0.01, the same on every processor.
    private static func logarithm(_ value: Float) -> Float {
        let part = value.significand
        return Float(value.exponent) + (2 - part / 3) * part - 5 / 3
    }
}
