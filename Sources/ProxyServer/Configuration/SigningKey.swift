import ImagePipeline
import LinuxSystem

/// A key for `sig` (HMAC-SHA256), which never shows itself.
struct SigningKey: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// How many bytes a key may have: RFC 2104 §3 discourages keys shorter than the hash's output by far.
    static let lengths = 16...128

    /// The key itself, for the code that computes with it.
    let bytes: [UInt8]

    /// Reads hexadecimal digits, two a byte; `nil` for anything else, and for a length out of `lengths`.
    init?(hexadecimal text: String) {
        let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2),
            SigningKey.lengths.contains(digits.count / 2)
        else { return nil }
        bytes = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    var description: String { Secret.redacted }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: []) }
}
