/// Codes a later scan of a band, which adds one bit to each coefficient (ITU-T T.81 §G.1.2.3).
struct JPEGRefinement {
    let scan: JPEGScan
    let component: Int
    private var ends = 0
    /// Bits for coefficients that were nonzero before, of blocks that end.
    private var waiting: [UInt8] = []

    init(scan: JPEGScan, component: Int) {
        self.scan = scan
        self.component = component
    }

    mutating func walk(_ part: JPEGComponent, into sink: inout some JPEGSymbolSink) {
        let table = 2 + (component == 0 ? 0 : 1)
        let band = scan.band
        let inBand: UInt64 = (2 &<< UInt64(band.upperBound)) &- (1 &<< UInt64(band.lowerBound))
        var corrections: [UInt8] = []
        for row in 0..<part.rows {
            for column in 0..<part.columns {
                let block = row * part.storedColumns + column
                let coefficients = unsafe part.coefficients.start + block &* 64
                let nonzero = unsafe part.nonzero.start[block] & inBand
                // The last coefficient that becomes nonzero in this scan.
                var lastNew = -1
                var left = nonzero
                while left != 0 {
                    let position = left.trailingZeroBitCount
                    left &= left &- 1
                    if unsafe coefficients[part.order.start[position]].magnitude &>> UInt16(scan.low) == 1 {
                        lastNew = position
                    }
                }
                corrections.removeAll(keepingCapacity: true)
                var run = 0
                for position in band {
                    let value = unsafe coefficients[part.order.start[position]]
                    let magnitude = value.magnitude &>> UInt16(scan.low)
                    if magnitude == 0 {
                        run += 1
                        continue
                    }
                    while run > 15, position <= lastNew {
                        flush(table, into: &sink)
                        sink.put(0xF0, table: table, bits: 0, count: 0)
                        run -= 16
                        put(&corrections, into: &sink)
                    }
                    if magnitude > 1 {
                        corrections.append(UInt8(magnitude & 1))
                        continue
                    }
                    flush(table, into: &sink)
                    sink.put(run << 4 | 1, table: table, bits: value < 0 ? 0 : 1, count: 1)
                    put(&corrections, into: &sink)
                    run = 0
                }
                if run > 0 || !corrections.isEmpty {
                    ends += 1
                    waiting += corrections
                    // As in libjpeg, decoders need not hold more bits.
                    if ends == 0x7FFF || waiting.count > 1000 - 63 { flush(table, into: &sink) }
                }
            }
        }
        flush(table, into: &sink)
    }

    private mutating func flush(_ table: Int, into sink: inout some JPEGSymbolSink) {
        JPEGScan.putEnds(&ends, table, into: &sink)
        put(&waiting, into: &sink)
    }

    private func put(_ bits: inout [UInt8], into sink: inout some JPEGSymbolSink) {
        for bit in bits { sink.put(bits: UInt32(bit), count: 1) }
        bits.removeAll(keepingCapacity: true)
    }
}
