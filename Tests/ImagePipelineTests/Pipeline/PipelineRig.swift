import HTTPCache
import Glibc
import ImagePipeline
import ImagePlan
import LinuxSystem
import TestSupport

/// A pipeline with real caches, and with an origin and workers that the test plays.
final class PipelineRig: Sendable {
    let folder: TemporaryFolder
    let time: ManualTime
    let loader = ScriptedLoader()
    let transformer = ScriptedTransformer()
    let memory = MemoryCache<Entity>(.init(capacity: 64 << 20))
    let store: DiskStore
    let pipeline: Pipeline
    private let lane: WorkLane

    /// - Parameters:
    ///   - originalsQuota: bytes of originals that are kept on disk.
    ///   - disk: puts something between the pipeline and its store.
    convenience init(
        originalsQuota: Int = 10 << 30,
        disk: (DiskStore) -> any DiskStoring = { $0 }
    ) throws {
        try self.init(
            folder: TemporaryFolder(),
            time: ManualTime(wallSeconds: 1000),
            originalsQuota: originalsQuota,
            disk: disk
        )
    }

    private init(
        folder: TemporaryFolder,
        time: ManualTime,
        originalsQuota: Int = 10 << 30,
        disk: (DiskStore) -> any DiskStoring = { $0 }
    ) throws {
        self.folder = folder
        self.time = time
        var configuration = DiskStore.Configuration(path: folder.path + "/cache", time: time)
        configuration.isReadable = PictureMetadata.isReadable
        configuration.limits.originals = originalsQuota
        store = try DiskStore(configuration)
        lane = try WorkLane(WorkLane.Configuration(name: "read", threads: 2))
        pipeline = Pipeline(
            PipelineParts(
                memory: memory,
                disk: disk(store),
                readLane: lane,
                loader: loader,
                transformer: transformer,
                time: time,
                keeper: store,
                limits: PipelineParts.Limits(),
                presentation: { Array($0.mediaType.utf8) }
            )
        )
    }

    deinit {
        lane.stop()
        store.close()
    }

    /// The same folder and clock under a new pipeline, as after a restart.
    func restarted() throws -> PipelineRig {
        store.close()
        return try PipelineRig(folder: folder, time: time)
    }

    /// Waits until everything that was stored is on disk.
    func settle() throws {
        let done = Signal(false)
        store.flush { done.update { $0 = true } }
        try done.wait { $0 }
    }

    /// Waits until what the read lane was given before is done, down to its last line.
    func drainLane() throws {
        // Both of its threads are in here at one time, so neither is in anything else.
        let arrived = Signal(0)
        for _ in 0..<2 {
            _ = lane.submit {
                arrived.update { $0 += 1 }
                _ = try? arrived.wait { $0 == 2 }
            }
        }
        try arrived.wait { $0 == 2 }
    }

    /// Waits until no original is on its way, not even one that nobody waits for.
    func waitForOriginals() {
        while pipeline.originalsUnderWay > 0 { sched_yield() }
    }

    func request(
        _ path: String,
        _ plan: String?,
        cache: CacheTiers = .all,
        rule: (inout SourceRule) -> Void = { _ in }
    ) -> VariantRequest {
        var source = SourceRule(
            name: "photos",
            location: .http(prefix: "http://origin.test/"),
            cache: CachePolicy(cache)
        )
        rule(&source)
        let origin = OriginRequest(source: source, at: "http://origin.test/" + path)
        return VariantRequest(origin: origin, plan: plan, bucket: nil)
    }

    func ask(
        _ path: String,
        _ plan: String?,
        cache: CacheTiers = .all,
        demand: CacheDemand = .none,
        rule: (inout SourceRule) -> Void = { _ in }
    ) -> PendingAnswer {
        let pending = PendingAnswer()
        pending.subscription.withLock { subscription in
            subscription = pipeline.load(request(path, plan, cache: cache, rule: rule), LoadContext(demand: demand)) {
                result in
                pending.outcome.update { $0 = result }
            }
        }
        return pending
    }

    /// Makes a variant known in memory and on disk.
    func fill(
        _ path: String,
        _ plan: String,
        with bytes: [UInt8],
        cacheControl: String? = nil,
        entityTag: String? = nil
    ) throws {
        let (loads, jobs) = (loader.all.count, transformer.all.count)
        let pending = ask(path, plan)
        if loads == 0 {
            try loader.wait(for: 1)[0].answer(
                png(),
                at: time.wallSeconds,
                cacheControl: cacheControl,
                entityTag: entityTag
            )
        }
        try transformer.wait(for: jobs + 1)[jobs].make(bytes)
        _ = try pending.value()
        try settle()
    }

    /// The head of a PNG, which is all that a sniffer looks at.
    func png(width: Int = 5, height: Int = 5) -> [UInt8] {
        TestImages.claimedPNG(width: width, height: height)
    }
}

/// A request's outcome, when it comes.
final class PendingAnswer: Sendable {
    let outcome = Signal<Result<Answer, PipelineError>?>(nil)
    let subscription = Lock<Subscription?>(nil)

    /// Blocks until the answer is there.
    func value() throws -> Answer {
        guard let result = try outcome.wait(until: { $0 != nil }) else { throw PipelineError.cancelled }
        return try result.get()
    }

    /// Blocks until the outcome is there; its error, if it is one, without what the cache had done.
    func error() throws -> PipelineError? {
        guard case .failure(let error)? = try outcome.wait(until: { $0 != nil }) else { return nil }
        return error.bare
    }

    /// The client goes away.
    func leave() { subscription.withLock { $0?.cancel() } }
}

extension Entity {
    /// The bytes, where they are in memory.
    var memory: [UInt8]? {
        guard case .memory(let bytes) = body else { return nil }
        return bytes
    }
}
