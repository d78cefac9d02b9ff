/// What a disk store holds, and has done since it was opened.
package struct DiskStatistics: Hashable, Sendable {
    /// One class's numbers.
    package struct Class: Hashable, Sendable {
        /// Rows with bytes.
        package var entries = 0
        package var bytes = 0
        package var hits = 0
        package var misses = 0
        package var stores = 0
        /// Writes given up: queue full, degraded, larger than the quota, void or short.
        package var drops = 0
        /// Entries that went for the quota's sake.
        package var evictions = 0

        /// Creates zeros.
        package init() {}
    }

    package var originals = Class()
    package var variants = Class()
    /// Writes given up, of both classes.
    package var drops: Int { originals.drops + variants.drops }
    /// Failed calls of the disk and the index, reading or writing.
    package var errors = 0
    /// Bodies that were found to be others than those that were stored, and removed.
    package var corruptions = 0
    /// Entries that went for their age.
    package var expirations = 0
    /// Files that an index was made of again.
    package var adoptions = 0
    /// Damaged indices that were moved aside.
    package var rebuilds = 0
    /// Writes that wait, and their bytes.
    package var queuedWrites = 0
    package var queuedBytes = 0

    /// Creates zeros.
    package init() {}

    /// One class's numbers.
    package subscript(diskClass: DiskClass) -> Class {
        get {
            switch diskClass {
            case .originals: originals
            case .variants: variants
            }
        }
        set {
            switch diskClass {
            case .originals: originals = newValue
            case .variants: variants = newValue
            }
        }
    }
}

/// Whether a disk store does its work.
package enum DiskHealth: Hashable, Sendable, CustomStringConvertible {
    case healthy
    /// Nothing is stored for now, and reads may miss; the text says why, for operators.
    case degraded(String)

    package var description: String {
        switch self {
        case .healthy: "ok"
        case .degraded(let reason): "degraded: \(reason)"
        }
    }
}
