/// A text pattern in which `*` stands for any bytes, including none; everything else is literal.
package struct Glob: Hashable, Sendable, CustomStringConvertible {
    /// As written.
    package let text: String
    private let bytes: [UInt8]

    private static let star = UInt8(ascii: "*")

    /// Creates a pattern; every text is one.
    package init(_ text: String) {
        self.text = text
        bytes = Array(text.utf8)
    }

    package var description: String { text }

    /// Whether it has no `*` and therefore matches only its own text.
    package var isLiteral: Bool { !bytes.contains(Self.star) }
    /// Whether it matches every text.
    package var isEverything: Bool { !bytes.isEmpty && bytes.allSatisfy { $0 == Self.star } }
    /// The number of literal bytes: of two patterns that match a text, the one with more is more specific.
    package var weight: Int { bytes.count { $0 != Self.star } }
    /// The number of `*`.
    package var stars: Int { bytes.count { $0 == Self.star } }

    /// Whether a text matches, in time proportional to the product of both lengths.
    package func matches(_ text: String) -> Bool { alignment(Array(text.utf8)) != nil }

    /// Whether every text that another pattern matches is matched by this one; may return `false` for some that are.
    package func covers(_ other: Glob) -> Bool { matches(other.text) }

    /// The part of a text for each `*`, as short as possible from the left; `nil` if the text does not match.
    package func captures(_ text: String) -> [String]? {
        let value = Array(text.utf8)
        return alignment(value)?.map { String(decoding: value[$0], as: UTF8.self) }
    }

    /// The range of a text for each `*`.
    private func alignment(_ value: [UInt8]) -> [Range<Int>]? {
        var (index, place) = (0, 0)
        var found: [Range<Int>] = []
        var last: (place: Int, end: Int)?
        while index < value.count {
            if place < bytes.count, bytes[place] == Self.star {
                found.append(index..<index)
                last = (place, index)
                place += 1
            } else if place < bytes.count, bytes[place] == value[index] {
                (index, place) = (index + 1, place + 1)
            } else if let star = last {
                // Only the last star needs to grow: earlier ones are as short as possible.
                let end = star.end + 1
                last = (star.place, end)
                found[found.count - 1] = found[found.count - 1].lowerBound..<end
                (index, place) = (end, star.place + 1)
            } else {
                return nil
            }
        }
        while place < bytes.count, bytes[place] == Self.star {
            found.append(index..<index)
            place += 1
        }
        return place == bytes.count ? found : nil
    }
}
