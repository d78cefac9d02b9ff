/// Which tiers keep something.
package enum CacheTiers: String, Hashable, Sendable, CaseIterable {
    /// Both.
    case all
    /// Memory alone.
    case memory
    /// The disk alone.
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
