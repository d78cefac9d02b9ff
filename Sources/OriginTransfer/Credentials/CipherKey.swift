import HTTPSemantics
import LinuxSystem

/// A key for AES-256, whose descriptions are redacted.
package struct CipherKey: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The length in bytes.
    package static let length = 32

    /// The secret bytes.
    let bytes: [UInt8]

    /// Parses 64 hexadecimal digits; `nil` for anything else.
    package init?(hexadecimal text: String) {
        let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == text.utf8.count, digits.count == Self.length * 2 else { return nil }
        bytes = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// Sixteen hexadecimal digits that tell keys apart and reveal nothing about them.
    package var fingerprint: String {
        String(HMACSHA256.code(of: Array("edgeprint key fingerprint".utf8), key: bytes).hexText.prefix(16))
    }

    /// The key in hexadecimal digits; secret.
    package var secretText: String { bytes.hexText }

    package var description: String { Secret.redacted }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
