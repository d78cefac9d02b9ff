extension MemoryPlan {
    /// The problem of parts that together exceed the budget; `nil` if they do not.
    var warning: String? {
        guard sum > budget else { return nil }
        return "\(list) add up to \(Printing.size(sum)), more than limits.memory (\(Printing.size(budget)))"
    }

    /// The parts with their sizes.
    var list: String { parts.map { "\($0.title) \(Printing.size($0.limit))" }.joined(separator: ", ") }
}
