/// A secret text, which descriptions, dumps and logs show as `[redacted]`.
package struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The placeholder for secrets in all output.
    package static let redacted = "[redacted]"

    /// The secret itself.
    package let value: String

    /// Wraps a text.
    package init(_ value: String) {
        self.value = value
    }

    /// Whether the secret is empty.
    package var isEmpty: Bool { value.isEmpty }

    package var description: String { isEmpty ? "" : Secret.redacted }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// Whether another text equals the secret, compared in constant time for a given length.
    package func matches(_ other: some Collection<UInt8>) -> Bool {
        let own = Array(value.utf8)
        var difference: UInt8 = own.count == other.count ? 0 : 1
        for (index, byte) in other.enumerated() {
            difference |= byte ^ (own.isEmpty ? 0xFF : own[index % own.count])
        }
        return difference == 0
    }
}
