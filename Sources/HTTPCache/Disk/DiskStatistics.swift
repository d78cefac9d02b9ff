/// The contents of a disk store, and counters since it was opened.
package struct DiskStatistics: Hashable, Sendable {
    /// Statistics of one class.
    package struct Class: Hashable, Sendable {
        /// Rows with bytes.
        package var entries = 0
        package var bytes = 0
        package var hits = 0
        package var misses = 0
        package var stores = 0
        /// Writes dropped: queue full, store degraded, larger than the quota, void or incomplete.
        package var drops = 0
        /// Entries evicted to stay within the quota.
        package var evictions = 0

        /// Creates zeros.
        package init() {}
    }

    /// What one namespace holds.
    package struct Namespace: Hashable, Sendable {
        /// Originals with bodies, and their bytes.
        package var originals = 0
        package var originalBytes = 0
        package var variants = 0
        package var variantBytes = 0

        /// Creates zeros.
        package init() {}

        mutating func add(_ diskClass: DiskClass, _ count: DiskTotals.Count) {
            switch diskClass {
            case .originals: (originals, originalBytes) = (count.entries, count.bytes)
            case .variants: (variants, variantBytes) = (count.entries, count.bytes)
            }
        }
    }

    package var originals = Class()
    package var variants = Class()
    /// The shares of named namespaces in these, by name.
    package var namespaces: [String: Namespace] = [:]
    /// Writes dropped, of both classes.
    package var drops: Int { originals.drops + variants.drops }
    /// Disk I/O and index errors.
    package var errors = 0
    /// Bodies removed because their bytes no longer match their digests.
    package var corruptions = 0
    /// Entries removed for their age.
    package var expirations = 0
    /// Files whose rows were rebuilt from their trailers.
    package var adoptions = 0
    /// Bodies stored as another name of a file with the same bytes.
    package var links = 0
    /// Damaged indexes that were replaced.
    package var rebuilds = 0
    /// Queued writes, and their bytes.
    package var queuedWrites = 0
    package var queuedBytes = 0

    /// Creates zeros.
    package init() {}

    /// Statistics of one class.
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

/// Whether a disk store is working.
package enum DiskHealth: Hashable, Sendable, CustomStringConvertible {
    case healthy
    /// Nothing is stored for now, and reads may miss; the text tells operators why.
    case degraded(String)
    /// As degraded, until another process releases the folder, which it is about to do.
    case waiting
    /// There is no disk tier: the store has no folder.
    case off

    package var description: String {
        switch self {
        case .healthy: "ok"
        case .degraded(let reason): "degraded: \(reason)"
        case .waiting: "waiting: another process is about to release the folder"
        case .off: "off"
        }
    }
}
