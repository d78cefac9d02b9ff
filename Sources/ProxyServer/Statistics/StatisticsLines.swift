/// Renders a response of `/stats` as readable lines, with rates if there is an earlier response.
struct StatisticsLines {
    /// The lines, each with its line end.
    let text: String

    /// Renders the statistics of a table that have a phrase and that the daemon reports.
    init<Reading>(_ table: [Statistic<Reading>], _ change: StatisticsChange) {
        var phrases: [Phrase.Row: [String]] = [:]
        for statistic in table {
            guard let path = statistic.path else { continue }
            for phrase in statistic.phrases {
                guard let text = Self.text(of: phrase, path, change) else { continue }
                phrases[phrase.line, default: []].append(text)
            }
        }
        text = Phrase.Row.allCases.compactMap { line in
            phrases[line].map { texts in
                let margin = String(repeating: " ", count: max(1, 14 - line.title.count))
                return line.title + margin + Printing.plain(texts.joined(separator: ", ")) + "\n"
            }
        }.joined()
    }

    private static func text(of phrase: Phrase, _ path: String, _ change: StatisticsChange) -> String? {
        if case .written(let text) = phrase.form { return text(change) }
        guard let number = change.number(path), number != 0 || !phrase.omitsZero else { return nil }
        func words(_ words: String) -> String { words.isEmpty ? "" : " \(words)" }
        let text: String
        switch phrase.form {
        case .number(let after): text = "\(number)\(words(after))"
        case .noun(let noun, let plural): text = Printing.count(number, noun, plural: plural)
        case .part(let whole, let after): text = "\(number) of \(change.number(whole) ?? 0)\(words(after))"
        case .size(let after):
            return "\(Printing.size(number))\(words(after))\(phrase.showsRate ? change.byteRate(path) : "")"
        case .sizeOf(let whole):
            let whole = change.number(whole) ?? 0
            let share = whole == 0 ? "" : " (\(number * 100 / whole) %)"
            return "\(Printing.size(number)) of \(Printing.size(whole))\(share)"
        case .written: return nil
        }
        return text + (phrase.showsRate ? change.rate(path) : "")
    }
}
