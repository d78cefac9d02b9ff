import LinuxSystem

/// Formats the progress of a warm job: a bar on a terminal, otherwise a line every few seconds.
struct WarmMeter {
    /// Nanoseconds between two plain lines.
    private static let interval: Int64 = 5_000_000_000
    private static let width = 30

    private let isTerminal: Bool
    private let time: any TimeSource
    /// The first report that was shown, from which the rate is computed.
    private var first: (finished: Int, at: Int64)?
    private var shownAt = Int64.min

    init(isTerminal: Bool, time: any TimeSource) {
        (self.isTerminal, self.time) = (isTerminal, time)
    }

    /// The text that removes the bar.
    var clear: String { isTerminal && first != nil ? "\r\u{1B}[K" : "" }

    /// The text for a report; empty if it is not time for a line yet.
    mutating func text(_ report: JSONValue) -> String {
        let now = time.monotonic
        let (total, finished) = (report["total"]?.int ?? 0, Self.finished(report))
        let start = first ?? (finished, now)
        first = start
        let seconds = Double(now - start.at) / 1e9
        let rate = seconds > 0 ? Double(finished - start.finished) / seconds : 0
        var words = "\(finished) of \(total)"
        if let failed = report["failed"]?.int, failed > 0 { words += ", \(failed) failed" }
        if let skipped = report["skipped"]?.int, skipped > 0 { words += ", \(skipped) skipped" }
        if rate > 0 {
            let left = Int((Double(total - finished) / rate).rounded(.up))
            words += ", \(Printing.rounded(rate))/s, \(Printing.duration(left)) left"
        }
        let share = total > 0 ? Double(finished) / Double(total) : 1
        let percent = Int(share * 100)
        if isTerminal {
            let filled = Int(share * Double(Self.width))
            let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: Self.width - filled)
            return "\r[\(bar)] \(percent) % \(words)\u{1B}[K"
        }
        guard shownAt == .min || now - shownAt >= Self.interval else { return "" }
        shownAt = now
        return "\(percent) %: \(words)\n"
    }

    /// The line for a job that has ended.
    static func end(_ report: JSONValue) -> String {
        func number(_ name: String) -> Int { report[name]?.int ?? 0 }
        let state = report["state"]?.words ?? ""
        return "job \(number("id")) \(state): \(number("done")) done, \(number("skipped")) skipped, "
            + "\(number("failed")) failed of \(Printing.count(number("total"), "target"))\n"
    }

    /// A line for each target that failed, as far as the daemon reports them.
    static func failures(_ report: JSONValue) -> [String] {
        guard case .array(let failures)? = report["failures"] else { return [] }
        var lines = failures.map { failure in
            Printing.plain("\(failure["target"]?.words ?? ""): \(failure["reason"]?.words ?? "")") + "\n"
        }
        let more = (report["failed"]?.int ?? 0) - lines.count
        if more > 0 { lines.append("and \(more) more\n") }
        return lines
    }

    private static func finished(_ report: JSONValue) -> Int {
        ["done", "skipped", "failed"].reduce(0) { $0 + (report[$1]?.int ?? 0) }
    }
}
