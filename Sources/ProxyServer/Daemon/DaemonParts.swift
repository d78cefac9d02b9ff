import Cluster
import Glibc
import HTTPCache
import HTTPKit
import ImagePipeline
import ImagePlan
import LinuxSystem
import Logging
import OriginTransfer

/// All parts of a running daemon, created from the configuration in order of their dependencies.
///
/// This is the only place where parts are connected.
final class DaemonParts: Sendable {
    let memory: MemoryCache<Entity>
    let pressure: MemoryPressureMonitor
    let raw: RawProxy<OriginRequest>
    let store: DiskStore
    let readLane: WorkLane
    let files: FileLoader
    let transfers: TransferEngine
    let suspended: SuspendedSources
    let workers: WorkerPool
    let pipeline: Pipeline
    let metrics: Metrics
    let publicServer: HTTPServer
    let adminServer: HTTPServer?
    let readiness: Readiness
    let events: EventHub
    let slowMisses: SlowMisses
    let brownouts: Brownouts
    let time: any TimeSource
    let logger: Logger
    let logLevel: LogLevelCell
    /// The current configuration.
    let live: LiveConfiguration
    let resolver: ResolverCell
    let warmer: Warmer
    let tracer: Tracer
    /// What keeps this node up to date with the others' purges; `nil` outside of a cluster.
    let cluster: ClusterLink?
    /// `nil` without `cluster.store`.
    let sharedStore: SharedStore?
    /// `nil` without `cluster.store`, and with `cluster.nodes`.
    let leases: DownloadLeases?
    /// `nil` without `cluster.nodes`.
    let nodes: ClusterNodes?
    /// The sockets passed by the service manager.
    let sockets: ActivatedSockets

