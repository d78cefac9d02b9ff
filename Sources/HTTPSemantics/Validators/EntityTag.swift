/// An entity tag (RFC 9110 §8.8.3): an opaque validator of a representation, strong or weak.
package struct EntityTag: Hashable, Sendable, CustomStringConvertible {
    /// Whether the tag is weak: it identifies equivalent representations, not equal bytes.
    package let isWeak: Bool
    /// The bytes between the quotes.
    package let opaque: [UInt8]

    /// Creates a tag; `nil` if it contains an invalid byte (RFC 9110 §8.8.3 `etagc`).
    package init?(opaque: [UInt8], isWeak: Bool = false) {
        guard opaque.allSatisfy(EntityTag.isOpaqueCharacter) else { return nil }
        self.isWeak = isWeak
        self.opaque = opaque
    }

    /// Parses a whole field value such as `"abc"` or `W/"abc"`; anything before or after it is an error.
    package init?(_ bytes: Span<UInt8>) {
        var position = 0
        guard let scanned = EntityTag.scan(bytes, &position), position == bytes.count else { return nil }
        self.init(scanned, of: bytes)
    }

    /// As `init(_:)`, from text.
    package init?(_ text: String) {
        self.init(text.utf8Span.span)
    }

    /// The field value.
    package var description: String {
        (isWeak ? "W/\"" : "\"") + String(decoding: opaque, as: UTF8.self) + "\""
    }

    /// The bytes of the field value, exactly as received.
    package var bytes: [UInt8] {
        (isWeak ? Array("W/\"".utf8) : [UInt8(ascii: "\"")]) + opaque + [UInt8(ascii: "\"")]
    }

    /// Strong comparison (RFC 9110 §8.8.3.2): both strong, and equal.
    package func matchesStrongly(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && opaque == other.opaque
    }

    /// Weak comparison (RFC 9110 §8.8.3.2): equal, weak or not.
    package func matchesWeakly(_ other: EntityTag) -> Bool {
        opaque == other.opaque
    }

    /// Whether a byte is an `etagc`: visible ASCII except the double quote, or obs-text.
    @inline(__always)
    static func isOpaqueCharacter(_ byte: UInt8) -> Bool {
        byte == 0x21 || (0x23...0x7E).contains(byte) || byte >= 0x80
    }
}

extension EntityTag {
    /// The position of a tag in a field value.
    struct Scanned {
        var isWeak: Bool
        /// The range between the quotes.
        var opaque: Range<Int>
    }

    init(_ scanned: Scanned, of bytes: Span<UInt8>) {
        isWeak = scanned.isWeak
        opaque = scanned.opaque.map { bytes[$0] }
    }

    /// Parses a tag at `position`; `nil`, without moving `position`, if there is none.
    static func scan(_ bytes: Span<UInt8>, _ position: inout Int) -> Scanned? {
        var index = position
        // RFC 9110 §8.8.3: the weakness indicator is case-sensitive.
        let isWeak =
            index + 1 < bytes.count && bytes[index] == UInt8(ascii: "W") && bytes[index + 1] == UInt8(ascii: "/")
        if isWeak { index += 2 }
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { return nil }
        let start = index + 1
        index = start
        while index < bytes.count, isOpaqueCharacter(bytes[index]) { index += 1 }
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { return nil }
        position = index + 1
        return Scanned(isWeak: isWeak, opaque: start..<index)
    }
}
