/// How `cache.memory` is shared out between what is kept there, in bytes.
struct MemoryShares: Sendable, Equatable {
    /// What pictures may have.
    var pictures: Int
    /// What the responses of raw sources may have.
    var raw = 0

    /// All of it.
    var total: Int { pictures + raw }

    /// The same proportions of fewer bytes.
    func within(_ bytes: Int) -> MemoryShares {
        guard bytes < total else { return self }
        let share = Int(Double(raw) / Double(total) * Double(bytes))
        return MemoryShares(pictures: bytes - share, raw: share)
    }
}
