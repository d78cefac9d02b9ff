/// The codes of a Huffman table by length (ITU-T T.81 §C.2).
struct CanonicalCodes {
    /// A code and its symbol.
    struct Found {
        var length: Int
        var symbol: UInt8
    }

    private let counts: [Int]
    private let symbols: [UInt8]

    /// Creates codes; `nil` if there are more of a length than there can be.
    init?(counts: [Int], symbols: [UInt8]) {
        var room = 1
        for count in counts {
            room = room << 1 - count
            guard room >= 0 else { return nil }
        }
        self.counts = counts
        self.symbols = symbols
    }

    /// The codes that the first bits of a stream can begin with, by these bits; `nil` for longer ones.
    func prefixes(ofBits width: Int) -> [Found?] {
        var found = [Found?](repeating: nil, count: 1 << width)
        var (code, index) = (0, 0)
        for length in 1...width {
            for _ in 0..<counts[length - 1] {
                let start = code << (width - length)
                for place in start..<start + 1 << (width - length) {
                    found[place] = Found(length: length, symbol: symbols[index])
                }
                code += 1
                index += 1
            }
            code <<= 1
        }
        return found
    }

    /// Finds the code at the beginning of 16 bits; `nil` if there is none.
    func first(in bits: Int) -> Found? {
        var (code, index) = (0, 0)
        for length in 1...16 {
            let offset = bits >> (16 - length) - code
            if offset < counts[length - 1] { return Found(length: length, symbol: symbols[index + offset]) }
            index += counts[length - 1]
            code = (code + counts[length - 1]) << 1
        }
        return nil
    }
}
