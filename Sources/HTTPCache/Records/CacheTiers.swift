/// A choice of cache tiers.
package enum CacheTiers: String, Hashable, Sendable, CaseIterable {
    /// Memory and disk.
    case all
    /// Memory only.
    case memory
    /// Disk only.
    case disk
    /// No storage; only concurrent equal requests share work.
    case none

    package var keepInMemory: Bool { self == .all || self == .memory }
    package var keepOnDisk: Bool { self == .all || self == .disk }

    /// Whether this choice includes all tiers of another.
    package func contains(_ other: CacheTiers) -> Bool {
        (keepInMemory || !other.keepInMemory) && (keepOnDisk || !other.keepOnDisk)
    }
}
