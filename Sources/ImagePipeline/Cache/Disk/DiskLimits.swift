/// How much a store may hold, and for how long; a running store takes others over.
package struct DiskLimits: Hashable, Sendable {
    /// Bytes of originals; 0 stores none.
    package var originals: Int
    /// Bytes of variants; 0 stores none.
    package var variants: Int
    /// Bytes of the file system that are left to others: below, the least recently used goes, and nothing is stored; 0 for none.
    package var minimumFree = 0
    /// Seconds without use after which an entry goes; 0 for never (SDWebImage: `maxDiskAge`, by access date).
    package var maximumAge: Int64 = 0

    /// Describes quotas.
    package init(originals: Int, variants: Int, minimumFree: Int = 0, maximumAge: Int64 = 0) {
        self.originals = originals
        self.variants = variants
        self.minimumFree = minimumFree
        self.maximumAge = maximumAge
    }

    /// Bytes that a class may hold.
    subscript(diskClass: DiskClass) -> Int {
        switch diskClass {
        case .originals: originals
        case .variants: variants
        }
    }
}