    /// Starts all parts except the listeners.
    ///
    /// - Throws: `DiskStoreError`, `Errno` or `RequestError`.
    ///
    /// - Parameters:
    ///   - sockets: the sockets that replace configured addresses.
    ///   - isSuccessor: whether another process serves, and has the cache folder until this one does.
    init(
        _ loaded: LoadedConfiguration,
        sockets: ActivatedSockets,
        time: any TimeSource,
        logger: Logger,
        logLevel: LogLevelCell,
        isSuccessor: Bool = false
    ) throws {
        let configuration = loaded.configuration
        try sockets.check(token: configuration.admin.token)
        self.sockets = sockets
        self.time = time
        self.logger = logger
        self.logLevel = logLevel
        let live = LiveConfiguration(loaded)
        self.live = live
        let loops = ProcessorCount.online
        // Started first: a worker takes longer to start than everything else, and starts in parallel.
        let readiness = Readiness(sandbox: configuration.workers.sandbox)
        self.readiness = readiness
        events = EventHub(logger: logger, level: logLevel, limits: { live.current.events }, time: time)
        let accounts = ClientAccounts()
        var pool = WorkerPool.Configuration(configuration)
        pool.accounts = accounts
        Self.watch(&pool, readiness, logger)
        workers = try WorkerPool(pool, time: time)
        let (plan, shares) = (configuration.memoryPlan, configuration.memoryShares)
        var memory = MemoryCache<Entity>.Configuration(capacity: shares.pictures)
        memory.entries = configuration.memoryEntries.pictures
        memory.reserved = shares.reservedPictures
        self.memory = MemoryCache(memory)
        Self.warnOfLimits(configuration, logger)
        let relief = DescriptorRelief()
        var disk = DiskStore.Configuration(path: configuration.cache.path, time: time)
        disk.isReadable = PictureMetadata.isReadable
        disk.limits = DiskLimits(configuration)
        disk.queueBytes = plan.writes
        disk.waitsForLock = isSuccessor
        disk.bareFrom = configuration.answers.accelRedirect.bareFrom
        // The group is nginx's, if the administrator has made it that of the folder.
        disk.files = SystemFiles(isGroupReadable: disk.bareFrom != nil)
        disk.relief = relief
        disk.seed = configuration.cache.seed.isEmpty ? nil : configuration.cache.seed
        Self.watch(&disk, logger)
        store = try DiskStore(disk)
        let tiers = configuration.cache.tiers
        let stored = configuration.cache.hasDisk ? TieredDisk(store, policy: tiers, observer: events) : nil
        let progress = ClusterLink.progress(configuration.cluster, store, time)
        readLane = try WorkLane(WorkLane.Configuration(name: "read", threads: configuration.cache.readThreads))
        metrics = Metrics(loops: loops, sources: configuration.metrics.sources)
        tracer = Tracer(configuration.tracing, loops: loops, sources: metrics.sourceNumbers, logger: logger)
        let via = ViaName()
        var engine = TransferEngine.Configuration(userAgent: "Edgeprint/\(Version.text)", pseudonym: via.text)
        engine.scheduling = configuration.scheduling
        engine.memory = plan.bodies
        engine.accounts = accounts
        engine.folder = configuration.cache.path.isEmpty ? nil : configuration.cache.path + "/tmp"
        engine.disk = configuration.bodiesOnDisk
        engine.relief = relief
        engine.breaker = configuration.breaker
        engine.breakerChanged = { Self.tell($0, $1, isOpen: $2, logger) }
        let suspended = SuspendedSources()
        engine.isSuspended = { suspended.mode(of: $0) != nil }
        transfers = try TransferEngine(configuration: engine, time: time)
        var reading = FileLoader.Configuration(recognition: .images)
        reading.ledgers = transfers.ledgers
        reading.folder = engine.folder
        files = try FileLoader(configuration: reading, time: time)
        self.suspended = suspended
        let registry = LoaderRegistry([
            files, transfers, DataLoader(time: time), PageLoader(transfers, time: time),
        ])
        let loader = OriginLoader(registry, suspended: suspended)
        let rawCache = RawCache(
            capacity: shares.raw,
            entries: configuration.memoryEntries.raw,
            reserved: shares.reservedRaw,
            disk: stored,
            policy: tiers
        )
        pressure = MemoryPressureMonitor(
            self.memory,
            raw: rawCache,
            shares: shares,
            isOn: configuration.cache.memoryPressure,
            gauge: KernelMemoryGauge(probe: MachineProbe()),
            idle: Self.idleTrim(live, metrics, workers, transfers, relief),
            logger: logger
        )
        var shared = PipelineParts(
            memory: self.memory,
            disk: stored,
            readLane: readLane,
            loader: loader,
            transformer: workers,
            time: time,
            failures: configuration.failurePolicy,
            keeper: configuration.cache.hasDisk ? store : nil,
            limits: PipelineParts.Limits(
                waiters: configuration.limits.waiters,
                deferred: configuration.avif.queue,
                bareFrom: disk.bareFrom
            ),
            tiers: tiers,
            progress: progress,
            presentation: EntityPresentation.fields
        )
        shared.observer = events
        shared.ledgers = transfers.ledgers
        let nodes = try ClusterNodes(
            configuration,
            folder: engine.folder,
            ledgers: transfers.ledgers,
            time: time,
            logger: logger
        ) {
            let place = SharedPlace(progress.place)
            return ClusterProgress(
                sequence: UInt64(clamping: place.sequence),
                log: place.log,
                isInTouch: progress.isInTouch
            )
        }
        self.nodes = nodes
        shared.owners = nodes?.client
        let room = ObjectRoom(ledgers: transfers.ledgers, folder: engine.folder)
        sharedStore = try SharedStore(configuration, progress, room: room, time: time, logger: logger)
        shared.shared = sharedStore
        leases = DownloadLeases(configuration.cluster, time: time)
        shared.leases = leases
        pipeline = Pipeline(shared)
        relief.set { [weak pipeline] in pipeline?.closeFiles() ?? 0 }
        raw = RawProxy(
            cache: rawCache,
            loader: loader,
            failures: pipeline.failures,
            lane: readLane,
            time: time,
            waiters: configuration.limits.waiters,
            progress: progress,
            observer: events
        )
        let budget = LineBudget(rate: configuration.log.rate)
        let sink = LineSink(descriptor: STDOUT_FILENO)
        let recorder = RequestRecorder(capacity: configuration.admin.recent, loops: loops, time: time)
        let observer = RequestObserver(
            metrics: metrics,
            recorder: recorder,
            format: configuration.log.access ? configuration.log.format : nil,
            sink: sink,
            budget: budget,
            loops: loops,
            time: time,
            logger: logger
        )
        let resolver = ResolverCell(try Self.sites(configuration, time, metrics))
        self.resolver = resolver
        warmer = Warmer(
            Warmer.Parts(pipeline: pipeline, resolver: resolver, live: live, time: time, logger: logger)
        )
        cluster = ClusterLink(configuration, pipeline, raw, store, progress, time: time, logger: logger)
        let purger = Purger(
            pipeline: pipeline,
            raw: raw,
            resolver: resolver,
            lane: readLane,
            metrics: metrics,
            time: time,
            logger: logger,
            cluster: cluster?.purger { live.current.cluster.wait }
        )
        slowMisses = SlowMisses(pipeline: pipeline, time: time) { live.current.placeholders.behind }
        brownouts = Brownouts(pipeline: pipeline, metrics: metrics, time: time, logger: logger) {
            live.current.placeholders.behind
        }
        let failures = FailureLog(logger: logger, time: time)
        let rates = ClientRates(unnamed: UnnamedClientNotice(logger: logger).tell)
        var serving = ServerConfiguration(configuration, sockets: sockets, loops: loops, time: time)
        serving.accounts = accounts
        serving.relief = relief
        serving.sampling = tracer.sampling
        serving.isContended = { [workers, transfers] in
            workers.isContended || transfers.statistics.waitingUrgent > 0
        }
        publicServer = HTTPServer(
            configuration: serving,
            handler: PublicHandler(
                images: ImageRoute(
                    resolver: resolver,
                    pipeline: pipeline,
                    metrics: metrics,
                    time: time,
                    failures: failures,
                    live: live,
                    rates: rates,
                    redirect: configuration.answers.accelRedirect,
                    loops: loops,
                    slowMisses: slowMisses,
                    brownouts: brownouts,
                    tracer: tracer,
                    owners: nodes?.client
                ),
                raw: RawRoute(
                    proxy: raw,
                    live: live,
                    rates: rates,
                    via: via,
                    failures: failures,
                    time: time,
                    tracer: tracer
                ),
                observer: observer,
                purger: purger,
                live: live,
                via: via,
                sites: (0..<loops).map { _ in LoopSites(resolver) },
                tracer: tracer,
                nodes: nodes?.gate
            )
        )
        let addresses = sockets.adminListener.map { [$0] } ?? configuration.admin.listen
        guard !addresses.isEmpty else {
            adminServer = nil
            return
        }
        let playground = PlaygroundRoutes(pipeline: pipeline, resolver: resolver, live: live, time: time)
        let stats = StatisticsReader(
            metrics: metrics,
            memory: self.memory,
            raw: raw.cache,
            pressure: pressure,
            store: store,
            transfers: transfers,
            suspended: suspended,
            workers: workers,
            pipeline: pipeline,
            warmer: warmer,
            events: events,
            slowMisses: slowMisses,
            brownouts: brownouts,
            pictures: playground.pictures,
            tracer: tracer,
            follower: cluster?.follower,
            owners: nodes,
            sharedStore: sharedStore,
            leases: leases,
            server: publicServer,
            accessLog: sink,
            accessLogBudget: budget,
            readiness: readiness,
            live: live,
            time: time,
            start: time.monotonic,
            freeSpace: FreeSpace(configuration, pipeline)
        )
        let survey = CoderSurvey {
            let (memory, sandbox) = (live.current.memoryPlan.workerMemory, live.current.workers.sandbox)
            return (try? MachineProbe().worker(memory: memory, sandbox: sandbox)).flatMap(\.self)
        }
        let forms = FormTargets(
            purge: PurgeRoute(purger: purger),
            warm: WarmRoute(warmer: warmer, resolver: resolver, live: live),
            cancel: WarmCancelRoute(warmer: warmer),
            forget: ForgetFailuresRoute(pipeline: pipeline, transfers: transfers, purger: purger),
            source: SourceSwitchRoute(suspended: suspended, transfers: transfers, live: live, logger: logger)
        )
        let session = AdminSession(time: time) { Int64(live.current.admin.session / 1000) }
        var administration = ServerConfiguration(
            addresses: addresses,
            maximumConnections: 256,
            socketMode: .ownerAndGroup,
            time: time
        )
        administration.relief = relief
        administration.inherited = sockets.ownAdmin
        adminServer = HTTPServer(
            configuration: administration,
            handler: AdminHandler(
                token: { live.current.admin.token },
                site: { $0.site(in: live.current) },
                session: session,
                // The permissions of a socket opened by the service manager are unknown.
                trustsSocket: sockets.adminListener == nil,
                pages: Self.console(forms, LiveReader(statistics: stats, recorder: recorder), events, session),
                playground: playground.all,
                routes: [
                    (.get, "/healthz", HealthRoute()),
                    (
                        .get, "/readyz",
                        ReadinessRoute(
                            readiness: readiness,
                            store: store,
                            progress: progress.isInCluster ? progress : nil
                        )
                    ),
                    (.get, "/metrics", MetricsRoute(reader: stats, survey: survey)),
                    (.get, "/stats", StatsRoute(reader: stats, survey: survey)),
                    (.get, "/explain", ExplainRoute(live: live, time: time)),
                    (.get, "/key", KeyRoute(live: live, time: time)),
                    (.post, "/purge", forms.purge),
                    (.get, "/has", HasRoute(pipeline: pipeline, resolver: resolver)),
                    (.get, "/entry", EntryRoute(pipeline: pipeline, resolver: resolver, time: time)),
                    (
                        .put, "/original",
                        PutOriginalRoute(pipeline: pipeline, resolver: resolver, live: live, logger: logger)
                    ),
                    (.post, "/warm", forms.warm),
                    (.get, "/warm", WarmListRoute(warmer: warmer)),
                    (.get, "/warm/*", WarmReportRoute(warmer: warmer)),
                    (.delete, "/warm/*", forms.cancel),
                    (.get, "/negative", NegativeRoute(pipeline: pipeline)),
                    (.get, "/events", EventsRoute(hub: events)),
                    (
                        .get, "/inflight",
                        InFlightRoute(
                            hub: events,
                            reader: InFlightReader(pipeline: pipeline, raw: raw, time: time)
                        )
                    ),
                    (.delete, "/negative", forms.forget),
                    (.post, "/sources/*", forms.source),
                ]
            )
        )
    }

    /// Creates the table of sites, which count their requests in the metrics.
    static func sites(
        _ configuration: Configuration,
        _ time: any TimeSource,
        _ metrics: Metrics
    ) throws(RequestError) -> SiteTable {
        try SiteTable(configuration, time: time, numbers: metrics.sourceNumbers) {
            metrics.siteRequests.counter(of: $0)
        }
    }
}
