import Cluster
import HTTPCache
import HTTPKit
import ImagePipeline
import LinuxSystem
import OriginTransfer

/// The counts of all parts of the daemon, each part read once; `StatisticsTable` defines how they are reported.
struct StatisticsReading: Sendable {
    let version: String
    /// Seconds since the daemon's start.
    let uptime: Int
    /// Whether the daemon accepts traffic.
    let isReady: Bool
    let metrics: Metrics
    /// Quotas of the memory tiers.
    let shares: MemoryShares
    /// The memory budget and its parts.
    let plan: MemoryPlan
    /// The bytes in use of the parts of `plan`, by name.
    let memoryUsed: [String: Int]
    /// How often freed memory was returned to the system.
    let trims: Int
    /// Quotas of the disk tiers.
    let quotas: Configuration.Cache
    let memory: MemoryStatistics
    let raw: MemoryStatistics
    let pressure: MemoryPressureMonitor.Status
    let disk: DiskStatistics
    let diskHealth: DiskHealth
    let transfers: TransferStatistics
    /// Circuit breakers that are not closed.
    let breakers: [OpenBreaker]
    /// Names of suspended sources.
    let suspended: [String]
    /// Names of sources that are offline, by order or by configuration.
    let offline: [String]
    /// Sources with `tls.verify: false`.
    let unverified: Int
    let workers: WorkerPool.Statistics
    /// The confinement of the workers.
    let sandbox: SandboxReport
    let server: ServerStatistics
    /// The maximum number of client connections.
    let connectionLimit: Int
    /// The number of client accounts that use something.
    let clientCount: Int
    /// The accounts that use the most.
    let clients: [(account: String, use: ClientAccounts.Use)]
    let variantsUnderWay: Int
    let originalsUnderWay: Int
    let mezzaninesMade: UInt64
    let mezzaninesUsed: UInt64
    let decodesShared: UInt64
    let variantsResolved: UInt64
    let deferrals: DeferredStatistics
    let recompressions: DeferredStatistics
    let deferredWaiting: Int
    let encodings: EncodingCounts.Statistics
    let failures: (entries: Int, hits: UInt64)
    let droppedLogLines: UInt64
    let warm: WarmMetrics
    /// What each site holds and was asked, by name; empty unless sites are configured.
    let sites: [SiteReading]
    let activity: EventHub.Statistics
    /// Images that are made after their placeholder was sent.
    let slowMisses: Int
    /// Images that are to be made after something else was sent under overload.
    let brownouts: Int
    let tracing: TracingReading
    /// The log of purges; `nil` outside of a cluster.
    let cluster: LogStatus?
    /// The questions to owners, and the nodes; `nil` without `cluster.nodes`.
    let owners: (asked: OwnerClient.Statistics, nodes: [NodeTable.Status])?
    /// `nil` without `cluster.store`.
    let sharedStore: StoreStatistics?
    /// Requests for leases by result; `nil` without leases.
    let leases: [LeaseResult: Int]?
    /// `nil` if it was not requested, or if no worker could be queried.
    let coders: CoderList?
    /// Requests by source.
    let sources: [SourceReading]
    let process: ProcessReading
    let libraries: LinkedLibraries
    /// Bytes free on the file system of the disk cache; `nil` without one.
    let freeSpace: Int?
}

/// Reads a running daemon's parts; any thread.
struct StatisticsReader: Sendable {
    let metrics: Metrics
    let memory: MemoryCache<Entity>
    let raw: RawCache
    let pressure: MemoryPressureMonitor
    let store: DiskStore
    let transfers: TransferEngine
    let suspended: SuspendedSources
    let workers: WorkerPool
    let pipeline: Pipeline
    let warmer: Warmer
    let events: EventHub
    let slowMisses: SlowMisses
    let brownouts: Brownouts
    let pictures: PlaygroundPictures
    let tracer: Tracer
    /// `nil` outside of a cluster.
    let follower: LogFollower?
    let owners: ClusterNodes?
    let sharedStore: SharedStore?
    let leases: DownloadLeases?
    let server: HTTPServer
    let accessLog: LineSink
    let accessLogBudget: LineBudget
    let readiness: Readiness
    let live: LiveConfiguration
    let time: any TimeSource
    /// The monotonic clock at the daemon's start, in nanoseconds.
    let start: Int64
    /// `nil` without a disk cache.
    let freeSpace: FreeSpace?

