import HTTPSemantics
import LinuxSystem

/// A key for `sig` (HMAC-SHA256), whose descriptions are redacted.
struct SigningKey: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The valid lengths in bytes; RFC 2104 §3 strongly discourages keys shorter than the hash's output.
    static let lengths = 16...128

    /// The secret bytes.
    let bytes: [UInt8]

    /// Parses hexadecimal digits; `nil` for other characters and for a length in bytes outside of `lengths`.
    init?(hexadecimal text: String, lengths: ClosedRange<Int> = SigningKey.lengths) {
        guard let bytes = [UInt8](hexadecimal: text), lengths.contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    var description: String { Secret.redacted }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: []) }
}
