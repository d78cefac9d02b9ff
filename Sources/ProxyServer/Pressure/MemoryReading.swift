/// How short memory is, at one moment.
struct MemoryReading: Sendable, Equatable {
    /// Percent of the last ten seconds in which some task waited for memory (PSI, proc_pressure(5)); `nil` where nobody tells.
    var stalled: Double?
    /// The control group that is nearest to its limit; `nil` without any limit.
    var group: Group?

    /// A control group with a limit.
    struct Group: Sendable, Equatable {
        /// Bytes that cannot be had back by dropping cached pages of files.
        var used: Int
        /// Bytes.
        var limit: Int

        /// Used in percent of the limit.
        var percent: Int { limit == 0 ? 100 : Int(Double(used) / Double(limit) * 100) }
    }

    /// What the reading asks for.
    enum Level: Sendable {
        /// Cached pictures may take more again.
        case calm
        /// Enough for now, not for more.
        case tight
        case pressed
        /// The kernel is near killing.
        case critical
    }

    /// Judges by the worse of the two.
    var level: Level {
        let (stalled, percent) = (stalled ?? 0, group?.percent ?? 0)
        if stalled >= 40 || percent >= 97 { return .critical }
        if stalled >= 10 || percent >= 90 { return .pressed }
        return stalled >= 5 || percent >= 80 ? .tight : .calm
    }
}
