import EdgeprintURL

/// SHA-256 (FIPS 180-4), written out so that the tests of a module without dependencies have none either.
enum SHA256 {
    static func digest(of message: [UInt8]) -> [UInt8] {
        var state: [UInt32] = [
            0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
        ]
        var padded = message + [0x80]
        while padded.count % 64 != 56 { padded.append(0) }
        padded += (0..<8).map { UInt8(truncatingIfNeeded: (message.count * 8) >> (56 - 8 * $0)) }
        for start in stride(from: 0, to: padded.count, by: 64) { compress(padded[start..<start + 64], into: &state) }
        return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * UInt32($0))) } }
    }

    private static func compress(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
        var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { start in
            block[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        for index in 16..<64 {
            let (early, late) = (words[index - 15], words[index - 2])
            let first = turned(early, 7) ^ turned(early, 18) ^ early >> 3
            let second = turned(late, 17) ^ turned(late, 19) ^ late >> 10
            words.append(words[index - 16] &+ first &+ words[index - 7] &+ second)
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for (word, constant) in zip(words, constants) {
            let choice = e & f ^ ~e & g
            let first = h &+ (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) &+ choice &+ constant &+ word
            let majority = a & b ^ a & c ^ b & c
            let second = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) &+ majority
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
        }
        for (index, value) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= value }
    }

    private static func turned(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }

    /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes, found by integer search.
    private static let constants: [UInt32] = {
        var primes: [UInt64] = []
        var candidate: UInt64 = 2
        while primes.count < 64 {
            if primes.allSatisfy({ candidate % $0 != 0 }) { primes.append(candidate) }
            candidate += 1
        }
        return primes.map { prime in
            // The greatest r with r³ ≤ prime × 2⁹⁶: r has 32 fractional bits.
            var root: UInt64 = 0
            for bit in stride(from: UInt64(35), through: 0, by: -1) {
                let next = root | 1 << bit
                let square = next.multipliedFullWidth(by: next)
                let low = square.low.multipliedFullWidth(by: next)
                let (high, carry) = (square.high &* next).addingReportingOverflow(low.high)
                let limit = (high: prime << 32, low: UInt64(0))
                if !carry, high < limit.high || high == limit.high && low.low == 0 { root = next }
            }
            return UInt32(truncatingIfNeeded: root)
        }
    }()
}

/// HMAC-SHA256 (RFC 2104).
struct HMACKey: MessageAuthenticator {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes.count > 64 ? SHA256.digest(of: bytes) : bytes
    }

    /// Creates a key from hexadecimal digits, as in `signing.keys`.
    init(hexadecimal text: String) {
        let digits = Array(text).compactMap(\.hexDigitValue)
        self.init(stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }

    func authenticationCode(for message: [UInt8]) -> [UInt8] {
        let block = bytes + Array(repeating: 0, count: 64 - bytes.count)
        let inner = SHA256.digest(of: block.map { $0 ^ 0x36 } + message)
        return SHA256.digest(of: block.map { $0 ^ 0x5c } + inner)
    }
}
