import HTTPSemantics

/// The head of an origin's answer, taken line by line as libcurl hands it out.
///
/// A value without I/O.
///
/// Interim answers (1xx) are forgotten when the next status line comes; trailers are not looked at.
struct ResponseHead: Hashable, Sendable {
    /// All field lines of the final answer; malformed ones are left out.
    private(set) var lines = FieldLines()
    /// The fields that a transfer itself needs.
    enum Name: String, Hashable, Sendable {
        case contentLength = "content-length"
        case location
    }

    /// Why a head is refused; texts for people.
    enum Defect: String, Error, Hashable, Sendable {
        case tooLong = "response head over 64 KiB"
        case statusLine = "malformed status line"
        case contentLength = "contradictory or malformed Content-Length"
        case location = "more than one Location"
    }

    /// Bytes of all lines at most, interim answers included.
    static let maximumLength = 65_536

    private(set) var status = 0
    /// Whether the blank line of a final answer has come.
    private(set) var isComplete = false
    private var values: [Name: String] = [:]
    private var last: Name?
    /// The line that a folded one would go on with.
    private var folding: FieldLine?
    private var length = 0

    /// The value of a field, several lines joined with ", "; `nil` when absent or not text.
    subscript(_ name: Name) -> String? { values[name] }

    /// `Content-Length`, when there is one.
    var contentLength: Int? { values[.contentLength].flatMap { Int($0) } }

    /// Takes a line, with or without its end.
    ///
    /// - Returns: whether this line completed the head of a final answer.
    /// - Throws: what is wrong with the head.
    mutating func take(_ line: [UInt8]) throws(Defect) -> Bool {
        guard !isComplete else { return false }
        length += line.count
        guard length <= Self.maximumLength else { throw .tooLong }
        let end = line.lastIndex { $0 != 13 && $0 != 10 }.map { $0 + 1 } ?? 0
        let text = line[..<end]
        if text.starts(with: Array("HTTP/".utf8)), status == 0 || status < 200 {
            try begin(text)
        } else if text.isEmpty {
            closeLine()
            isComplete = status >= 200
            return isComplete
        } else if text.first == 32 || text.first == 9 {
            fold(text)
        } else {
            try add(text)
        }
        return false
    }

    private mutating func begin(_ line: ArraySlice<UInt8>) throws(Defect) {
        // RFC 9112 §4: HTTP-version SP status-code
        let parts = line.split(separator: 32, maxSplits: 2)
        guard parts.count >= 2, parts[1].count == 3, parts[1].allSatisfy({ (48...57).contains($0) }) else {
            throw .statusLine
        }
        status = parts[1].reduce(0) { $0 * 10 + Int($1 - 48) }
        guard (100...599).contains(status) else { throw .statusLine }
        values = [:]
        lines = FieldLines()
        folding = nil
        last = nil
    }

    private mutating func add(_ line: ArraySlice<UInt8>) throws(Defect) {
        last = nil
        closeLine()
        folding = FieldLine(line: line)
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
        let key = String(decoding: line[..<colon], as: UTF8.self).lowercased()
        guard let name = Name(rawValue: key), let value = Self.text(line[(colon + 1)...]) else { return }
        last = name
        switch (name, values[name]) {
        case (.contentLength, let before): try addLength(value, before)
        case (.location, .some(let before)): guard before == value else { throw .location }
        case (_, .some(let before)): values[name] = before + ", " + value
        case (_, nil): values[name] = value
        }
    }

    /// RFC 9112 §6.3: equal repetitions are one, anything else cannot be trusted.
    private mutating func addLength(_ value: String, _ before: String?) throws(Defect) {
        for part in value.split(separator: ",", omittingEmptySubsequences: false) {
            let digits = part.drop { $0 == " " }.prefix { $0 != " " }
            guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(digits),
                String(number) == values[.contentLength] ?? String(number)
            else { throw .contentLength }
            values[.contentLength] = String(number)
        }
    }

    /// RFC 9112 §5.2: a folded line goes on with a blank between.
    private mutating func fold(_ more: ArraySlice<UInt8>) {
        if let line = folding { folding = FieldLine(name: line.name, value: line.value + [0x20] + Self.trimmed(more)) }
        guard let last, last != .contentLength, let text = Self.text(more), let before = values[last] else { return }
        values[last] = before + " " + text
    }

    /// The value without blanks around it; `nil` with control characters or bytes that are no UTF-8.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        let value = trimmed(bytes)
        guard value.allSatisfy({ $0 >= 32 && $0 != 127 || $0 == 9 }) else { return nil }
        return String(validating: value, as: UTF8.self)
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isBlank: (UInt8) -> Bool = { $0 == 32 || $0 == 9 }
        let start = bytes.drop(while: isBlank)
        return start[..<(start.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? start.startIndex)]
    }

    private mutating func closeLine() {
        if let folding { lines.append(folding) }
        folding = nil
    }
}
