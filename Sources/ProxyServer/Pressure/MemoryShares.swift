/// The shares of `cache.memory`, in bytes, or of `cache.memory-entries`.
struct MemoryShares: Sendable, Equatable {
    /// The share of images.
    var pictures: Int
    /// The share of raw responses.
    var raw = 0

    /// The sum of the shares.
    var total: Int { pictures + raw }

    /// The same proportions of another total.
    func within(_ bytes: Int) -> MemoryShares {
        guard bytes < total else { return self }
        let share = Int(Double(raw) / Double(total) * Double(bytes))
        return MemoryShares(pictures: bytes - share, raw: share)
    }
}
