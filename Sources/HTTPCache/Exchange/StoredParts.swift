/// The known parts of a representation whose other bytes are unknown (RFC 9111 §3.3), in a bounded number.
package struct StoredParts: Hashable, Sendable {
    /// Consecutive bytes of the representation.
    package struct Part: Hashable, Sendable {
        /// The offset of the first byte.
        package let offset: Int
        package let bytes: [UInt8]

        /// The offsets of the bytes.
        package var range: Range<Int> { offset..<offset + bytes.count }

        /// The bytes at some offsets, which must be within `range`.
        fileprivate func bytes(at range: Range<Int>) -> ArraySlice<UInt8> {
            bytes[range.lowerBound - offset..<range.upperBound - offset]
        }
    }

    /// The maximum number of parts; those with the lowest offsets are dropped to make room for a new one.
    package static let maximumCount = 16
    /// The maximum size of all parts in bytes; those with the lowest offsets are dropped to make room for a new one.
    package static let maximumBytes = 8 << 20
    /// Maximum bytes of a whole for which the missing rest is requested.
    static let longestCompleted = 64 << 20

    /// The length of the complete representation in bytes.
    package let length: Int
    /// The parts by offset; they are neither empty, nor do they overlap or touch each other.
    package private(set) var parts: [Part]

    /// Creates the parts of a representation; `nil` if one is empty, reaches beyond the end or touches another, or over the bounds.
    ///
    /// - Parameter parts: in the order of their offsets.
    package init?(_ parts: [Part], of length: Int) {
        var end = -1
        for part in parts {
            guard part.offset > end, !part.bytes.isEmpty, part.bytes.count <= length, part.offset <= length,
                part.range.upperBound <= length
            else { return nil }
            end = part.range.upperBound
        }
        self.length = length
        self.parts = parts
        guard !parts.isEmpty, parts.count <= Self.maximumCount, byteCount <= Self.maximumBytes else { return nil }
    }

    /// The size of all parts in bytes.
    package var byteCount: Int { parts.reduce(0) { $0 + $1.bytes.count } }

    /// The representation, if all of its bytes are known.
    package var whole: [UInt8]? { parts.first.flatMap { $0.bytes.count == length ? $0.bytes : nil } }

    /// The part that holds all bytes at some offsets.
    package func part(holding range: Range<Int>) -> Part? {
        parts.first { $0.offset <= range.lowerBound && range.upperBound <= $0.range.upperBound }
    }

    /// The offsets from the first unknown byte to the last; empty if all bytes are known.
    package var missing: Range<Int> {
        let start = parts.first.map { $0.offset == 0 ? $0.bytes.count : 0 } ?? 0
        let end = parts.last.map { $0.range.upperBound == length ? $0.offset : length } ?? length
        return start < end ? start..<end : start..<start
    }

    /// Returns these parts with others added, joined where they overlap or touch.
    ///
    /// Over the bounds, the other parts are kept in preference.
    /// - Returns: `nil` if the lengths, or bytes at the same offsets, differ.
    package func merging(_ other: StoredParts) -> StoredParts? {
        guard other.length == length else { return nil }
        var merged = self
        for part in other.parts {
            guard let joined = merged.joined(part, to: merged.parts.filter { Self.touch($0, part) }) else { return nil }
            merged.insert(joined, new: part)
        }
        return merged
    }

    /// Returns the representation, completed by a part that holds all missing bytes.
    ///
    /// - Returns: `nil` if bytes are still missing, or differ from those known.
    package func completed(by part: Part) -> [UInt8]? {
        guard part.range.lowerBound <= missing.lowerBound, missing.upperBound <= part.range.upperBound,
            part.range.upperBound <= length
        else { return nil }
        return joined(part, to: parts).flatMap { $0.bytes.count == length ? $0.bytes : nil }
    }

    private static func touch(_ first: Part, _ second: Part) -> Bool {
        first.offset <= second.range.upperBound && second.offset <= first.range.upperBound
    }

    /// Returns a part joined with others, of which each overlaps or touches it; `nil` if bytes at the same offset differ.
    private func joined(_ part: Part, to others: [Part]) -> Part? {
        for other in others {
            let overlap = other.range.clamped(to: part.range)
            guard overlap.isEmpty || other.bytes(at: overlap) == part.bytes(at: overlap) else { return nil }
        }
        // The others do not overlap each other, so at most one reaches beyond each end.
        var bytes: [UInt8] = []
        let offset = others.first.map { min($0.offset, part.offset) } ?? part.offset
        for other in others where other.offset < part.offset {
            bytes += other.bytes(at: other.offset..<min(part.offset, other.range.upperBound))
        }
        bytes += part.bytes
        for other in others where other.range.upperBound > part.range.upperBound {
            bytes += other.bytes(at: max(part.range.upperBound, other.offset)..<other.range.upperBound)
        }
        return Part(offset: offset, bytes: bytes)
    }

    /// Inserts a joined part in place of those that it includes, and drops others until the bounds are met.
    private mutating func insert(_ joined: Part, new: Part) {
        parts.removeAll { Self.touch($0, joined) }
        parts.append(joined)
        parts.sort { $0.offset < $1.offset }
        while parts.count > Self.maximumCount || byteCount > Self.maximumBytes {
            guard let oldest = parts.firstIndex(where: { $0 != joined }) else {
                parts = [new]
                return
            }
            parts.remove(at: oldest)
        }
    }
}
