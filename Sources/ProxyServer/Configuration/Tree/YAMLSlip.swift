/// A frequent slip on a line that is not YAML, for which the parser's own message means little.
enum YAMLSlip {
    /// A tab where YAML takes only spaces.
    case tab
    /// `${NAME}` without quotes within `{ }` or `[ ]`, where a brace begins a map.
    case variable(String)
    /// A plain value that begins with a character that means something else to YAML, such as `*.example.com`.
    case indicator(Character)

    /// Looks for a slip on a line, counted from 1.
    init?(_ text: String, line number: Int) {
        // Of any length of line ends: CR LF is one character to Swift.
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        guard number > 0, number <= lines.count else { return nil }
        let line = lines[number - 1]
        if line.prefix(while: { $0 == " " || $0 == "\t" }).contains("\t") {
            self = .tab
        } else if case let plain = Self.unquoted(line), let start = plain.firstRange(of: "${") {
            self = .variable(String(plain[start.lowerBound...].prefix { $0 != "}" }) + "}")
        } else if let indicator = Self.indicator(line) {
            self = .indicator(indicator)
        } else {
            return nil
        }
    }

    /// What to write instead.
    var advice: String {
        switch self {
        case .tab: "a tab stands before the text: YAML is indented by spaces alone"
        case .variable(let variable): "within { } and [ ] a variable needs quotes: \"\(variable)\""
        case .indicator(let character): "a value that begins with \(character) needs quotes"
        }
    }

    /// The line without what stands in quotes and without its comment.
    private static func unquoted(_ line: Substring) -> String {
        var result = ""
        var quote: Character?
        for character in line {
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "\"" || character == "'" {
                quote = character
            } else if character == "#", result.last.map({ $0 == " " }) ?? true {
                break
            } else {
                result.append(character)
            }
        }
        return result
    }

    private static func indicator(_ line: Substring) -> Character? {
        var isStart = true
        for character in unquoted(line) {
            if isStart, "*&!|>%@`".contains(character) { return character }
            // A value follows a colon, a dash, a comma or a bracket.
            isStart = ":-,[{ ".contains(character) && (isStart || character != " ")
        }
        return nil
    }
}
