/// A path with `$1` to `$9` for what the wildcards of a rule's `match.path` stand for; `$$` is a literal `$`.
struct PathTemplate: Hashable, Sendable {
    /// As written.
    let text: String
    private let parts: [Part]

    private enum Part: Hashable, Sendable {
        case text(String)
        case wildcard(Int)
    }

    /// Parses a template; `nil` if it is not a percent-encoded path without a slash at its start.
    init?(_ text: String) {
        guard !text.isEmpty, !text.hasPrefix("/"), !text.contains("?"), !text.contains("#"),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        var parts: [Part] = []
        var literal = ""
        var rest = text[...]
        while let character = rest.popFirst() {
            guard character == "$" else {
                literal.append(character)
                continue
            }
            guard let next = rest.popFirst() else { return nil }
            if next == "$" {
                literal.append("$")
            } else if let number = next.wholeNumberValue, (1...9).contains(number) {
                if !literal.isEmpty { parts.append(.text(literal)) }
                literal = ""
                parts.append(.wildcard(number))
            } else {
                return nil
            }
        }
        if !literal.isEmpty { parts.append(.text(literal)) }
        self.text = text
        self.parts = parts
    }

    /// The highest wildcard that it uses; 0 for none.
    var wildcards: Int {
        parts.reduce(0) { highest, part in
            if case .wildcard(let number) = part { max(highest, number) } else { highest }
        }
    }

    /// The path with the captures in place; wildcards without a capture are empty.
    func path(_ captures: [String]) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .wildcard(let number): number <= captures.count ? captures[number - 1] : ""
            }
        }
        .joined()
    }
}
