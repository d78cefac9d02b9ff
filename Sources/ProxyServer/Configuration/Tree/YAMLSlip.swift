/// A common mistake on an invalid line, for which the YAML parser's message is not helpful.
enum YAMLSlip {
    /// A tab in the indentation.
    case tab
    /// An unquoted `${NAME}` within `{ }` or `[ ]`, where a brace begins a map.
    case variable(String)
    /// A plain value that begins with a YAML indicator, such as `*.example.com`.
    case indicator(Character)

    /// Finds a mistake on a line, counted from 1.
    init?(_ text: String, line number: Int) {
        // `isNewline` also covers CR LF, which is one character in Swift.
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

    /// The advice for the message.
    var advice: String {
        switch self {
        case .tab: "the line is indented by a tab: YAML only allows spaces"
        case .variable(let variable): "within { } and [ ] a variable must be quoted: \"\(variable)\""
        case .indicator(let character): "a value that begins with \(character) must be quoted"
        }
    }

    /// The line without quoted text and without its comment.
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
