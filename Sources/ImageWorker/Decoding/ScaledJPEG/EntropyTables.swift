/// The Huffman tables of a baseline JPEG, prepared for reading up to two coefficients at once (ITU-T T.81 §C, §F.2.2).
///
/// A table of AC coefficients is looked up by the next eleven bits. Where these hold a code and the bits of its value, and perhaps
/// those of the next coefficient as well, an entry has the results of both.
struct EntropyTables {
    /// What the next bits hold, for AC coefficients.
    ///
    /// ```
    /// bits 0–5    length of everything, in bits
    /// bit 6       the value follows: bits 48–51 are its size
    /// bit 7       the coefficients are here
    /// bits 8–15   the advance to the first coefficient; 128 ends the block
    /// bits 16–31  its value
    /// bits 32–39  the advance from there to the second; 0 if there is none, and then with the value of the first
    /// bits 40–45  the length of the first, in bits
    /// bits 48–63  the value of the second
    /// ```
    /// 0 stands for a longer code.
    typealias Entry = UInt64

    /// The bits by which AC tables are looked up, and those for DC.
    static let acBits = 11
    static let dcBits = 9
    /// The advance that ends a block.
    static let end = 128

    /// A table for DC coefficients: the length of the code, and the size of the value in the upper byte; 0 for a longer code.
    struct DC {
        let entries: [UInt16]
        let codes: CanonicalCodes
    }

    /// A table for AC coefficients.
    struct AC {
        let entries: [Entry]
        let codes: CanonicalCodes
    }

    /// The codes by destination; tables are made of those that the scan uses, since a file can define any number.
    private var dcCodes = [CanonicalCodes?](repeating: nil, count: 4)
    private var acCodes = [CanonicalCodes?](repeating: nil, count: 4)

    /// Makes the table for DC coefficients of a destination, 0–3; `nil` if the file has not defined it.
    func dc(_ destination: Int) -> DC? { dcCodes[destination].map { DC($0) } }
    /// Makes the table for AC coefficients of a destination, 0–3; `nil` if the file has not defined it.
    func ac(_ destination: Int) -> AC? { acCodes[destination].map { AC($0) } }

    /// Reads the tables of a segment (§B.2.4.2); `false` for a damaged one.
    mutating func read(_ content: Range<Int>, of file: Span<UInt8>) -> Bool {
        var position = content.lowerBound
        while position < content.upperBound {
            guard position + 17 <= content.upperBound else { return false }
            let (kind, table) = (file[position] >> 4, Int(file[position] & 15))
            var counts: [Int] = []
            for length in 1...16 { counts.append(Int(file[position + length])) }
            let total = counts.reduce(0, +)
            position += 17
            guard kind < 2, table < 4, total <= 256, position + total <= content.upperBound else { return false }
            var symbols: [UInt8] = []
            for index in 0..<total { symbols.append(file[position + index]) }
            position += total
            guard let read = CanonicalCodes(counts: counts, symbols: symbols) else { return false }
            if kind == 0 {
                guard symbols.allSatisfy({ $0 <= 11 }) else { return false }
                dcCodes[table] = read
            } else {
                // The sizes of values at 8 bits (table F.2).
                guard symbols.allSatisfy({ $0 & 15 <= 10 }) else { return false }
                acCodes[table] = read
            }
        }
        return true
    }

    /// The distance from the last coefficient to that of a symbol; the end of the block, and runs of 16, have no value (§F.1.2.2).
    static func advance(of symbol: UInt8) -> Int {
        if symbol & 15 > 0 { return Int(symbol >> 4) + 1 }
        return symbol >> 4 == 15 ? 16 : end
    }
}

extension EntropyTables.DC {
    fileprivate init(_ codes: CanonicalCodes) {
        self.codes = codes
        entries = codes.prefixes(ofBits: EntropyTables.dcBits).map { found in
            found.map { UInt16($0.length) | UInt16($0.symbol) << 8 } ?? 0
        }
    }
}

extension EntropyTables.AC {
    fileprivate init(_ codes: CanonicalCodes) {
        self.codes = codes
        let prefixes = codes.prefixes(ofBits: EntropyTables.acBits)
        entries = prefixes.indices.map { Self.entry($0, prefixes) }
    }

    /// A coefficient within the bits of an index.
    private struct Coefficient {
        var length: Int
        var advance: Int
        var value: Int

        /// Reads a coefficient after some bits of an index; `nil` if it is not complete.
        init?(_ index: Int, after used: Int, _ prefixes: [CanonicalCodes.Found?]) {
            let mask = 1 << EntropyTables.acBits - 1
            guard let found = prefixes[index << used & mask] else { return nil }
            let size = Int(found.symbol & 15)
            length = found.length + size
            guard used + length <= EntropyTables.acBits else { return nil }
            advance = EntropyTables.advance(of: found.symbol)
            let bits = index >> (EntropyTables.acBits - used - length) & (1 << size - 1)
            value = size > 0 && bits < 1 << (size - 1) ? bits - 1 << size + 1 : bits
        }
    }

    private static func entry(_ index: Int, _ prefixes: [CanonicalCodes.Found?]) -> EntropyTables.Entry {
        guard let code = prefixes[index] else { return 0 }
        guard let first = Coefficient(index, after: 0, prefixes) else {
            return UInt64(code.length) | 1 << 6 | UInt64(EntropyTables.advance(of: code.symbol)) << 8 | UInt64(
                code.symbol & 15
            ) << 48
        }
        let second = first.advance == EntropyTables.end ? nil : Coefficient(index, after: first.length, prefixes)
        let own = UInt64(first.length) << 40 | UInt64(first.advance) << 8 | UInt64(bits(first.value)) << 16 | 1 << 7
        guard let second else { return own | UInt64(first.length) | UInt64(bits(first.value)) << 48 }
        return own | UInt64(first.length + second.length) | UInt64(second.advance) << 32
            | UInt64(bits(second.value)) << 48
    }

    private static func bits(_ value: Int) -> UInt16 { UInt16(bitPattern: Int16(truncatingIfNeeded: value)) }

}
