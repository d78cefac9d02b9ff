/// What `/stats` answered, and what it answered some time before.
struct StatisticsChange: Sendable {
    /// The JSON object.
    let now: JSONValue
    /// The object before, of the same run of the daemon.
    let before: JSONValue?
    /// Seconds between the two.
    let seconds: Double

    /// Compares two answers.
    ///
    /// - Parameters:
    ///   - before: left out where a counter has fallen since, as after a restart of the daemon.
    ///   - seconds: more than 0.
    ///   - table: says which numbers are counters.
    init<Reading>(_ now: JSONValue, before: JSONValue?, seconds: Double, table: [Statistic<Reading>]) {
        self.now = now
        let counters = table.filter { $0.kind == .counter }.compactMap(\.path)
        self.before = before.flatMap { before in
            let hasFallen = counters.contains { path in
                guard let old = before[path]?.double, let new = now[path]?.double else { return false }
                return new < old
            }
            return hasFallen ? nil : before
        }
        self.seconds = seconds
    }

    /// The whole number at a path.
    func number(_ path: String) -> Int? { now[path]?.int }

    /// The growth of a number since the answer before; all of it where there is none.
    func growth(_ path: String) -> Int { (number(path) ?? 0) - (before?[path]?.int ?? 0) }

    /// ` (12/s)` of what grows; nothing without an answer before.
    func rate(_ path: String) -> String {
        before == nil ? "" : " (\(Printing.rounded(Double(growth(path)) / seconds))/s)"
    }

    /// ` (3 MiB/s)` of bytes; nothing without an answer before.
    func byteRate(_ path: String) -> String {
        before == nil ? "" : " (\(Printing.size(Int(Double(growth(path)) / seconds)))/s)"
    }
}
