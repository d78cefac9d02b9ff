import HTTPSemantics

/// Parses header fields of a client that is only assumed, for explanations.
enum ClientFields {
    /// Parses lines such as `Host: img.example.com`.
    ///
    /// - Parameter parameter: the parameter to name in errors.
    /// - Throws: 400 for an invalid line.
    static func parse(_ lines: [String], parameter: String) throws(Problem) -> FieldLines {
        var fields = FieldLines()
        for text in lines {
            guard let line = FieldLine(line: Array(text.utf8)) else {
                throw Problem(
                    400,
                    "\(parameter): must be a header field such as Host: img.example.com",
                    parameter: parameter
                )
            }
            fields.append(line)
        }
        return fields
    }
}
