/// What a purge has removed, or would remove; of a soft one what it has marked as stale.
package struct PurgeCounts: Hashable, Sendable {
    /// Originals on disk.
    package var originals = 0
    /// Variants on disk.
    package var variants = 0
    /// Bytes of both on disk.
    package var bytes = 0
    /// Entries in memory.
    package var memory = 0
    /// Downloads and transforms under way whose results are not kept.
    package var flights = 0
    /// Whether the disk could not be used: what lies there is hidden, and goes when it can.
    package var isDiskPending = false

    /// Nothing yet.
    package init() {}

    /// Adds what was found of another part on disk.
    package mutating func add(_ other: PurgeCounts) {
        originals += other.originals
        variants += other.variants
        bytes += other.bytes
    }
}
