/// Which of several tiers an operation uses (SDWebImage: `SDImageCachesManagerOperationPolicy`).
package enum TierChoice: String, Hashable, Sendable, CaseIterable {
    /// One tier after the other, from the highest on, until one suffices.
    case serial
    /// All tiers at once.
    case concurrent
    /// Only memory.
    case highest
    /// Only the disk, with its seed.
    case lowest
}

/// How the two tiers, memory and disk, are used by all sources.
///
/// It does not apply to purges.
package struct TierPolicy: Hashable, Sendable {
    /// The tiers that look-ups read; `concurrent` does not apply.
    package var query = TierChoice.serial
    /// The tiers that receive what is new; `serial` does not apply.
    package var store = TierChoice.concurrent

    /// Creates a policy.
    package init(query: TierChoice = .serial, store: TierChoice = .concurrent) {
        self.query = query
        self.store = store
    }

    /// Whether look-ups read the disk.
    package var readsDisk: Bool { query != .highest }
    /// Whether what is new is written to disk.
    package var writesDisk: Bool { store != .highest }
    /// Whether what is new is inserted into memory.
    package var fillsMemory: Bool { store != .lowest }
    /// Whether what is found on disk is inserted into memory.
    package var promotes: Bool { query != .lowest }
}
