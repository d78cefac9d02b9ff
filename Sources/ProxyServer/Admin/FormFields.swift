import HTTPSemantics

/// The fields of a form, as browsers send them: `application/x-www-form-urlencoded` (WHATWG URL §5.1).
struct FormFields: Sendable {
    /// The longest form in bytes.
    static let longest = 1 << 20

    private var values: [String: String] = [:]

    /// Reads a form; of several fields with one name, the first counts.
    init(_ body: [UInt8]) {
        for pair in body.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = Self.decoded(parts[0])
            if values[name] == nil { values[name] = parts.count > 1 ? Self.decoded(parts[1]) : "" }
        }
    }

    /// A field without white space around it; empty if it is absent.
    subscript(_ name: String) -> String {
        let value = values[name] ?? ""
        let start = value.drop { $0.isWhitespace }
        return String(String(start.reversed()).drop { $0.isWhitespace }.reversed())
    }

    /// Whether a box is ticked, or a button with this name was pressed.
    func isSet(_ name: String) -> Bool { values[name] != nil }

    /// The lines of a field, and within them the parts between blanks and commas; empty ones are left out.
    func list(_ name: String) -> [String] {
        (values[name] ?? "").split { $0.isWhitespace || $0 == "," }.map(String.init)
    }

    /// The lines of a field, without white space around them; empty ones are left out.
    func lines(_ name: String) -> [String] {
        (values[name] ?? "").split(whereSeparator: \.isNewline).map { line in
            String(line.split { $0 == " " || $0 == "\t" }.joined(separator: " "))
        }.filter { !$0.isEmpty }
    }

    private static func decoded(_ text: some Sequence<UInt8>) -> String {
        let spaced = text.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        return String(decoding: PercentEncoding.decode(spaced), as: UTF8.self)
    }
}
