/// A place in a stream of bits, the next of which are in a register.
struct BitCursor {
    /// The next bits, in the upper end.
    private(set) var bits: UInt64 = 0
    /// The number of valid bits in its lower six bits; those after them are valid, too, but will be loaded again.
    private var count: UInt64 = 0
    /// The offset of the next byte to load.
    var place = 0

    /// The bits that have been read.
    var consumed: Int { place * 8 - Int(count & 63) }

    /// Loads bytes, so that at least 56 bits are valid.
    @inline(__always)
    mutating func refill(_ data: RawSpan) {
        // Any eight bytes are a number.
        let next = unsafe data.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self)
        let valid = count & 63
        bits |= UInt64(bigEndian: next) &>> valid
        place &+= Int((63 &- valid) &>> 3)
        count = valid | 56
    }

    /// Drops as many bits as the lower six bits of a number say.
    @inline(__always)
    mutating func drop(_ number: UInt64) {
        bits = bits &<< number
        count = count &- number
    }

    /// Reads the next coefficients of a block: one or two, or its end.
    @inline(__always)
    mutating func step(
        _ block: inout MutableSpan<Int16>,
        _ last: inout Int,
        _ entries: Span<EntropyTables.Entry>,
        _ places: Span<UInt8>,
        _ codes: CanonicalCodes
    ) throws(EntropyReader.Failure) {
        let entry = entries[Int(bits &>> UInt64(64 - EntropyTables.acBits))]
        if entry & 0x80 != 0 {
            last &+= Int(entry &>> 8 & 0xFF)
            block[Int(places[last])] = Int16(truncatingIfNeeded: entry &>> 16)
            if last == 63 { return drop(entry &>> 40) }
            drop(entry)
            last &+= Int(entry &>> 32 & 0xFF)
            block[Int(places[last])] = Int16(truncatingIfNeeded: entry &>> 48)
        } else if entry != 0 {
            drop(entry)
            last &+= Int(entry &>> 8 & 0xFF)
            block[Int(places[last])] = value(entry &>> 48)
        } else {
            let symbol = try symbol(codes)
            last &+= EntropyTables.advance(of: symbol)
            if symbol & 15 > 0 { block[Int(places[last])] = value(UInt64(symbol & 15)) }
        }
    }

    /// Reads a value of a size of 1–15 bits (§F.2.2.1, EXTEND).
    @inline(__always)
    mutating func value(_ size: UInt64) -> Int16 {
        let number = Int32(truncatingIfNeeded: bits &>> (64 &- size))
        drop(size)
        let half: Int32 = 1 &<< Int32(truncatingIfNeeded: size &- 1)
        return Int16(truncatingIfNeeded: number < half ? number &- (half &<< 1) &+ 1 : number)
    }

    /// Reads a code of any length, and returns its symbol.
    @inline(never)
    mutating func symbol(_ codes: CanonicalCodes) throws(EntropyReader.Failure) -> UInt8 {
        guard let found = codes.first(in: Int(bits &>> 48)) else { throw .damaged }
        drop(UInt64(found.length))
        return found.symbol
    }
}
