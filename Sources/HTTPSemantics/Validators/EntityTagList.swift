/// The value of `If-Match` or `If-None-Match`: any representation, or a list of tags (RFC 9110 §13.1.2).
package enum EntityTagList: Hashable, Sendable {
    /// `*`.
    case any
    /// One tag or more.
    case tags([EntityTag])

    /// Reads a field value; `nil` where a member is no entity tag, or there is none.
    package init?(_ bytes: Span<UInt8>) {
        if bytes.count == 1, bytes[0] == UInt8(ascii: "*") {
            self = .any
            return
        }
        var tags: [EntityTag] = []
        let complete = EntityTagList.forEach(bytes) { scanned in
            tags.append(EntityTag(scanned, of: bytes))
            return true
        }
        guard complete, !tags.isEmpty else { return nil }
        self = .tags(tags)
    }

    /// As `init(_:)`, from text.
    package init?(_ text: String) {
        self.init(text.utf8Span.span)
    }

    /// Whether a field value names `current` by weak comparison, as `If-None-Match` asks; builds nothing.
    ///
    /// Members up to the first malformed one count, as a client that garbles one tag still holds the others.
    ///
    /// - Parameter current: the tag of the representation there is; `nil` when it has none, which only `*` matches.
    package static func weaklyMatches(_ bytes: Span<UInt8>, current: EntityTag?) -> Bool {
        if bytes.count == 1, bytes[0] == UInt8(ascii: "*") { return true }
        guard let current else { return false }
        var found = false
        _ = forEach(bytes) { scanned in
            found = equal(bytes, scanned.opaque, current.opaque)
            return !found
        }
        return found
    }

    /// Whether a field value names `current` by strong comparison, as `If-Match` asks.
    ///
    /// Members up to the first malformed one count.
    ///
    /// - Parameter current: the tag of the representation there is; `nil` when it has none, which only `*` matches.
    package static func stronglyMatches(_ bytes: Span<UInt8>, current: EntityTag?) -> Bool {
        if bytes.count == 1, bytes[0] == UInt8(ascii: "*") { return true }
        guard let current, !current.isWeak else { return false }
        var found = false
        _ = forEach(bytes) { scanned in
            found = !scanned.isWeak && equal(bytes, scanned.opaque, current.opaque)
            return !found
        }
        return found
    }

    /// Calls `body` with each member until it answers `false`.
    ///
    /// - Returns: whether every member was well-formed, as far as the list was read.
    private static func forEach(_ bytes: Span<UInt8>, _ body: (EntityTag.Scanned) -> Bool) -> Bool {
        var position = 0
        FieldSyntax.skipListSeparators(bytes, &position)
        while position < bytes.count {
            guard let tag = EntityTag.scan(bytes, &position) else { return false }
            FieldSyntax.skipWhitespace(bytes, &position)
            guard position == bytes.count || bytes[position] == UInt8(ascii: ",") else { return false }
            if !body(tag) { return true }
            FieldSyntax.skipListSeparators(bytes, &position)
        }
        return true
    }

    private static func equal(_ bytes: Span<UInt8>, _ range: Range<Int>, _ other: [UInt8]) -> Bool {
        guard range.count == other.count else { return false }
        for index in 0..<other.count where bytes[range.lowerBound + index] != other[index] { return false }
        return true
    }
}
