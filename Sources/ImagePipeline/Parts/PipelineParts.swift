package import HTTPCache
package import LinuxSystem
package import OriginTransfer

/// The dependencies that the stages share: cache tiers, lanes, loader, transformer and limits.
package struct PipelineParts: Sendable {
    package var memory: MemoryCache<Entity>
    /// The disk tier; `nil` disables it.
    package var disk: (any DiskStoring)?
    /// The tier that the nodes of a cluster share; `nil` without one.
    package var shared: (any SharedStoring)?
    /// Lets nodes without owners take turns at downloads; `nil` without a shared store.
    package var leases: (any DownloadLeasing)?
    /// The threads for disk look-ups and other short blocking work.
    package var readLane: WorkLane
    package var loader: any OriginLoading
    package var transformer: any Transforming
    package var time: any TimeSource
    /// The remembered failures.
    package var failures: NegativeCache<PipelineError>
    /// Encodes the header fields of an entity's responses, once; provided by the server.
    package var presentation: @Sendable (EntityDescription) -> [UInt8]
    package var limits: Limits
    /// How the cache tiers are used.
    package var tiers: TierPolicy
    /// Is told about transfers and stored variants.
    package var observer: (any ActivityObserving)?
    /// The accounts of bodies in memory; `nil` if they are not counted.
    package var ledgers: BodyLedgers?
    /// Asks the nodes that own originals; `nil` without a cluster.
    package var owners: (any OwnerAsking)?
    /// The dependencies of exchanges with origins.
    var exchanges: CacheExchange<OriginRequest>.Context {
        CacheExchange.Context(
            loader: ResponseLoader(loader: loader, observer: observer),
            failures: failures,
            lane: readLane,
            time: time,
            progress: progress
        )
    }

    /// The node's knowledge of purges.
    let progress: PurgeProgress
    let origins: OriginTable
    let recent = RecentOriginals()
    /// The bodies and resolved variants in memory.
    let bodies = BodyTable()
    /// The variants that may be served in place of others under overload.
    let sizes = VariantSizes()
    /// Counts of saved decodes.
    let sharing = SharingStatistics()
    /// The results of deferred AVIFs.
    let deferrals = DeferredStatistics()
    /// The results of encoding popular variants again.
    let recompressions = DeferredStatistics()
    /// Counts of the searches for qualities and formats.
    let encodings = EncodingCounts()
    /// Variants on disk that are not in memory, each with its open file, so that a hit needs no look-up.
    ///
    /// A file that the disk deletes is closed, as its space would not be free otherwise.
    let openFiles: MemoryCache<Entity>

    /// Maximum bytes of a body in memory; larger ones are sent from their file.
    var memoryObject: Int { min(limits.memoryObject, memory.largestCost) }

    /// The limits of the whole pipeline.
    package struct Limits: Sendable {
        /// Maximum number of waiters per flight.
        package var waiters: Int
        /// Maximum number of variants in progress, and of originals.
        package var flights: Int
        /// Maximum bytes of a body in memory, if the cache accepts that size.
        package var memoryObject: Int
        /// Maximum number of open files of variants; by default an eighth of the process's descriptors, at most 512.
        package var openFiles: Int
        /// Maximum number of variants that wait for their AVIF, and of originals that wait for their lossless copy.
        package var deferred: Int
        /// The length in bytes from which a variant's content file may be bare (`DiskStore.Configuration.bareFrom`); `nil` for none.
        package var bareFrom: Int?

        /// Creates limits.
        package init(
            waiters: Int = 1000,
            flights: Int = 10_000,
            memoryObject: Int = 1 << 20,
            openFiles: Int? = nil,
            deferred: Int = 64,
            bareFrom: Int? = nil
        ) {
            self.waiters = waiters
            self.flights = flights
            self.memoryObject = memoryObject
            self.openFiles = openFiles ?? min(512, DescriptorLimit.current / 8)
            self.deferred = deferred
            self.bareFrom = bareFrom
        }
    }

    /// Creates the parts.
    ///
    /// - Parameters:
    ///   - keeper: stores failures across restarts; `nil` keeps them in memory only.
    ///   - progress: the node's knowledge of purges.
    package init(
        memory: MemoryCache<Entity>,
        disk: (any DiskStoring)?,
        readLane: WorkLane,
        loader: any OriginLoading,
        transformer: any Transforming,
        time: any TimeSource,
        failures: FailurePolicy = FailurePolicy(),
        keeper: (any FailureKeeping)? = nil,
        limits: Limits,
        tiers: TierPolicy = TierPolicy(),
        progress: PurgeProgress = .alone,
        presentation: @escaping @Sendable (EntityDescription) -> [UInt8]
    ) {
        self.memory = memory
        self.disk = disk
        self.readLane = readLane
        self.loader = loader
        self.transformer = transformer
        self.time = time
        self.failures = NegativeCache<PipelineError>(policy: failures, time: time, keeper: keeper)
        self.limits = limits
        self.tiers = tiers
        self.progress = progress
        origins = OriginTable(progress: progress)
        // Shards of a few files each would be filled unevenly.
        let shards = limits.openFiles < 256 ? 1 : 8
        openFiles = MemoryCache(
            MemoryCache.Configuration(capacity: limits.openFiles, shards: shards, largestDivisor: 1, overhead: 0)
        )
        self.presentation = presentation
        memory.observeDrops { [bodies, weak memory] entity in
            if let memory { bodies.release(entity, in: memory) }
        }
        disk?.observeDeletions { [openFiles] files in
            switch files {
            case .variants(let keys): for key in keys { openFiles.remove(key) }
            case .any: openFiles.removeAll()
            }
        }
    }
}
