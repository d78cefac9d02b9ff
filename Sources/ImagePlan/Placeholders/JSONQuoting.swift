/// JSON strings, for what is written without Foundation.
enum JSONQuoting {
    /// A string in quotes (RFC 8259 §7); controls, which a library's message or a camera's name might hold, become spaces.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case _ where scalar.isControl: result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
