/// What became of URLs that were translated: counts, a share, and what cannot be said, by option.
///
/// Its size is bounded.
struct TranslationReport {
    /// What cannot be said with one option.
    struct Refusal: Sendable, Hashable {
        /// The option, filter or parameter as the other server spells it.
        let option: String
        var count: Int
        /// The first problem, which names the option.
        let detail: String
        /// The line of the first one, counted from 1.
        let line: Int
    }

    /// The most options that are told apart.
    static let mostOptions = 1_000

    /// URLs that were translated.
    private(set) var translated = 0
    /// URLs that were not.
    private(set) var refused = 0
    /// Lines of an access log that are not of one.
    private(set) var unreadable = 0
    /// Those of `refused` with further options.
    private(set) var others = 0
    /// The time that translating took.
    var time = Duration.zero
    private var refusals: [String: Refusal] = [:]

    /// What cannot be said, the most frequent first.
    var sorted: [Refusal] {
        refusals.values.sorted { ($0.count, $1.line) > ($1.count, $0.line) }
    }

    mutating func addTranslated() { translated += 1 }

    mutating func addUnreadable() { unreadable += 1 }

    mutating func add(_ problem: Problem, line: Int) {
        refused += 1
        let option = problem.parameter ?? "path"
        guard refusals[option] != nil || refusals.count < Self.mostOptions else {
            others += 1
            return
        }
        let prefix = "\(option): "
        let detail = problem.detail.hasPrefix(prefix) ? problem.detail : prefix + problem.detail
        refusals[option, default: Refusal(option: option, count: 0, detail: detail, line: line)].count += 1
    }

    /// A line with the share and the time per URL, then a line for each option.
    var text: String {
        let count = translated + refused
        guard count > 0 else { return "no URLs\n" }
        // Rounded down: only all of them are 100 %.
        let share = Double(translated * 10_000 / count) / 100
        let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
        let each = Printing.rounded(seconds / Double(count) * 1e6)
        var lines = [
            "\(Printing.count(count, "URL")): \(translated) translated (\(share) %), \(refused) not; \(each) µs each"
        ]
        if unreadable > 0 { lines.append("\(Printing.count(unreadable, "line")) left out: not of an access log") }
        let width = sorted.first.map { String($0.count).count } ?? 0
        for refusal in sorted {
            let number = String(refusal.count)
            let pad = String(repeating: " ", count: width - number.count)
            lines.append("  \(pad)\(number)  \(Printing.plain(refusal.detail)) (first in line \(refusal.line))")
        }
        if others > 0 { lines.append("  \(others) with further options") }
        return lines.joined(separator: "\n") + "\n"
    }
}
