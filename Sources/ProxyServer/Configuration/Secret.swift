/// A text that never shows itself: descriptions, dumps and logs of it say `[redacted]`.
struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What stands for a secret in everything that people read.
    static let redacted = "[redacted]"

    /// The secret itself, for the one place that compares it.
    let value: String

    /// Keeps a text.
    init(_ value: String) {
        self.value = value
    }

    /// Whether nothing is kept.
    var isEmpty: Bool { value.isEmpty }

    var description: String { isEmpty ? "" : Secret.redacted }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: []) }

    /// Whether another text is the secret, in a time that does not tell how much of it is right.
    func matches(_ other: some Collection<UInt8>) -> Bool {
        let own = Array(value.utf8)
        var difference: UInt8 = own.count == other.count ? 0 : 1
        for (index, byte) in other.enumerated() {
            difference |= byte ^ (own.isEmpty ? 0xFF : own[index % own.count])
        }
        return difference == 0
    }
}
