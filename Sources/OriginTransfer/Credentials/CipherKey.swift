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
        guard let bytes = [UInt8](hexadecimal: text), bytes.count == Self.length else { return nil }
        self.bytes = bytes
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
