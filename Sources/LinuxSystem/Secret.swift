/// A text that never shows itself: descriptions, dumps and logs of it say `[redacted]`.
package struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What stands for a secret in everything that people read.
    package static let redacted = "[redacted]"

    /// The secret itself, for the one place that compares it.
    package let value: String

    /// Keeps a text.
    package init(_ value: String) {
        self.value = value
    }

    /// Whether nothing is kept.
    package var isEmpty: Bool { value.isEmpty }

    package var description: String { isEmpty ? "" : Secret.redacted }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// Whether another text is the secret, in a time that does not tell how much of it is right.
    package func matches(_ other: some Collection<UInt8>) -> Bool {
        let own = Array(value.utf8)
        var difference: UInt8 = own.count == other.count ? 0 : 1
        for (index, byte) in other.enumerated() {
            difference |= byte ^ (own.isEmpty ? 0xFF : own[index % own.count])
        }
        return difference == 0
    }
}
