import HTTPSemantics

/// The head of an origin's answer, taken line by line as libcurl hands it out.
///
/// A value without I/O.
///
/// Interim answers (1xx) are forgotten when the next status line comes; trailers are not looked at.
struct ResponseHead: Hashable, Sendable {
    /// Whether all field lines are kept, not only the values that matter here.
    private let keepsLines: Bool
    /// All field lines of the final answer, where they are kept; those that are none are left out.
    private(set) var lines = FieldLines()
    /// The fields that matter here.
    enum Name: String, Hashable, Sendable {
        case age
        case cacheControl = "cache-control"
        case cacheTag = "cache-tag"
        case targeted = "cdn-cache-control"
        case contentLength = "content-length"
        case contentType = "content-type"
        case date
        case entityTag = "etag"
        case expires
        case lastModified = "last-modified"
        case location
        case retryAfter = "retry-after"
        case surrogateKey = "surrogate-key"
        case vary
        case xkey
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
    private var length = 0

    /// Creates a head of which nothing has come.
    init(keepsLines: Bool = false) { self.keepsLines = keepsLines }

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
        last = nil
    }

    private mutating func add(_ line: ArraySlice<UInt8>) throws(Defect) {
        last = nil
        if keepsLines, let field = FieldLine(line: line) { lines.append(field) }
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
    private mutating func fold(_ line: ArraySlice<UInt8>) {
        guard let last, last != .contentLength, let more = Self.text(line), let before = values[last] else { return }
        values[last] = before + " " + more
    }

    /// The value without blanks around it; `nil` with control characters or bytes that are no UTF-8.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        let isBlank: (UInt8) -> Bool = { $0 == 32 || $0 == 9 }
        let trimmed = bytes.drop(while: isBlank)
        let end = trimmed.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? trimmed.startIndex
        let value = trimmed[..<end]
        guard value.allSatisfy({ $0 >= 32 && $0 != 127 || $0 == 9 }) else { return nil }
        return String(validating: value, as: UTF8.self)
    }
}
