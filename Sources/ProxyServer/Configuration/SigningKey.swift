import ImagePipeline
import LinuxSystem

/// A key for `sig` (HMAC-SHA256), whose descriptions are redacted.
struct SigningKey: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The valid lengths in bytes; RFC 2104 §3 strongly discourages keys shorter than the hash's output.
    static let lengths = 16...128

    /// The secret bytes.
    let bytes: [UInt8]

    /// Parses hexadecimal digits; `nil` for other characters and for a length in bytes outside of `lengths`.
    init?(hexadecimal text: String, lengths: ClosedRange<Int> = SigningKey.lengths) {
        let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2),
            lengths.contains(digits.count / 2)
        else { return nil }
        bytes = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    var description: String { Secret.redacted }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: []) }
}
