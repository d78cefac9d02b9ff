/// A scan of a JPEG file (ITU-T T.81 §G.1).
struct JPEGScan {
    /// The components; a scan of more than one has MCUs.
    var components: [Int]
    /// The first and last zigzag position.
    var band = 0...63
    /// The bits that an earlier scan left for this one; 0 for the first scan of the band.
    var high = 0
    /// The bits that this scan leaves.
    var low = 0
    var isProgressive = false

    var isRefinement: Bool { high > 0 }

    /// The Huffman tables of a scan: 0 and 1 for DC, 2 and 3 for AC, each of luma and chroma.
    static let tableCount = 4

    /// The class and destination of a table in a file (§B.2.4.2).
    static func number(ofTable index: Int) -> UInt8 { UInt8(index & 2) << 3 | UInt8(index & 1) }

    /// Counts the scan's symbols.
    func counted(_ parts: [JPEGComponent]) -> JPEGSymbolCounter {
        var counter = JPEGSymbolCounter()
        walk(parts, into: &counter)
        return counter
    }

    /// Gives the scan's symbols to `sink`.
    func walk(_ parts: [JPEGComponent], into sink: inout some JPEGSymbolSink) {
        if !isProgressive || band.lowerBound == 0 {
            walkMCUs(parts, into: &sink)
        } else if isRefinement {
            var coder = JPEGRefinement(scan: self, component: components[0])
            coder.walk(parts[components[0]], into: &sink)
        } else {
            walkBand(parts[components[0]], into: &sink)
        }
    }

    private func walkMCUs(_ parts: [JPEGComponent], into sink: inout some JPEGSymbolSink) {
        if components.count == 1 {
            let part = parts[components[0]]
            var last = 0
            for row in 0..<part.rows {
                for column in 0..<part.columns {
                    code(part, row * part.storedColumns + column, components[0], &last, into: &sink)
                }
            }
            return
        }
        var last = [Int](repeating: 0, count: parts.count)
        let first = parts[0]
        let (columns, rows) = (first.storedColumns / first.sampling, first.storedRows / first.sampling)
        for row in 0..<rows {
            for column in 0..<columns {
                for component in components {
                    let part = parts[component]
                    for y in 0..<part.sampling {
                        for x in 0..<part.sampling {
                            let block =
                                (row &* part.sampling &+ y) &* part.storedColumns &+ column &* part.sampling &+ x
                            code(part, block, component, &last[component], into: &sink)
                        }
                    }
                }
            }
        }
    }

    /// Codes the DC coefficient of a block, and in sequential files the others.
    @inline(__always)
    private func code(
        _ part: JPEGComponent,
        _ block: Int,
        _ component: Int,
        _ last: inout Int,
        into sink: inout some JPEGSymbolSink
    ) {
        let chroma = component == 0 ? 0 : 1
        let coefficients = unsafe part.coefficients.start + block &* 64
        let dc = unsafe Int(coefficients[0])
        if isRefinement {
            sink.put(bits: UInt32(truncatingIfNeeded: dc &>> low) & 1, count: 1)
            return
        }
        let shifted = dc &>> low
        let difference = shifted &- last
        last = shifted
        let size = Self.size(of: difference)
        sink.put(size, table: chroma, bits: Self.bits(of: difference, size), count: size)
        guard !isProgressive else { return }
        var left = unsafe part.nonzero.start[block]
        var previous = 0
        while left != 0 {
            let position = left.trailingZeroBitCount
            left &= left &- 1
            var run = position &- previous &- 1
            previous = position
            while run > 15 {
                sink.put(0xF0, table: 2 &+ chroma, bits: 0, count: 0)
                run &-= 16
            }
            let value = unsafe Int(coefficients[part.order.start[position]])
            let size = Self.size(of: value)
            sink.put(run &<< 4 | size, table: 2 &+ chroma, bits: Self.bits(of: value, size), count: size)
        }
        if previous != 63 { sink.put(0, table: 2 &+ chroma, bits: 0, count: 0) }
    }

    /// Codes the first scan of a band (T.81 §G.1.2.2).
    private func walkBand(_ part: JPEGComponent, into sink: inout some JPEGSymbolSink) {
        let table = 2 + (components[0] == 0 ? 0 : 1)
        let inBand: UInt64 = (2 &<< UInt64(band.upperBound)) &- (1 &<< UInt64(band.lowerBound))
        var ends = 0
        for row in 0..<part.rows {
            for column in 0..<part.columns {
                let block = row &* part.storedColumns &+ column
                let coefficients = unsafe part.coefficients.start + block &* 64
                var left = unsafe part.nonzero.start[block] & inBand
                var previous = band.lowerBound &- 1
                while left != 0 {
                    let position = left.trailingZeroBitCount
                    left &= left &- 1
                    let exact = unsafe Int(coefficients[part.order.start[position]])
                    let value = exact < 0 ? -(-exact &>> low) : exact &>> low
                    if value == 0 { continue }
                    Self.putEnds(&ends, table, into: &sink)
                    var run = position &- previous &- 1
                    previous = position
                    while run > 15 {
                        sink.put(0xF0, table: table, bits: 0, count: 0)
                        run &-= 16
                    }
                    let size = Self.size(of: value)
                    sink.put(run &<< 4 | size, table: table, bits: Self.bits(of: value, size), count: size)
                }
                if previous != band.upperBound {
                    ends &+= 1
                    if ends == 0x7FFF { Self.putEnds(&ends, table, into: &sink) }
                }
            }
        }
        Self.putEnds(&ends, table, into: &sink)
    }

    /// Codes a number of blocks that end.
    @inline(__always)
    static func putEnds(_ ends: inout Int, _ table: Int, into sink: inout some JPEGSymbolSink) {
        guard ends > 0 else { return }
        let size = Int.bitWidth - 1 - ends.leadingZeroBitCount
        sink.put(size << 4, table: table, bits: UInt32(ends - 1 << size), count: size)
        ends = 0
    }

    /// The number of bits of a value's magnitude (T.81 §F.1.2.1.2).
    @inline(__always)
    static func size(of value: Int) -> Int { Int.bitWidth &- Int(value.magnitude).leadingZeroBitCount }

    /// The bits that follow a value's symbol: those of a negative value are of one less.
    @inline(__always)
    static func bits(of value: Int, _ size: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: value &+ (value &>> 63)) & ((1 &<< UInt32(size)) &- 1)
    }
}
