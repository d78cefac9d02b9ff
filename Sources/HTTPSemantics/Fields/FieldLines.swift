/// The field lines of a message, in their order.
package struct FieldLines: Hashable, Sendable {
    /// The lines, as they came.
    package private(set) var lines: [FieldLine]

    /// Creates a section of lines.
    package init(_ lines: [FieldLine] = []) { self.lines = lines }

    /// All values of a field as one, joined with `, ` (RFC 9110 §5.3); `nil` where there is none.
    ///
    /// - Parameter key: the name in lower case.
    package subscript(_ key: String) -> String? {
        var joined: String?
        for line in lines where line.key == key { joined = joined.map { $0 + ", " + line.text } ?? line.text }
        return joined
    }

    /// Whether a field is there at all.
    package func contains(_ key: String) -> Bool { lines.contains { $0.key == key } }

    /// The first line of a field.
    package func line(_ key: String) -> FieldLine? { lines.first { $0.key == key } }

    /// Adds a line at the end.
    package mutating func append(_ line: FieldLine) { lines.append(line) }

    /// Adds a line at the end; nothing where it is none.
    package mutating func append(_ name: String, _ value: String) {
        if let line = FieldLine(name, value) { lines.append(line) }
    }

    /// Adds another field's value under a name at the end.
    package mutating func append(_ name: String, _ other: FieldLine) {
        if let line = FieldLine(name: name, value: other.value) { lines.append(line) }
    }

    /// Takes all lines of some fields out.
    ///
    /// - Parameter keys: names in lower case.
    package mutating func remove(_ keys: some Collection<String>) {
        lines.removeAll { keys.contains($0.key) }
    }

    /// Without the fields that are for one connection only: the known ones, and those that `Connection` names
    /// (RFC 9110 §7.6.1).
    package var endToEnd: FieldLines {
        var dropped = FieldLines.hopByHop
        if let connection = self["connection"] { dropped.formUnion(FieldLines.members(connection)) }
        return FieldLines(lines.filter { !dropped.contains($0.key) })
    }

    /// Puts another message's fields in the place of those of the same name, and adds the rest.
    package mutating func replace(with other: FieldLines) {
        let keys = Set(other.lines.map(\.key))
        lines.removeAll { keys.contains($0.key) }
        lines += other.lines
    }

    /// Bytes of all lines as they stand on the wire.
    package var byteCount: Int { lines.reduce(0) { $0 + $1.name.utf8.count + $1.value.count + 4 } }

    /// The members of a plain list in lower case, empty ones left out.
    package static func members(_ value: String) -> [String] {
        value.lowercased().split(separator: ",").compactMap { member in
            let text = member.filter { $0 != " " && $0 != "\t" }
            return text.isEmpty ? nil : text
        }
    }

    private static let hopByHop: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authentication-info",
        "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade",
    ]
}
