/// What a check of a cache folder came to.
package struct DiskCheckResult: Hashable, Sendable {
    /// One class's numbers.
    package struct Class: Hashable, Sendable {
        package var entries = 0
        package var bytes = 0

        /// Creates zeros.
        package init() {}
    }

    /// What the rows say is stored, after the repair where there was one.
    package var originals = Class()
    package var variants = Class()
    /// How often each kind of damage was found.
    package var found: [DiskDamage.Kind: Int] = [:]
    /// How many of these have been repaired.
    package var repaired = 0
    /// How much was still wrong when the folder was looked at once more; all that was found where nothing was repaired.
    package var remaining = 0

    /// Creates the result of nothing.
    package init() {}

    /// Things that are wrong; what is not the cache's does not count.
    package var damages: Int { found.reduce(0) { $0 + ($1.key == .unknown ? 0 : $1.value) } }
    /// Whether the folder is sound now.
    package var isSound: Bool { remaining == 0 }
}

/// How far a check has got.
package struct DiskCheckProgress: Hashable, Sendable {
    /// Entries whose files have been looked at, of those that there are.
    package var entries = 0
    package var total = 0
    /// Bytes of them.
    package var bytes = 0

    /// Creates the beginning.
    package init() {}
}
