import HTTPSemantics

/// Parses the head of an origin's response line by line; performs no I/O.
///
/// Interim responses (1xx) are reported and have no effect on the final head. Trailers are ignored.
struct ResponseHead: Hashable, Sendable {
    /// All well-formed field lines of the final response.
    private(set) var lines = FieldLines()
    /// The fields that a transfer reads itself.
    enum Name: String, Hashable, Sendable {
        case contentLength = "content-length"
        case location
    }

    /// Why a head is refused; the raw value is the error message.
    enum Defect: String, Error, Hashable, Sendable {
        case tooLong = "response head over 64 KiB"
        case statusLine = "malformed status line"
        case contentLength = "contradictory, malformed or absurd Content-Length"
        case location = "more than one Location"
    }

    /// The maximum bytes of all lines, including interim responses.
    static let maximumLength = 65_536
    /// The largest `Content-Length`, in bytes, so that sums with other lengths do not overflow; that of requests has 18 digits, too.
    private static let longestBody = 999_999_999_999_999_999

    private(set) var status = 0
    /// Whether the blank line after the final head has been received.
    private(set) var isComplete = false
    /// The interim response that the last line completed; `nil` if it completed none.
    private(set) var interim: InterimResponse?
    /// Whether the blank line after the current status line is still to come.
    private var isOpen = false
    private var values: [Name: String] = [:]
    private var last: Name?
    /// The last line, which a folded line would continue; empty if there is none.
    private var folding: [UInt8] = []
    private var length = 0

    /// The value of a field, with repeated lines joined by ", "; `nil` if absent or not text.
    subscript(_ name: Name) -> String? { values[name] }

    /// The value of `Content-Length`; `nil` if absent.
    var contentLength: Int? { values[.contentLength].flatMap { Int($0) } }

    /// Replaces the status of a complete head.
    mutating func treat(as status: Int) { self.status = status }

    /// Parses a line, with or without its line ending.
    ///
    /// - Returns: whether this line completed the final head.
    /// - Throws: the defect of the head.
    mutating func take(_ line: [UInt8]) throws(Defect) -> Bool {
        guard !isComplete else { return false }
        length += line.count
        guard length <= Self.maximumLength else { throw .tooLong }
        interim = nil
        let end = line.lastIndex { $0 != 13 && $0 != 10 }.map { $0 + 1 } ?? 0
        let text = line[..<end]
        if text.starts(with: Array("HTTP/".utf8)), status == 0 || status < 200 {
            try begin(text)
        } else if text.isEmpty {
            endHead()
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
        folding = []
        last = nil
        isOpen = true
    }

    private mutating func endHead() {
        closeLine()
        isComplete = status >= 200
        if isOpen, !isComplete { interim = InterimResponse(status: status, fields: lines) }
        isOpen = false
    }

    private mutating func add(_ line: ArraySlice<UInt8>) throws(Defect) {
        last = nil
        closeLine()
        folding = Array(line)
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
        let key = String(decoding: line[..<colon], as: UTF8.self).lowercased()
        guard let name = Name(rawValue: key), let value = Self.text(line[(colon + 1)...], of: name) else { return }
        last = name
        switch (name, values[name]) {
        case (.contentLength, _): try addLength(value)
        case (.location, .some(let before)): guard before == value else { throw .location }
        case (_, .some(let before)): values[name] = before + ", " + value
        case (_, nil): values[name] = value
        }
    }

    /// Merges equal repetitions and throws on any other value, and on one over `longestBody` (RFC 9112 §6.3).
    private mutating func addLength(_ value: String) throws(Defect) {
        for part in value.split(separator: ",", omittingEmptySubsequences: false) {
            let digits = part.drop { $0 == " " }.prefix { $0 != " " }
            guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(digits),
                number <= Self.longestBody, String(number) == values[.contentLength] ?? String(number)
            else { throw .contentLength }
            values[.contentLength] = String(number)
        }
    }

    /// Appends a folded line after a space (RFC 9112 §5.2).
    private mutating func fold(_ more: ArraySlice<UInt8>) {
        if !folding.isEmpty { folding += [0x20] + Self.trimmed(more) }
        guard let last, last != .contentLength, let text = Self.text(more, of: last) else { return }
        values[last]?.append(" " + text)
    }

    /// Returns the trimmed value; `nil` if it contains control characters or is not UTF-8.
    ///
    /// In a `Location` of another encoding, such as Latin-1, the bytes beyond ASCII are percent-encoded, as curl does.
    private static func text(_ bytes: ArraySlice<UInt8>, of name: Name) -> String? {
        let value = trimmed(bytes)
        guard value.allSatisfy({ $0 >= 32 && $0 != 127 || $0 == 9 }) else { return nil }
        let text = String(validating: value, as: UTF8.self)
        return name == .location ? text ?? PercentEncoding.encode(value, except: { $0 < 0x80 }) : text
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isBlank: (UInt8) -> Bool = { $0 == 32 || $0 == 9 }
        let start = bytes.drop(while: isBlank)
        return start[..<(start.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? start.startIndex)]
    }

    private mutating func closeLine() {
        if let line = FieldLine(line: folding) { lines.append(line) }
        folding = []
    }
}
