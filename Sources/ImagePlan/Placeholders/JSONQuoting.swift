/// Quotes JSON strings without Foundation.
enum JSONQuoting {
    /// Quotes a string (RFC 8259 §7); control characters, which library messages and camera names may contain, become spaces.
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