    /// The most client accounts that `/stats` lists.
    private static let listedClients = 10

    /// Reads the current counts, which are not all from the same instant; does not block.
    ///
    /// - Parameter coders: the result of `CoderSurvey`, if it is to be reported.
    func read(coders: CoderList? = nil) -> StatisticsReading {
        let (configuration, sharing) = (live.current, pipeline.sharing)
        let (pool, disk) = (workers.statistics, store.statistics)
        let (memory, raw) = (memory.statistics, raw.statistics)
        let resident = pool.workers.reduce(0) { $0 + $1.residentBytes }
        return StatisticsReading(
            version: Version.text,
            uptime: Int((time.monotonic - start) / 1_000_000_000),
            isReady: readiness.isReady,
            metrics: metrics,
            shares: configuration.memoryShares,
            plan: configuration.memoryPlan,
            memoryUsed: [
                "cache": memory.bytes + raw.bytes,
                "bodies": transfers.ledgers.memory.used,
                "writes": disk.queuedBytes,
                "failures": pipeline.failures.bytes,
                "playground": pictures.bytes,
                "decoded": pool.decodedBytes,
                "workers": resident,
                "daemon": ResidentMemory.bytes,
            ].merging(sharedStore.map { ["shared": $0.queue.counts.bytes] } ?? [:]) { $1 },
            trims: pressure.trims,
            quotas: configuration.cache,
            memory: memory,
            raw: raw,
            pressure: pressure.status,
            disk: disk,
            diskHealth: store.health,
            transfers: transfers.statistics,
            breakers: transfers.openBreakers,
            suspended: suspended.names(.suspended),
            offline: suspended.offline(in: configuration),
            unverified: configuration.allSources.count { !$0.rule.tls.verifies },
            workers: pool,
            sandbox: readiness.sandbox,
            server: server.statistics,
            connectionLimit: configuration.limits.connections,
            clientCount: server.accounts.count,
            clients: server.accounts.largest(Self.listedClients),
            variantsUnderWay: pipeline.variantsUnderWay,
            originalsUnderWay: pipeline.originalsUnderWay,
            mezzaninesMade: sharing.mezzaninesMade,
            mezzaninesUsed: sharing.mezzaninesUsed,
            decodesShared: sharing.decodesShared,
            variantsResolved: sharing.variantsResolved,
            deferrals: pipeline.deferrals,
            recompressions: pipeline.recompressions,
            deferredWaiting: pipeline.deferredWaiting,
            encodings: pipeline.encodings,
            failures: pipeline.failures.statistics,
            droppedLogLines: accessLogBudget.dropped + accessLog.dropped,
            warm: warmer.metrics,
            sites: sites(configuration),
            activity: events.statistics,
            slowMisses: slowMisses.underWay,
            brownouts: brownouts.waiting,
            tracing: TracingReading(tracer),
            cluster: follower?.status,
            owners: owners.map { ($0.client.statistics, $0.table.statuses) },
            sharedStore: sharedStore?.statistics,
            leases: leases?.results,
            coders: coders,
            sources: metrics.sources.read(metrics.sourceNumbers.names),
            process: ProcessReading(),
            libraries: .current,
            freeSpace: freeSpace?.bytes
        )
    }
}

extension FreeSpace {
    /// Measures the file system of the disk cache on the read lane; `nil` without a disk cache.
    convenience init?(_ configuration: Configuration, _ pipeline: Pipeline) {
        guard configuration.cache.hasDisk else { return nil }
        let path = configuration.cache.path
        self.init(measure: { MachineProbe().fileSystem(path)?.freeBytes }, submit: { pipeline.submit($0) })
    }
}
