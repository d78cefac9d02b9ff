/// The numbers of entries that a purge removed or would remove, or that a soft purge marked as stale.
package struct PurgeCounts: Hashable, Sendable {
    /// Originals on disk.
    package var originals = 0
    /// Variants on disk.
    package var variants = 0
    /// Bytes of both on disk, including those that entries outside the selection share.
    package var bytes = 0
    /// Entries in memory.
    package var memory = 0
    /// Downloads and transforms in progress whose results are not stored.
    package var flights = 0
    /// Whether the disk was unavailable: the selection is hidden, and is removed from the disk later.
    package var isDiskPending = false
    /// Whether a restart would lose what is pending, as the disk cannot be written at all.
    package var isVolatile = false

    /// Creates zero counts.
    package init() {}

    /// Adds the disk counts of another part.
    package mutating func add(_ other: PurgeCounts) {
        originals += other.originals
        variants += other.variants
        bytes += other.bytes
    }
}
