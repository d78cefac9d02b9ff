import AdminPages

/// Numbers and drawings of the *Live* page.
enum LiveText {
    /// A duration in microseconds: `0.08 ms`, `4.2 ms`, `812 ms`, `3.4 s`.
    static func duration(_ microseconds: Int64) -> String {
        let milliseconds = Double(microseconds) / 1_000
        if milliseconds < 1 { return "\((milliseconds * 100).rounded() / 100) ms" }
        if milliseconds < 1_000 { return "\(Printing.rounded(milliseconds)) ms" }
        return "\(Printing.rounded(milliseconds / 1_000)) s"
    }

    /// A whole number in groups of three digits.
    static func count(_ number: Int) -> String {
        let digits = String(abs(number))
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text += "\u{202F}" }
            text.append(digit)
        }
        return number < 0 ? "−" + text : text
    }

    /// A number per second; `–` if it is not known.
    static func rate(_ value: Double?) -> String {
        guard let value else { return "–" }
        return value < 10 ? Printing.rounded(value) : count(Int(value.rounded()))
    }

    /// A share of a whole in percent.
    static func percent(_ part: Int, of whole: Int) -> String {
        guard whole > 0 else { return "–" }
        let share = Double(part) * 100 / Double(whole)
        return share > 0 && share < 0.1 ? "<0.1 %" : "\(Printing.rounded(share)) %"
    }

    /// The time of day of a time in seconds since 1970, in UTC.
    static func timeOfDay(_ seconds: Int64) -> String {
        let second = ((seconds % 86_400) + 86_400) % 86_400
        return [second / 3_600, second / 60 % 60, second % 60].map { ($0 < 10 ? "0" : "") + String($0) }
            .joined(separator: ":")
    }

    /// A horizontal bar of parts: their classes, and their sizes in units of `whole`.
    ///
    /// - Parameters:
    ///   - label: what the bar says, for readers who do not see it; empty if a table beside it does.
    static func bar(_ parts: [(name: String, size: Double)], of whole: Double, label: String = "") -> HTML {
        var start = 0.0
        var drawn: [HTML] = []
        for part in parts where whole > 0 && part.size > 0 {
            let width = min(1_000, (part.size / whole * 1_000).rounded())
            let place = min(1_000, (start / whole * 1_000).rounded())
            start += part.size
            guard width > 0 else { continue }
            drawn.append("<rect class=\"\(part.name)\" x=\"\(Int(place))\" width=\"\(Int(width))\" height=\"8\"/>")
        }
        let meaning: HTML = label.isEmpty ? "aria-hidden=\"true\"" : "role=\"img\" aria-label=\"\(label)\""
        return """
            <svg class="bar" viewBox="0 0 1000 8" preserveAspectRatio="none" \(meaning)>\(drawn)</svg>
            """
    }

    /// The name of a result in its colour.
    static func result(_ result: RequestResult) -> HTML {
        "<span class=\"tag t-\(result.value)\">\(result.value)</span>"
    }
}
