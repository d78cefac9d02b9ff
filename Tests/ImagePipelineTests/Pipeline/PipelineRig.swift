import HTTPCache
import Glibc
import HTTPSemantics
@testable import ImagePipeline
import ImagePlan
import LinuxSystem
import OriginTransfer
import TestSupport

/// A pipeline with real caches and with an origin and workers that the test scripts.
final class PipelineRig: Sendable {
    let folder: TemporaryFolder
    let time: ManualTime
    let loader = ScriptedLoader()
    let transformer = ScriptedTransformer()
    let memory = MemoryCache<Entity>(.init(capacity: 64 << 20))
    let store: DiskStore
    let progress: PurgeProgress
    let pipeline: Pipeline
    private let outOfTouch: PurgeProgress.OutOfTouch?
    private let lane: WorkLane

    /// - Parameters:
    ///   - folder: where the cache is; a new one if `nil`.
    ///   - time: the clock.
    ///   - originalsQuota: the disk quota of originals in bytes.
    ///   - tiers: how the tiers are used.
    ///   - outOfTouch: what the node of a cluster does out of touch; `nil` outside of one.
    ///   - shared: the tier of a cluster.
    ///   - ledgers: the accounts of bodies in memory; `nil` if they are not counted.
    ///   - leases: with which nodes of a cluster take turns at downloads.
    ///   - owners: the other nodes of a cluster.
    ///   - disk: wraps the store of the pipeline.
    init(
        folder: TemporaryFolder? = nil,
        time: ManualTime = ManualTime(wallSeconds: 1000),
        originalsQuota: Int = 10 << 30,
        tiers: TierPolicy = TierPolicy(),
        outOfTouch: PurgeProgress.OutOfTouch? = nil,
        shared: (any SharedStoring)? = nil,
        ledgers: BodyLedgers? = nil,
        leases: (any DownloadLeasing)? = nil,
        owners: (any OwnerAsking)? = nil,
        disk: (DiskStore) -> any DiskStoring = { $0 }
    ) throws {
        let folder = try folder ?? TemporaryFolder()
        self.folder = folder
        self.time = time
        self.outOfTouch = outOfTouch
        var configuration = DiskStore.Configuration(path: folder.path + "/cache", time: time)
        configuration.isReadable = PictureMetadata.isReadable
        configuration.limits.originals = originalsQuota
        let store = try DiskStore(configuration)
        self.store = store
        progress = outOfTouch.map { PurgeProgress($0, from: store.position, time: time) } ?? .alone
        lane = try WorkLane(WorkLane.Configuration(name: "read", threads: 2))
        var parts = PipelineParts(
            memory: memory,
            disk: disk(store),
            readLane: lane,
            loader: loader,
            transformer: transformer,
            time: time,
            keeper: store,
            limits: PipelineParts.Limits(),
            tiers: tiers,
            progress: progress,
            presentation: { Array($0.mediaType.utf8) }
        )
        parts.shared = shared
        parts.ledgers = ledgers
        parts.leases = leases
        parts.owners = owners
        pipeline = Pipeline(parts)
    }

    deinit {
        lane.stop()
        store.close()
    }

    /// Creates a new pipeline over the same folder and clock, as after a restart.
    func restarted(tiers: TierPolicy? = nil) throws -> PipelineRig {
        store.close()
        guard let tiers else { return try PipelineRig(folder: folder, time: time, outOfTouch: outOfTouch) }
        return try PipelineRig(folder: folder, time: time, tiers: tiers) { TieredDisk($0, policy: tiers) }
    }

    /// Waits until all stored entries are on disk.
    func settle() throws {
        let done = Signal(false)
        store.flush { done.update { $0 = true } }
        try done.wait { $0 }
    }

    /// Waits until all earlier work of the read lane has finished.
    func drainLane() throws {
        // Both threads of the lane run this at the same time, so no other work is running.
        let arrived = Signal(0)
        for _ in 0..<2 {
            _ = lane.submit {
                arrived.update { $0 += 1 }
                _ = try? arrived.wait { $0 == 2 }
            }
        }
        try arrived.wait { $0 == 2 }
    }

    /// Keeps the read lane's threads busy until `free` is called.
    func holdLane() throws -> HeldLane { try HeldLane(lane) }

    /// Waits until no original is in progress, not even one without waiters.
    func waitForOriginals() throws {
        try waitWhile(pipeline.originalsUnderWay > 0)
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
        caller: OriginCaller = .nobody,
        deadline: SharedDeadline = .none,
        priority: RequestPriority = .normal,
        account: String? = nil,
        waitsForStore: Bool = false,
        question: OwnerQuestion? = nil,
        isTimed: Bool = false,
        rule: (inout SourceRule) -> Void = { _ in }
    ) -> PendingAnswer {
        let pending = PendingAnswer()
        var context = LoadContext(demand: demand, caller: caller)
        context.isTimed = isTimed
        context.deadline = deadline
        context.priority = priority
        context.account = account
        context.waitsForStore = waitsForStore
        context.question = question
        pending.subscription.withLock { subscription in
            subscription = pipeline.load(request(path, plan, cache: cache, rule: rule), context) { result in
                pending.outcome.update { $0 = result }
            }
        }
        return pending
    }

    /// Stores a variant in memory and on disk.
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

    /// The header of a PNG, which is all that a sniffer reads; larger than what most tests ask for, but too small for a mezzanine.
    func png(width: Int = 1700, height: Int = 880) -> [UInt8] {
        TestImages.claimedPNG(width: width, height: height)
    }
}

/// A read lane of two threads, both busy until `free` is called.
struct HeldLane {
    private let isFree = Signal(false)

    init(_ lane: WorkLane) throws {
        let arrived = Signal(0)
        for _ in 0..<2 {
            _ = lane.submit { [isFree] in
                arrived.update { $0 += 1 }
                _ = try? isFree.wait { $0 }
            }
        }
        try arrived.wait { $0 == 2 }
    }

    func free() { isFree.update { $0 = true } }
}

/// Receives a request's outcome.
final class PendingAnswer: Sendable {
    let outcome = Signal<Result<Answer, PipelineError>?>(nil)
    let subscription = Lock<Subscription?>(nil)

    /// Blocks until the answer arrives.
    func value() throws -> Answer {
        guard let result = try outcome.wait(until: { $0 != nil }) else { throw PipelineError.cancelled }
        return try result.get()
    }

    /// Blocks until the outcome arrives; returns its error without the cache status.
    func error() throws -> PipelineError? {
        guard case .failure(let error)? = try outcome.wait(until: { $0 != nil }) else { return nil }
        return error.bare
    }

    /// Cancels the request like a client that disconnects.
    func leave() { subscription.withLock { $0?.cancel() } }
}

extension Entity {
    /// The bytes, as bytes or in a file.
    var memory: [UInt8]? { body.copied() }
}
