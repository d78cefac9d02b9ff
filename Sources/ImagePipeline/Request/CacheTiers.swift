/// Which tiers keep what comes of a source.
package enum CacheTiers: String, Hashable, Sendable, CaseIterable {
    /// Results in memory and on disk, originals on disk.
    case all
    /// Results in memory alone.
    case memory
    /// Results and originals on disk alone.
    case disk
    /// Nothing: every request is made anew, though equal ones at one time share the work.
    case none

    package var keepInMemory: Bool { self == .all || self == .memory }
    package var keepOnDisk: Bool { self == .all || self == .disk }

    /// Whether every tier of another choice is one of this, too.
    package func contains(_ other: CacheTiers) -> Bool {
        (keepInMemory || !other.keepInMemory) && (keepOnDisk || !other.keepOnDisk)
    }
}
