/// Quantises the blocks of one component so that bits and visible error are balanced.
///
/// Each coefficient is rounded. Then, from the last to the first, one is lowered by one or dropped if its bits are worth more than the
/// squared error, in quantisation steps. The price of a bit rises with the activity of the block, whose structure hides errors,
/// and with the frequency. The bits are those of Huffman codes for the blocks before (`JPEGRates`).
@safe
struct JPEGQuantiser {
    /// For each stored coefficient, the factor from the transform's result to quantisation steps.
    private let factors = Samples<Float>(count: 64)
    /// For each stored coefficient, the square of its step, by which activity does not depend on the quality; 0 for the mean.
    private let squares = Samples<Float>(count: 64)
    /// For each zigzag position, the price of a bit in squared steps, in a block without activity; 0 to round only.
    private let prices = Samples<Float>(count: 64)
    private let isWeighing: Bool
    private let block = Samples<Float>(count: 64)
    /// The exact values of the block in steps.
    private let exact = Samples<Float>(count: 64)
    private let spread = Samples(JPEGOrder.spread)
    private let order = Samples(JPEGOrder.stored)
    private var rates = JPEGRates()

    /// The activity (the sum of squared coefficients) at which the price of a bit has doubled.
    private static let doublingActivity: Float = 20_000
    /// The most by which activity raises the price.
    private static let highestPrice: Float = 5
    /// The prices of a bit, and by what share they are higher at the highest frequency.
    private static let luma: (price: Float, rise: Float) = (0.03, 0.2)
    private static let chroma: (price: Float, rise: Float) = (0.008, 0.2)

    /// Creates a quantiser for a table in the order column + 8 · row.
    init(table: [Int], isLuma: Bool, effort: JPEGEncoder.Effort) {
        isWeighing = effort >= .weighed
        let (price, rise) = isLuma ? Self.luma : Self.chroma
        for (index, step) in table.enumerated() {
            let stored = index % 8 * 8 + index / 8
            unsafe factors.start[stored] = JPEGTransform.scales[index] / Float(step)
            unsafe squares.start[stored] = index == 0 ? 0 : Float(step * step)
            unsafe prices.start[index] = price * (1 + rise * Float(index) / 63)
        }
    }

    /// Transforms and quantises a row of MCUs.
    mutating func quantise(_ strip: JPEGStrip, _ row: Int, to part: JPEGComponent) {
        for inner in 0..<part.sampling {
            let line = row * part.sampling + inner
            for column in 0..<part.storedColumns {
                let place = line * part.storedColumns + column
                let coefficients = unsafe part.coefficients.start + place * 64
                guard column < part.columns, line < part.rows else {
                    // A block outside the picture costs least if it equals the one before in the order of the file: below the
                    // picture, that is the last of the same MCU's blocks above.
                    let before = line < part.rows ? place - 1 : place - part.storedColumns | 1
                    if before >= 0 { unsafe coefficients[0] = part.coefficients.start[before * 64] }
                    continue
                }
                unsafe JPEGTransform.forward(strip.row(inner * 8) + column * 8, stride: strip.stride, to: block.start)
                unsafe part.nonzero.start[place] = quantise(to: coefficients)
            }
        }
        if isWeighing { rates.learn() }
    }

