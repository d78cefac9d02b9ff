/// A response of `/stats`, with an earlier one to compute rates from.
struct StatisticsChange: Sendable {
    /// The current JSON object.
    let now: JSONValue
    /// The previous object, from the same run of the daemon; `nil` if there is none.
    let before: JSONValue?
    /// The seconds between the two.
    let seconds: Double

    /// Compares two responses.
    ///
    /// - Parameters:
    ///   - before: the previous response; ignored if a counter has decreased since, as after a restart of the daemon.
    ///   - seconds: more than 0.
    ///   - table: determines which numbers are counters.
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

    /// The increase of a number since the previous response; the whole number if there is none.
    func growth(_ path: String) -> Int { (number(path) ?? 0) - (before?[path]?.int ?? 0) }

    /// The rate of a number as ` (12/s)`; empty without a previous response.
    func rate(_ path: String) -> String {
        before == nil ? "" : " (\(Printing.rounded(Double(growth(path)) / seconds))/s)"
    }

    /// The rate of a size as ` (3 MiB/s)`; empty without a previous response.
    func byteRate(_ path: String) -> String {
        before == nil ? "" : " (\(Printing.size(Int(Double(growth(path)) / seconds)))/s)"
    }
}
