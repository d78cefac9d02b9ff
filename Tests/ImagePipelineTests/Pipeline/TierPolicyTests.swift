import HTTPSemantics
import TestSupport
import Testing

@testable import HTTPCache
@testable import ImagePipeline

/// `cache.tiers`: which tiers look-ups read, and which ones receive what is new.
@Suite(.timeLimit(.minutes(1)))
struct TierPolicyTests {
    private func rig(_ query: TierChoice = .serial, _ store: TierChoice = .concurrent) throws -> PipelineRig {
        let policy = TierPolicy(query: query, store: store)
        return try PipelineRig(tiers: policy) { TieredDisk($0, policy: policy) }
    }

    /// Requests a variant, and responds for the origin and the worker if they are used.
    private func make(_ rig: PipelineRig, _ plan: String?, load: Bool = false, job: Bool = false) throws -> CacheStatus
    {
        let (loads, jobs) = (rig.loader.all.count, rig.transformer.all.count)
        let pending = rig.ask("a", plan)
        if load {
            try rig.loader.wait(for: loads + 1)[loads].answer(
                rig.png(),
                at: rig.time.wallSeconds,
                cacheControl: "max-age=60",
                entityTag: "\"e\""
            )
        }
        if job { try rig.transformer.wait(for: jobs + 1)[jobs].make([1, 2, 3]) }
        let status = try pending.value().status
        try rig.settle()
        #expect(rig.loader.all.count == loads + (load ? 1 : 0))
        #expect(rig.transformer.all.count == jobs + (job ? 1 : 0))
        return status
    }

    private func isInMemory(_ rig: PipelineRig, _ plan: String?) -> Bool {
        rig.pipeline.cached(rig.request("a", plan), now: rig.time.wallSeconds) != nil
    }

    private func isOnDisk(_ rig: PipelineRig, _ plan: String) -> Bool {
        rig.store.variant(rig.request("a", plan).key) != nil
    }

    @Test func `store: concurrent keeps results in both tiers`() throws {
        let rig = try rig()
        #expect(try make(rig, "w=1", load: true, job: true) == .miss)
        #expect(isInMemory(rig, "w=1") && isOnDisk(rig, "w=1"))
    }

    @Test func `store: highest writes nothing to disk`() throws {
        let rig = try rig(.serial, .highest)
        #expect(try make(rig, "w=1", load: true, job: true) == .miss)
        #expect(isInMemory(rig, "w=1") && !isOnDisk(rig, "w=1"))
        // The original is not on disk either.
        #expect(try make(rig, "w=2", load: true, job: true) == .miss)
    }

    @Test func `store: highest still reads what the disk has, and removes an original that has changed`() throws {
        let filled = try rig()
        _ = try make(filled, "w=1", load: true, job: true)
        let policy = TierPolicy(store: .highest)
        let rig = try filled.restarted(tiers: policy)
        #expect(try make(rig, "w=1") == .hit(.disk))
        #expect(isInMemory(rig, "w=1"))
        rig.time.advance(seconds: 100)
        let pending = rig.ask("a", "w=1")
        try rig.loader.wait(for: 1)[0].answer(rig.png(width: 9), at: rig.time.wallSeconds, cacheControl: "max-age=60")
        try rig.transformer.wait(for: 1)[0].make([9])
        #expect(try pending.value().entity.memory == [9])
        try rig.settle()
        // After a restart, the earlier image must not come back.
        let next = try rig.restarted()
        #expect(next.store.origin(next.request("a", "w=1").origin.key) == nil && !isOnDisk(next, "w=1"))
    }

    @Test func `store: lowest keeps new results on disk, and in memory from the second request on`() throws {
        let rig = try rig(.serial, .lowest)
        #expect(try make(rig, "w=1", load: true, job: true) == .miss)
        #expect(!isInMemory(rig, "w=1") && isOnDisk(rig, "w=1"))
        #expect(try make(rig, "w=1") == .hit(.disk))
        #expect(isInMemory(rig, "w=1"))
        #expect(try make(rig, nil) == .hit(.disk))
        #expect(isInMemory(rig, nil))
    }

    @Test func `query: lowest never fills memory`() throws {
        let rig = try rig(.lowest, .lowest)
        #expect(try make(rig, "w=1", load: true, job: true) == .miss)
        for _ in 0..<2 { #expect(try make(rig, "w=1") == .hit(.disk)) }
        #expect(try make(rig, nil) == .hit(.disk))
        #expect(rig.memory.statistics.entries == 0)
    }

    @Test func `query: highest reads nothing from disk`() throws {
        let filled = try rig()
        _ = try make(filled, "w=1", load: true, job: true)
        let rig = try filled.restarted(tiers: TierPolicy(query: .highest, store: .highest))
        #expect(isOnDisk(rig, "w=1"))
        #expect(try make(rig, "w=1", load: true, job: true) == .miss)
        #expect(isInMemory(rig, "w=1"))
    }

    @Test func `purges reach the disk under any policy`() throws {
        let filled = try rig()
        _ = try make(filled, "w=1", load: true, job: true)
        let rig = try filled.restarted(tiers: TierPolicy(query: .highest, store: .highest))
        let counts = Signal<PurgeCounts?>(nil)
        #expect(rig.pipeline.purge(.source("photos")) { found in counts.update { $0 = found } })
        #expect(try counts.wait { $0 != nil }?.variants == 1)
        #expect(!isOnDisk(rig, "w=1"))
    }
}
