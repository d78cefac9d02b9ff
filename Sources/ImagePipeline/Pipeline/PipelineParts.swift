package import HTTPCache
package import LinuxSystem

/// Everything that the stages share: the tiers, the lanes, the seams to outside, and their bounds.
package struct PipelineParts: Sendable {
    package var memory: MemoryCache<Entity>
    /// The disk tier; `nil` runs without one.
    package var disk: (any DiskStoring)?
    /// Where disk look-ups and other short blocking work run.
    package var readLane: WorkLane
    package var loader: any OriginLoading
    package var transformer: any Transforming
    package var time: any TimeSource
    /// Failures that are not tried again for a while.
    package var failures: NegativeCache<PipelineError>
    /// Encodes the header fields of an entity's answers, once (the server's business, the cache's memory).
    package var presentation: @Sendable (EntityDescription) -> [UInt8]
    package var limits: Limits
    /// What exchanges with origins share.
    var exchanges: CacheExchange<OriginRequest>.Context {
        CacheExchange.Context(
            loader: ResponseLoader(loader: loader),
            failures: failures,
            lane: readLane,
            time: time,
            continueAfter: limits.continueAfter
        )
    }

    let origins = OriginTable()
    let recent = RecentOriginals()
    /// How much decoding was saved.
    let sharing = SharingStatistics()
    /// What became of AVIFs that were not made while somebody waited.
    let deferrals = DeferredStatistics()
    /// What searches for qualities and formats have found.
    let encodings = EncodingCounts()
    /// Variants on disk that are not kept in memory, each with its open file: what a hit needs, without a look-up.
    let openFiles: MemoryCache<Entity>

    /// Bytes up to which a body is kept in memory now; larger ones are sent from their file.
    var memoryObject: Int { min(limits.memoryObject, memory.largestCost) }

    /// Bounds of the pipeline as a whole.
    package struct Limits: Sendable {
        /// The most waiters of one flight.
        package var waiters: Int
        /// The most variants, and the most originals, under way at a time.
        package var flights: Int
        /// Bytes up to which a body is kept in memory, where the cache takes that much.
        package var memoryObject: Int
        /// Bytes of an original after which its download goes on although nobody waits (SDWebImage's ContinueInBackground).
        package var continueAfter: Int
        /// Files of variants that are kept open.
        package var openFiles: Int
        /// Variants that may wait for their AVIF.
        package var deferred: Int

        /// Creates bounds.
        package init(
            waiters: Int = 1000,
            flights: Int = 10_000,
            memoryObject: Int = 1 << 20,
            continueAfter: Int = 256 << 10,
            openFiles: Int = 512,
            deferred: Int = 64
        ) {
            self.waiters = waiters
            self.flights = flights
            self.memoryObject = memoryObject
            self.continueAfter = continueAfter
            self.openFiles = openFiles
            self.deferred = deferred
        }
    }

    /// Puts the parts together.
    ///
    /// - Parameter keeper: where failures outlive the process; `nil` keeps them in memory alone.
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
        openFiles = MemoryCache(
            MemoryCache.Configuration(capacity: limits.openFiles, shards: 8, largestDivisor: 1, overhead: 0)
        )
        self.presentation = presentation
    }
}
