/// A pattern of host names in `remote.allow`.
///
/// `*` alone matches every host, a leading `*.` one or more labels, and any other `*` characters within a label.
struct HostPattern: Sendable, Hashable, CustomStringConvertible {
    /// As written, in lower case.
    let text: String
    private let labels: [String]
    /// Whether it matches every host.
    let isEverything: Bool
    private let hasOpenStart: Bool

    /// Parses a pattern; `nil` if it is not a host name with wildcards.
    init?(_ text: String) {
        let text = text.lowercased()
        guard !text.isEmpty, text.utf8.count <= 253, text.utf8.allSatisfy(HostPattern.isAllowed) else { return nil }
        var labels = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard labels.allSatisfy({ !$0.isEmpty }) else { return nil }
        self.text = text
        isEverything = text == "*"
        hasOpenStart = labels.count > 1 && labels.first == "*"
        if hasOpenStart { labels.removeFirst() }
        self.labels = labels
    }

    var description: String { text }

    /// Whether a host of a URL, without its port, matches; ignores case and one trailing dot.
    func matches(_ host: String) -> Bool {
        var host = host.lowercased()
        if host.hasSuffix(".") { host.removeLast() }
        guard !host.isEmpty else { return false }
        if isEverything { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard hasOpenStart ? parts.count > labels.count : parts.count == labels.count else { return false }
        return zip(parts.suffix(labels.count), labels).allSatisfy { HostPattern.fits($0, $1) }
    }

    /// Whether every host that another pattern matches is matched by this one; may return `false` for some that are.
    func covers(_ other: HostPattern) -> Bool {
        if isEverything || self == other { return true }
        // A * of the other counts as a character that only a * matches.
        return !other.isEverything && !other.hasOpenStart && matches(other.text)
    }

    /// Whether a label matches a pattern with wildcards, in time proportional to the product of their lengths.
    private static func fits(_ label: String, _ pattern: String) -> Bool {
        let label = Array(label.utf8)
        let pattern = Array(pattern.utf8)
        var (index, place) = (0, 0)
        var star: (place: Int, index: Int)?
        while index < label.count {
            if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
                star = (place, index)
                place += 1
            } else if place < pattern.count, pattern[place] == label[index] {
                (index, place) = (index + 1, place + 1)
            } else if let last = star {
                star = (last.place, last.index + 1)
                (index, place) = (last.index + 1, last.place + 1)
            } else {
                return false
            }
        }
        return pattern[place...].allSatisfy { $0 == UInt8(ascii: "*") }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        // The last three are for IPv6 literals.
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "*"),
            UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ":"):
            true
        default: false
        }
    }
}
