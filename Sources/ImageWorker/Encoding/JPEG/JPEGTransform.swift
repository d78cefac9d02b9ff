/// The forward DCT of a block of 8 × 8 samples by Arai, Agui and Nakajima (1988): five multiplications for eight samples.
///
/// The results are scaled; `scales` are the factors that turn them into T.81's coefficients.
enum JPEGTransform {
    /// The factors for one direction.
    private static let factors: [Float] = [
        1, 1.387039845, 1.306562965, 1.175875602, 1, 0.785694958, 0.541196100, 0.275899379,
    ]

    /// The factor of each coefficient; the same for the transposed block.
    static let scales: [Float] = (0..<64).map { 1 / (8 * factors[$0 % 8] * factors[$0 / 8]) }

    /// Transforms a block, and leaves it transposed: stored by columns.
    ///
    /// - Parameters:
    ///   - samples: the first sample, with `stride` samples from row to row.
    ///   - block: 64 values, aligned for vectors.
    @inline(__always)
    static func forward(_ samples: UnsafePointer<UInt8>, stride: Int, to block: UnsafeMutablePointer<Float>) {
        let out = UnsafeMutableRawPointer(block)
        // Down the columns, four at a time.
        for half in 0..<2 {
            var lanes = Lanes { row in
                let start: UnsafePointer<UInt8> = unsafe samples + (row &* stride &+ 4 &* half)
                let four = unsafe UnsafeRawPointer(start).loadUnaligned(as: SIMD4<UInt8>.self)
                return SIMD4<Float>(SIMD4<Int32>(truncatingIfNeeded: four))
            }
            // Level shift: only the sum of the eight rows is affected.
            lanes.transform()
            lanes.store { row, value in
                unsafe out.storeBytes(of: value, toByteOffset: (row &* 8 &+ 4 &* half) &* 4, as: SIMD4<Float>.self)
            }
        }
        // Along the rows: the rows of four are transposed to the columns of the next pass.
        let (top, bottom) = unsafe (Lanes(transposing: out, row: 0), Lanes(transposing: out, row: 4))
        for (half, quarter) in [(0, top), (1, bottom)] {
            var lanes = quarter
            lanes.transform()
            lanes.store { row, value in
                unsafe out.storeBytes(of: value, toByteOffset: (row &* 8 &+ 4 &* half) &* 4, as: SIMD4<Float>.self)
            }
        }
        unsafe block[0] -= 128 * 64
    }

    /// Eight rows of four lanes.
    private struct Lanes {
        var a, b, c, d, e, f, g, h: SIMD4<Float>

        @inline(__always)
        init(_ row: (Int) -> SIMD4<Float>) {
            (a, b, c, d) = (row(0), row(1), row(2), row(3))
            (e, f, g, h) = (row(4), row(5), row(6), row(7))
        }

        /// Loads four rows of eight values as eight rows of four.
        @inline(__always)
        init(transposing block: UnsafeMutableRawPointer, row: Int) {
            @inline(__always)
            func load(_ index: Int, _ half: Int) -> SIMD4<Float> {
                unsafe block.load(fromByteOffset: ((row &+ index) &* 8 &+ 4 &* half) &* 4, as: SIMD4<Float>.self)
            }
            (a, b, c, d) = Self.transposed(load(0, 0), load(1, 0), load(2, 0), load(3, 0))
            (e, f, g, h) = Self.transposed(load(0, 1), load(1, 1), load(2, 1), load(3, 1))
        }

        @inline(__always)
        private static func transposed(
            _ a: SIMD4<Float>,
            _ b: SIMD4<Float>,
            _ c: SIMD4<Float>,
            _ d: SIMD4<Float>
        ) -> (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>) {
            let (ab, cd) = (SIMD8(lowHalf: a, highHalf: b), SIMD8(lowHalf: c, highHalf: d))
            let even = SIMD8(lowHalf: ab.evenHalf, highHalf: cd.evenHalf)
            let odd = SIMD8(lowHalf: ab.oddHalf, highHalf: cd.oddHalf)
            return (even.evenHalf, odd.evenHalf, even.oddHalf, odd.oddHalf)
        }

        @inline(__always)
        func store(_ body: (Int, SIMD4<Float>) -> Void) {
            body(0, a)
            body(1, b)
            body(2, c)
            body(3, d)
            body(4, e)
            body(5, f)
            body(6, g)
            body(7, h)
        }

        /// Transforms the columns.
        @inline(__always)
        mutating func transform() {
            let (s07, d07, s16, d16) = (a + h, a - h, b + g, b - g)
            let (s25, d25, s34, d34) = (c + f, c - f, d + e, d - e)
            // Even part.
            let (s0734, d0734) = (s07 + s34, s07 - s34)
            let (s1625, d1625) = (s16 + s25, s16 - s25)
            a = s0734 + s1625
            e = s0734 - s1625
            let turned = (d1625 + d0734) * 0.707106781
            c = d0734 + turned
            g = d0734 - turned
            // Odd part.
            let low = d34 + d25
            let middle = (d25 + d16) * 0.707106781
            let high = d16 + d07
            let rotation = (low - high) * 0.382683433
            let lowTurned = low * 0.541196100 + rotation
            let highTurned = high * 1.306562965 + rotation
            let (sum, difference) = (d07 + middle, d07 - middle)
            f = difference + lowTurned
            d = difference - lowTurned
            b = sum + highTurned
            h = sum - highTurned
        }
    }
}
