package import LinuxSystem

extension DiskStore {
    /// The settings of a disk store.
    package struct Configuration: Sendable {
        /// The folder's absolute path, created if missing; empty for a store that stores nothing.
        package var path: String
        /// The initial limits.
        package var limits: DiskLimits
        /// The share of its quota, 0–1, down to which a class is evicted.
        package var lowWater: Double = EvictionMarks.lowWater
        /// The maximum bytes of queued objects; a larger object is accepted when the queue is empty.
        package var queueBytes: Int = 64 << 20
        /// The maximum number of queued writes.
        package var queueCount: Int = 4096
        /// The maximum number of access times that wait for the writer; more are dropped.
        package var touchCount: Int = 8192
        /// The maximum number of failures that survive a restart; the oldest are deleted.
        package var failureCount: Int = 100_000
        /// The maximum number of failures that wait for the writer; more are dropped.
        package var pendingFailureCount: Int = 8192
        /// The maximum number of bodies, at eight bytes each, that are recorded as verified since the start.
        package var verifiedCount: Int = 1 << 18
        /// Seconds between a disk error and the next attempt.
        package var retrySeconds: Int64 = 5
        /// Whether another process is about to release the folder, so that the store is degraded until it has, and not refused.
        package var waitsForLock = false
        /// Whether the writer reconciles files and rows in the background after the start.
        package var reconciles: Bool = true
        /// Whether this release can read an entry's metadata; otherwise the entry is a miss.
        ///
        /// Not called for raw responses.
        package var isReadable: @Sendable (DiskClass, _ metadata: [UInt8]) -> Bool = { _, _ in true }
        /// The length in bytes from which a variant's file is bare: it contains the body alone, so that another program can send it
        /// whole; `nil` for none.
        ///
        /// Its trailer is an extended attribute. Where the file system has none, or no room for it, the entry is lost with the index.
        package var bareFrom: Int?
        /// Closes other descriptors when there is none for reading a file; `nil` if there are no such descriptors.
        package var relief: DescriptorRelief?
        /// A read-only cache folder, searched after the store's own.
        package var seed: String?
        /// Called on the writer's thread when the store becomes degraded, and when it recovers.
        package var healthChanged: (@Sendable (DiskHealth) -> Void)?
        /// Called with the path of a content file that has turned out to be damaged, and is removed unless it is in the seed; any thread,
        /// must not block.
        package var fileDamaged: (@Sendable (_ path: String) -> Void)?
        /// Called on the writer's thread when the index begins, or continues, to be rebuilt from the files.
        package var indexLost: (@Sendable () -> Void)?
        /// The clocks.
        package var time: any TimeSource
        /// The file system for content files.
        package var files: any FileSystem

        /// Creates a configuration; each class has a quota of 10 GiB by default.
        package init(
            path: String,
            originalsQuota: Int = 10 << 30,
            variantsQuota: Int = 10 << 30,
            time: any TimeSource = SystemTime(),
            files: any FileSystem = SystemFiles()
        ) {
            self.path = path
            limits = DiskLimits(originals: originalsQuota, variants: variantsQuota)
            self.time = time
            self.files = files
        }

        /// Whether the file of a variant of this length is bare.
        func isBare(_ length: Int) -> Bool { bareFrom.map { length >= $0 } ?? false }
    }
}

/// The limits on a store's size and age; can be changed while it runs.
package struct DiskLimits: Hashable, Sendable {
    /// Bytes of originals; 0 stores none.
    package var originals: Int
    /// Bytes of variants; 0 stores none.
    package var variants: Int
    /// Bytes of the file system to leave free; below that, the least recently used entries are evicted and nothing is stored.
    ///
    /// 0 for no minimum.
    package var minimumFree = 0
    /// Seconds without use after which an entry is removed; 0 for never (SDWebImage: `maxDiskAge`, by access date).
    package var maximumAge: Int64 = 0
    /// The parts of the quotas that namespaces have for themselves, by name.
    package var reserved: [String: Reservation] = [:]

    /// The quotas of one namespace; `nil` where it shares the rest with all others without one.
    package struct Reservation: Hashable, Sendable {
        /// Bytes of originals.
        package var originals: Int?
        /// Bytes of variants.
        package var variants: Int?

        /// Creates a reservation.
        package init(originals: Int? = nil, variants: Int? = nil) {
            self.originals = originals
            self.variants = variants
        }
    }

    /// Creates limits.
    package init(originals: Int, variants: Int, minimumFree: Int = 0, maximumAge: Int64 = 0) {
        self.originals = originals
        self.variants = variants
        self.minimumFree = minimumFree
        self.maximumAge = maximumAge
    }

    /// The quota of a class, in bytes.
    subscript(diskClass: DiskClass) -> Int {
        switch diskClass {
        case .originals: originals
        case .variants: variants
        }
    }
}

/// The two kinds of bodies on disk, each with its own quota.
package enum DiskClass: Int, Hashable, Sendable, CaseIterable {
    case originals = 0
    case variants = 1

    /// The folder's name below the store's path.
    var folder: String {
        switch self {
        case .originals: "originals"
        case .variants: "variants"
        }
    }
}
