/// The value of `If-Match` or `If-None-Match`: `*` or a list of tags (RFC 9110 §13.1.2).
package enum EntityTagList: Hashable, Sendable {
    /// `*`, which matches any representation.
    case any
    /// One or more tags.
    case tags([EntityTag])

    /// Parses a field value; `nil` if a member is not an entity tag, or there is none.
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

    /// Whether a field value contains `current` by weak comparison, as for `If-None-Match`; allocates nothing.
    ///
    /// Members up to the first malformed one count: a client that garbles one tag still has the others.
    ///
    /// - Parameter current: the tag of the current representation; `nil`, for none, matches only `*`.
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

    /// Whether a field value contains `current` by strong comparison, as for `If-Match`.
    ///
    /// Members up to the first malformed one count.
    ///
    /// - Parameter current: the tag of the current representation; `nil`, for none, matches only `*`.
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

    /// Calls `body` with each member until it returns `false`.
    ///
    /// - Returns: whether every member read was well-formed.
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
