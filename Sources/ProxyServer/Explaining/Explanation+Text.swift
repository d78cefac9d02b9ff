extension Explanation {
    /// Aligned columns: name, value, origin.
    var text: String {
        var lines = [Explanation.printable(target)]
        if let problem {
            let parameter = problem.parameter.map { " (parameter \($0))" } ?? ""
            lines.append("")
            lines.append(
                "responds with \(problem.status) \(StatusPhrase.of(problem.status)): "
                    + Explanation.printable(problem.detail + parameter)
            )
        }
        let rows = sections.map { section in section.facts.flatMap(\.rows) }
        let names = Explanation.width(rows.joined().map(\.name), atMost: 24)
        let values = Explanation.width(rows.joined().filter { !$0.origin.isEmpty }.map(\.value), atMost: 56)
        for (section, rows) in zip(sections, rows) where !rows.isEmpty {
            lines += ["", section.name]
            lines += rows.map { row in
                let name = Explanation.padded(row.name, names)
                guard !row.origin.isEmpty else { return "  \(name)  \(row.value)" }
                return "  \(name)  \(Explanation.padded(row.value, values))  \(row.origin)"
            }
        }
        if omitted > 0 {
            let settings = Printing.count(omitted, "setting")
            lines += ["", "\(settings) at the default; --all (all=1 on the admin listener) shows them, too"]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// One line of the table.
    fileprivate struct Row {
        var name: String
        var value: String
        var origin: String
    }

    private static func width(_ texts: [String], atMost limit: Int) -> Int {
        texts.map(\.count).filter { $0 <= limit }.max() ?? 0
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// The text without characters that could end the line or control the terminal.
    fileprivate static func printable(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: "\u{FFFD}"
            default: String(scalar)
            }
        }
        return scalars.joined()
    }
}

extension Explanation.Fact {
    /// One line, or several for a fact with details; a single detail with the same value gets no line.
    fileprivate var rows: [Explanation.Row] {
        let value = Explanation.printable(words ?? value.words)
        let same = details.count == 1 && details.allSatisfy { "\($0.name)=\($0.value.words)" == value }
        let shown = same ? details[0].origin : origin
        let row = Explanation.Row(name: name, value: value, origin: shown.map { Explanation.printable("\($0)") } ?? "")
        guard !same else { return [row] }
        return [row]
            + details.flatMap(\.rows).map { Explanation.Row(name: "  " + $0.name, value: $0.value, origin: $0.origin) }
    }
}
