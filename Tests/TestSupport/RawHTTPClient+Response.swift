/// A response read by `RawHTTPClient`.
package struct RawHTTPResponse: Sendable, CustomStringConvertible {
    /// The status code.
    package let status: Int
    /// The reason phrase, possibly empty.
    package let reason: String
    /// The fields in order, with names as sent.
    package let fields: [(name: String, value: String)]
    /// The raw head, including its empty line.
    package let head: String
    /// The content; empty if there is none.
    package var body: [UInt8] = []

    /// Parses a head; `nil` if it is not HTTP/1.1.
    package init?(head: String) {
        self.head = head
        var lines = head.split(separator: "\r\n", omittingEmptySubsequences: true).map(String.init)
        guard !lines.isEmpty else { return nil }
        let statusLine = lines.removeFirst().split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard statusLine.count == 3, statusLine[0] == "HTTP/1.1", let status = Int(statusLine[1]) else { return nil }
        self.status = status
        reason = String(statusLine[2])
        var fields: [(name: String, value: String)] = []
        for line in lines {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...]
            fields.append((String(line[..<colon]), value.first == " " ? String(value.dropFirst()) : String(value)))
        }
        self.fields = fields
    }

    /// The value of the first field with this name, ignoring case.
    package subscript(_ name: String) -> String? { values(of: name).first }

    /// The values of all fields with this name, ignoring case.
    package func values(of name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    /// The content as UTF-8.
    package var text: String { String(decoding: body, as: UTF8.self) }

    package var description: String { head + text }
}
