/// The coding of 8 × 8 samples in a `PlanesFile`: differences to the row above, with as few bits as the largest of them needs.
///
/// A row is a number of eight lanes, so that eight samples are coded at once.
enum PlaneBlock {
    /// The samples per side.
    static let side = 8
    /// The most bytes of a coded block.
    static let largest = 64

    private typealias Lanes = UInt64

    @inline(__always)
    private static func all(_ lane: UInt64) -> Lanes { lane &* 0x0101_0101_0101_0101 }

    // MARK: - Encoding

    /// Codes a block.
    ///
    /// - Parameters:
    ///   - samples: the plane; the row above the block's first one is `stride` bytes before it.
    ///   - offset: that of the block's first sample.
    ///   - target: room for `largest` bytes at `place`.
    /// - Returns: the bits per difference, 0–8, which is also the number of words of 8 bytes that were written.
    @inline(__always)
    static func encode(
        _ samples: RawSpan,
        at offset: Int,
        stride: Int,
        to target: inout MutableRawSpan,
        at place: Int
    ) -> Int {
        var rows: InlineArray<8, Lanes> = .init(repeating: 0)
        var above = lanes(samples, at: offset &- stride)
        var used: Lanes = 0
        for row in 0..<side {
            let own = lanes(samples, at: offset &+ row &* stride)
            rows[row] = folded(difference(own, above))
            used |= rows[row]
            above = own
        }
        used |= used &>> 32
        used |= used &>> 16
        used |= used &>> 8
        let bits = 8 - UInt8(truncatingIfNeeded: used).leadingZeroBitCount
        var place = place
        if bits == 8 {
            for row in 0..<side { store(rows[row], to: &target, at: &place) }
            return bits
        }
        if bits & 4 != 0 {
            for pair in 0..<4 {
                let (first, second) = (rows[2 &* pair] & all(15), rows[2 &* pair &+ 1] & all(15))
                store(first | second &<< 4, to: &target, at: &place)
            }
            for row in 0..<side { rows[row] = rows[row] &>> 4 & all(15) }
        }
        if bits & 2 != 0 {
            for half in 0..<2 {
                var word: Lanes = 0
                for row in 0..<4 { word |= (rows[4 &* half &+ row] & all(3)) &<< (2 &* UInt64(row)) }
                store(word, to: &target, at: &place)
            }
            for row in 0..<side { rows[row] = rows[row] &>> 2 & all(3) }
        }
        if bits & 1 != 0 {
            var word: Lanes = 0
            for row in 0..<side { word |= (rows[row] & all(1)) &<< UInt64(row) }
            store(word, to: &target, at: &place)
        }
        return bits
    }

    /// Maps signed differences to numbers that are small for small differences: 0, -1, 1, -2 and so on to 0, 1, 2, 3.
    @inline(__always)
    private static func folded(_ differences: Lanes) -> Lanes {
        let negative = (differences &>> 7 & all(1)) &* 255
        return (differences & all(0x7F)) &<< 1 ^ negative
    }

    // MARK: - Decoding

    /// Decodes a block.
    ///
    /// - Parameters:
    ///   - bits: the bits per difference, 0–8; `words` has as many words of 8 bytes at `place`.
    ///   - samples: the plane, as for `encode`.
    @inline(__always)
    static func decode(
        _ words: RawSpan,
        at place: Int,
        bits: Int,
        to samples: inout MutableRawSpan,
        at offset: Int,
        stride: Int
    ) {
        var rows: InlineArray<8, Lanes> = .init(repeating: 0)
        var place = place
        if bits == 8 {
            for row in 0..<side { rows[row] = next(words, at: &place) }
        } else {
            var shift: UInt64 = 0
            if bits & 4 != 0 {
                for pair in 0..<4 {
                    let word = next(words, at: &place)
                    rows[2 &* pair] = word & all(15)
                    rows[2 &* pair &+ 1] = word &>> 4 & all(15)
                }
                shift = 4
            }
            if bits & 2 != 0 {
                for half in 0..<2 {
                    let word = next(words, at: &place)
                    for row in 0..<4 {
                        rows[4 &* half &+ row] |= (word &>> (2 &* UInt64(row)) & all(3)) &<< shift
                    }
                }
                shift &+= 2
            }
            if bits & 1 != 0 {
                let word = next(words, at: &place)
                for row in 0..<side { rows[row] |= (word &>> UInt64(row) & all(1)) &<< shift }
            }
        }
        var above = lanes(samples.bytes, at: offset &- stride)
        for row in 0..<side {
            above = sum(above, unfolded(rows[row]))
            samples.storeBytes(of: above.littleEndian, toByteOffset: offset &+ row &* stride, as: Lanes.self)
        }
    }

    @inline(__always)
    private static func unfolded(_ folded: Lanes) -> Lanes { folded &>> 1 & all(0x7F) ^ (folded & all(1)) &* 255 }

    // MARK: - Lanes

    /// Adds lane by lane, without a carry into the next.
    @inline(__always)
    private static func sum(_ left: Lanes, _ right: Lanes) -> Lanes {
        ((left & all(0x7F)) &+ (right & all(0x7F))) ^ ((left ^ right) & all(0x80))
    }

    /// Subtracts lane by lane, without a borrow from the next.
    @inline(__always)
    private static func difference(_ left: Lanes, _ right: Lanes) -> Lanes {
        ((left | all(0x80)) &- (right & all(0x7F))) ^ ((left ^ ~right) & all(0x80))
    }

    @inline(__always)
    private static func lanes(_ bytes: RawSpan, at offset: Int) -> Lanes {
        // Any eight bytes are a number.
        unsafe Lanes(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Lanes.self))
    }

    @inline(__always)
    private static func next(_ bytes: RawSpan, at place: inout Int) -> Lanes {
        defer { place &+= 8 }
        return lanes(bytes, at: place)
    }

    @inline(__always)
    private static func store(_ word: Lanes, to target: inout MutableRawSpan, at place: inout Int) {
        target.storeBytes(of: word.littleEndian, toByteOffset: place, as: Lanes.self)
        place &+= 8
    }
}
