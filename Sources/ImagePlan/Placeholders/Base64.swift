/// Base64 with padding (RFC 4648 §4), and its form for URLs (§5).
package enum Base64 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Encodes bytes.
    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(encodedCount(bytes.count))
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = bytes[start..<min(start + 3, bytes.count)]
            let number = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
            for place in 0..<4 {
                text.append(place <= part.count ? digits[number >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Encodes bytes as base64url without padding.
    package static func encodeForURL(_ bytes: [UInt8]) -> String {
        let text = encode(bytes).utf8.prefix { $0 != UInt8(ascii: "=") }.map { digit in
            switch digit {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: digit
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes either form, with or without padding; `nil` for other characters, and for bits that belong to no byte.
    package static func decode(_ text: String) -> [UInt8]? {
        var (bits, count) = (0, 0)
        var bytes: [UInt8] = []
        let digits = text.utf8.prefix { $0 != UInt8(ascii: "=") }
        guard text.utf8.dropFirst(digits.count).allSatisfy({ $0 == UInt8(ascii: "=") }),
            text.utf8.count - digits.count <= 2
        else { return nil }
        for digit in digits {
            let value: UInt8
            switch digit {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = digit - UInt8(ascii: "A")
            case UInt8(ascii: "a")...UInt8(ascii: "z"): value = digit - UInt8(ascii: "a") + 26
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0") + 52
            case UInt8(ascii: "+"), UInt8(ascii: "-"): value = 62
            case UInt8(ascii: "/"), UInt8(ascii: "_"): value = 63
            default: return nil
            }
            (bits, count) = (bits << 6 | Int(value), count + 6)
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            bits &= 1 << count - 1
        }
        return count < 6 && bits == 0 ? bytes : nil
    }

    /// The length of the encoded text in characters.
    package static func encodedCount(_ count: Int) -> Int { (count + 2) / 3 * 4 }

    /// Whether a text has a valid length and only valid characters.
    static func isPlausible(_ text: String) -> Bool {
        text.utf8.count.isMultiple(of: 4) && text.utf8.allSatisfy { digits.contains($0) || $0 == UInt8(ascii: "=") }
    }
}