    /// Quantises the transformed block, and returns its nonzero coefficients as `JPEGComponent.nonzero` holds them.
    @inline(__always)
    private mutating func quantise(to coefficients: UnsafeMutablePointer<Int16>) -> UInt64 {
        // Adding it rounds a float to an integer in the low bits of its significand.
        let rounder = SIMD8<Float>(repeating: 12_582_912)
        var activity = SIMD8<Float>()
        var mask: UInt64 = 0
        for column in 0..<8 {
            let value = Self.lanes(block, column) * Self.lanes(factors, column)
            unsafe UnsafeMutableRawPointer(exact.start)
                .storeBytes(of: value, toByteOffset: column &* 32, as: SIMD8<Float>.self)
            activity += value * value * Self.lanes(squares, column)
            let rounded = unsafe unsafeBitCast(value + rounder, to: SIMD8<Int32>.self) &- 0x4B40_0000
            let level = SIMD8<Int16>(truncatingIfNeeded: rounded)
            unsafe UnsafeMutableRawPointer(coefficients)
                .storeBytes(of: level, toByteOffset: column &* 16, as: SIMD8<Int16>.self)
            // All ones where a level is not zero; a comparison of integers is not compiled to vector instructions.
            let filled = (level | (0 &- level)) &>> 15
            let halves = unsafe unsafeBitCast(filled & SIMD8(1, 2, 4, 8, 16, 32, 64, 128), to: SIMD2<UInt64>.self)
            var byte = halves[0] | halves[1]
            byte |= byte &>> 32
            byte |= byte &>> 16
            mask |= unsafe spread.start[column &<< 8 | Int(truncatingIfNeeded: byte & 0xFF)]
        }
        // Bit 0 would be the mean.
        mask &= ~1
        guard isWeighing else { return mask }
        let factor = min(Self.highestPrice, 1 + activity.sum() / Self.doublingActivity)
        if mask != 0 { mask = unsafe weigh(mask, coefficients, factor) }
        unsafe count(mask, coefficients)
        return mask
    }

    @inline(__always)
    private static func lanes(_ values: Samples<Float>, _ column: Int) -> SIMD8<Float> {
        unsafe UnsafeRawPointer(values.start).load(fromByteOffset: column &* 32, as: SIMD8<Float>.self)
    }

    /// Lowers and drops coefficients, and returns those that are left.
    ///
    /// - Parameter factor: the factor of prices for the block.
    private mutating func weigh(
        _ mask: UInt64,
        _ coefficients: UnsafeMutablePointer<Int16>,
        _ factor: Float
    ) -> UInt64 {
        var left = mask
        var kept = mask
        // The coefficient after this one that is kept; 64 for the end of the block.
        var (next, nextSize) = (64, 0)
        while left != 0 {
            let position = 63 &- left.leadingZeroBitCount
            left &= (1 &<< UInt64(position)) &- 1
            let previous = left == 0 ? 0 : 63 &- left.leadingZeroBitCount
            let place = unsafe order.start[position]
            let price = unsafe prices.start[position] * factor
            let signed = unsafe coefficients[place]
            let level = Int(signed.magnitude)
            let value = unsafe abs(exact.start[place])
            let size = JPEGScan.size(of: level)
            let run = position &- previous &- 1
            let after = next < 64 ? rates[next &- position &- 1, nextSize] : position == 63 ? 0 : rates.end
            let error = value - Float(level)
            var best = error * error + price * (rates[run, size] + after)
            var chosen = level
            if level > 1 {
                let lower = JPEGScan.size(of: level &- 1)
                let cost = (error + 1) * (error + 1) + price * (rates[run, lower] + after)
                if cost < best { (best, chosen) = (cost, level &- 1) }
            }
            if level <= 2 {
                let joined = next < 64 ? rates[next &- previous &- 1, nextSize] : rates.end
                if value * value + price * joined < best { chosen = 0 }
            }
            if chosen != level {
                let magnitude = Int16(truncatingIfNeeded: chosen)
                unsafe coefficients[place] = signed < 0 ? 0 &- magnitude : magnitude
            }
            if chosen == 0 {
                kept &= ~(1 &<< UInt64(position))
            } else {
                (next, nextSize) = (position, JPEGScan.size(of: chosen))
            }
        }
        return kept
    }

    /// Counts the symbols of a block for the rates of later ones.
    @inline(__always)
    private mutating func count(_ mask: UInt64, _ coefficients: UnsafePointer<Int16>) {
        var left = mask
        var previous = 0
        while left != 0 {
            let position = left.trailingZeroBitCount
            left &= left &- 1
            let size = unsafe JPEGScan.size(of: Int(coefficients[order.start[position]]))
            rates.count(run: position &- previous &- 1, size: size)
            previous = position
        }
        if previous != 63 { rates.countEnd() }
    }
}
