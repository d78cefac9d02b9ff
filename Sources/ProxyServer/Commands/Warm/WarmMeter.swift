import LinuxSystem

/// Formats the progress of a warm job: a bar on a terminal, otherwise a line every few seconds.
struct WarmMeter {
    private var meter: ProgressMeter

    init(isTerminal: Bool, time: any TimeSource) {
        meter = ProgressMeter(isTerminal: isTerminal, time: time)
    }

    /// The text that removes the bar.
    var clear: String { meter.clear }

    /// The text for a report; empty if it is not time for a line yet.
    mutating func text(_ report: JSONValue) -> String {
        let notes = ["failed", "skipped"].compactMap { name -> String? in
            guard let count = report[name]?.int, count > 0 else { return nil }
            return "\(count) \(name)"
        }
        return meter.text(Self.finished(report), of: report["total"]?.int ?? 0, notes: notes)
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
