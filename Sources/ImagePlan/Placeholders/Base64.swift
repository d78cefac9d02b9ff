/// Base64 with padding (RFC 4648 §4).
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

    /// The length of the encoded text in characters.
    package static func encodedCount(_ count: Int) -> Int { (count + 2) / 3 * 4 }

    /// Whether a text has a valid length and only valid characters.
    static func isPlausible(_ text: String) -> Bool {
        text.utf8.count.isMultiple(of: 4) && text.utf8.allSatisfy { digits.contains($0) || $0 == UInt8(ascii: "=") }
    }
}
