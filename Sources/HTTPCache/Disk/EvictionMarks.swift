/// When a pool of the disk cache evicts, and down to how many bytes: the arithmetic of its quota.
///
/// `DiskSession` applies it to the index, and `edgeprint simulate` to the requests of an access log. Both evict the least recently
/// used entries first.
package struct EvictionMarks: Hashable, Sendable {
    /// The maximum number of entries that one transaction evicts.
    package static let step = 64
    /// The share of the quota, 0–1, down to which a pool is evicted by default.
    package static let lowWater = 0.9

    /// The most bytes of bodies.
    package let quota: Int
    /// The bytes down to which the pool is evicted once it was full.
    package let low: Int

    /// Creates the marks of a quota.
    ///
    /// - Parameters:
    ///   - quota: in bytes; 0 stores nothing.
    ///   - lowWater: the share of the quota, 0–1, down to which the pool is evicted.
    package init(quota: Int, lowWater: Double = EvictionMarks.lowWater) {
        self.quota = quota
        low = Int(Double(quota) * lowWater)
    }

    /// Whether an object can be stored at all.
    package func admits(_ length: Int) -> Bool { quota > 0 && length <= quota }

    /// Whether a pool that holds some bytes must evict before an object is stored.
    package func mustEvict(_ bytes: Int, before length: Int) -> Bool { bytes > quota - length }

    /// The bytes down to which the pool is evicted before an object is stored.
    package func goal(before length: Int) -> Int { max(0, low - length) }

    /// Whether a started eviction has reached its end.
    ///
    /// The last entry stays: otherwise an object larger than the low-water mark could never be served.
    package func isReached(by bytes: Int, entries: Int) -> Bool { bytes <= low || entries <= 1 }
}
