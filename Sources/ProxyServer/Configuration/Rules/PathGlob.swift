import ImagePlan

/// A pattern of paths below a source: `*` stands for any characters of a segment, `**` for any number of segments.
///
/// It is compared with the decoded segments. A `**` at the end stands for at least one segment, so that `avatars/**` does not
/// match `avatars`; `**` alone matches every path.
struct PathGlob: Hashable, Sendable, CustomStringConvertible {
    /// As written.
    let text: String
    private let parts: [Part]

    private enum Part: Hashable, Sendable {
        case segment(Glob)
        /// `**`.
        case any
    }

    /// Why a text is not a pattern.
    struct Defect: Error {
        var reason: String
    }

    /// Parses a pattern.
    init(_ text: String) throws(Defect) {
        self.text = text
        guard !text.isEmpty else { throw Defect(reason: "is empty; ** matches every path") }
        let isPlain = text.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F }
        guard isPlain else { throw Defect(reason: "contains a space or a control character") }
        guard !text.hasPrefix("/") else {
            throw Defect(reason: "begins with a slash; write \(text.drop { $0 == "/" })")
        }
        if let found = text.first(where: { "?[]{}\\".contains($0) }) {
            throw Defect(reason: "contains \(found), but only * and ** are patterns")
        }
        guard !text.contains("%") else { throw Defect(reason: "is percent-encoded; patterns are compared decoded") }
        var parts: [Part] = []
        for segment in text.split(separator: "/", omittingEmptySubsequences: false) {
            if segment == "**" {
                // Two in a row mean the same as one.
                if parts.last != .any { parts.append(.any) }
            } else if segment.contains("**") {
                throw Defect(reason: "has ** beside other characters; it stands for whole segments, as in a/**/b")
            } else {
                parts.append(.segment(Glob(String(segment))))
            }
        }
        self.parts = parts
    }

    var description: String { text }

    /// Whether it matches every path.
    var isEverything: Bool { parts == [.any] }

    /// The number of wildcards, which `$1` to `$9` in a rewritten path refer to.
    var wildcards: Int {
        parts.reduce(0) { count, part in
            if case .segment(let glob) = part { count + glob.stars } else { count + 1 }
        }
    }

    /// Whether decoded segments match.
    func matches(_ segments: [String]) -> Bool { alignment(segments) != nil }

    /// The part of a path for each wildcard, raw; `nil` if the path does not match.
    ///
    /// - Parameters:
    ///   - segments: decoded.
    ///   - raw: the same segments as received, as many.
    func captures(_ segments: [String], raw: [String]) -> [String]? {
        guard let ranges = alignment(segments) else { return nil }
        var found: [String] = []
        for (part, range) in zip(parts, ranges) {
            guard case .segment(let glob) = part else {
                found.append(raw[range].joined(separator: "/"))
                continue
            }
            guard !glob.isEverything else {
                found.append(raw[range.lowerBound])
                continue
            }
            found += (glob.captures(segments[range.lowerBound]) ?? []).map(Self.encoded)
        }
        return found
    }

    /// Whether every path that another pattern matches is matched by this one; may return `false` for some that are.
    func covers(_ other: PathGlob) -> Bool {
        if isEverything || self == other { return true }
        // The other's wildcards count as text that only a wildcard matches, and its ** as segments that only ** matches.
        let isOpen = other.parts.contains(.any)
        guard isOpen else {
            return matches(other.text.split(separator: "/", omittingEmptySubsequences: false).map(String.init))
        }
        guard parts.last == .any, other.parts.count >= parts.count else { return false }
        return zip(parts.dropLast(), other.parts).allSatisfy { own, others in
            guard case .segment(let glob) = own, case .segment(let inner) = others else { return false }
            return glob.covers(inner)
        }
    }

    /// The range of segments for each part, in time proportional to the product of both lengths.
    private func alignment(_ segments: [String]) -> [Range<Int>]? {
        if isEverything { return [0..<segments.count] }
        var (index, place) = (0, 0)
        var found: [Range<Int>] = []
        // The last ** and its range; earlier ones are as short as possible, so that only this one needs to grow.
        var last: (place: Int, range: Range<Int>)?
        while index < segments.count {
            if place < parts.count, parts[place] == .any {
                last = (place, index..<index)
                found.append(index..<index)
                place += 1
            } else if place < parts.count, case .segment(let glob) = parts[place], glob.matches(segments[index]) {
                found.append(index..<index + 1)
                (index, place) = (index + 1, place + 1)
            } else if let open = last {
                let range = open.range.lowerBound..<open.range.upperBound + 1
                last = (open.place, range)
                found.removeLast(found.count - open.place)
                found.append(range)
                (index, place) = (range.upperBound, open.place + 1)
            } else {
                return nil
            }
        }
        return place == parts.count ? found : nil
    }

    /// A part of a decoded segment, percent-encoded for a path (RFC 3986 §3.3).
    static func encoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if byte.isURLUnreserved || "!$&'()*+,;=:@".utf8.contains(byte) {
                bytes.append(byte)
            } else {
                PercentCoding.append(byte, to: &bytes)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
