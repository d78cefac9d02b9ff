/// A reading of memory pressure.
struct MemoryReading: Sendable, Equatable {
    /// The share of the last ten seconds in which some task waited for memory, in percent (PSI, proc_pressure(5)); `nil` if unknown.
    var stalled: Double?
    /// The control group nearest to its limit; `nil` without a limit.
    var group: Group?

    /// A control group with a limit.
    struct Group: Sendable, Equatable {
        /// The bytes that cannot be reclaimed by dropping cached file pages.
        var used: Int
        /// Bytes.
        var limit: Int

        /// The usage in percent of the limit.
        var percent: Int { limit == 0 ? 100 : Int(Double(used) / Double(limit) * 100) }
    }

    /// The level of pressure.
    enum Level: Sendable {
        /// The cache may grow.
        case calm
        /// The cache must not grow.
        case tight
        case pressed
        /// The kernel is close to killing processes.
        case critical
    }

    /// The higher level of both measurements.
    var level: Level {
        let (stalled, percent) = (stalled ?? 0, group?.percent ?? 0)
        if stalled >= 40 || percent >= 97 { return .critical }
        if stalled >= 10 || percent >= 90 { return .pressed }
        return stalled >= 5 || percent >= 80 ? .tight : .calm
    }
}
