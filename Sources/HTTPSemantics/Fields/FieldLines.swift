/// The field lines of a message, in order.
package struct FieldLines: Hashable, Sendable {
    /// The lines as received.
    package private(set) var lines: [FieldLine]

    /// Creates field lines.
    package init(_ lines: [FieldLine] = []) { self.lines = lines }

    /// All values of a field joined by `, ` (RFC 9110 §5.3); `nil` if there is none.
    ///
    /// - Parameter key: the name in lower case.
    package subscript(_ key: String) -> String? {
        var joined: String?
        for line in lines where line.key == key { joined = joined.map { $0 + ", " + line.text } ?? line.text }
        return joined
    }

    /// Whether a field is present.
    package func contains(_ key: String) -> Bool { lines.contains { $0.key == key } }

    /// The first line of a field.
    package func line(_ key: String) -> FieldLine? { lines.first { $0.key == key } }

    /// Appends a line.
    package mutating func append(_ line: FieldLine) { lines.append(line) }

    /// Appends a line; does nothing if it is invalid.
    package mutating func append(_ name: String, _ value: String) {
        if let line = FieldLine(name, value) { lines.append(line) }
    }

    /// Appends the value of another line under a name.
    package mutating func append(_ name: String, _ other: FieldLine) {
        if let line = FieldLine(name: name, value: other.value) { lines.append(line) }
    }

    /// Removes all lines of some fields.
    ///
    /// - Parameter keys: names in lower case.
    package mutating func remove(_ keys: some Collection<String>) {
        lines.removeAll { keys.contains($0.key) }
    }

    /// The lines without hop-by-hop fields: the known ones, and those that `Connection` names (RFC 9110 §7.6.1).
    package var endToEnd: FieldLines {
        var dropped = FieldLines.hopByHop
        if let connection = self["connection"] { dropped.formUnion(FieldLines.members(connection)) }
        return FieldLines(lines.filter { !dropped.contains($0.key) })
    }

    /// Replaces the fields that `other` contains, and appends the rest of it.
    package mutating func replace(with other: FieldLines) {
        let keys = Set(other.lines.map(\.key))
        lines.removeAll { keys.contains($0.key) }
        lines += other.lines
    }

    /// The memory that the lines occupy, estimated, in bytes; short lines take many times their text.
    package var cost: Int {
        // The line itself, and the header of its value's array; the name is kept in two spellings.
        lines.reduce(0) { $0 + 96 + 2 * $1.name.utf8.count + $1.value.count }
    }

    /// The members of a simple list, in lower case and without empty ones.
    package static func members(_ value: String) -> [String] {
        value.lowercased().split(separator: ",").compactMap { member in
            let text = member.filter { $0 != " " && $0 != "\t" }
            return text.isEmpty ? nil : text
        }
    }

    private static let hopByHop: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authentication-info",
        "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade",
        // By these, a server has its own proxy send a file or another response. An origin must not command the proxy in front of us.
        "x-accel-redirect", "x-sendfile", "x-litespeed-location", "x-reproxy-url",
    ]
}
