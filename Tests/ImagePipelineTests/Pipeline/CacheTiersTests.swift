import HTTPSemantics
import TestSupport
import Testing

@testable import HTTPCache
@testable import ImagePipeline

@Suite(.timeLimit(.minutes(1)))
struct CacheTiersTests {
    /// Sends a request, and responds for the origin and the worker if they are used.
    private func make(
        _ rig: PipelineRig,
        _ plan: String,
        _ tiers: CacheTiers,
        load: Int? = nil,
        job: Int? = nil
    ) throws -> CacheStatus {
        let pending = rig.ask("a", plan, cache: tiers)
        if let load {
            try rig.loader.wait(for: load)[load - 1].answer(
                rig.png(),
                at: rig.time.wallSeconds,
                cacheControl: "max-age=60",
                entityTag: "\"e\""
            )
        }
        if let job { try rig.transformer.wait(for: job)[job - 1].make([1, 2, 3]) }
        let answer = try pending.value()
        #expect(answer.entity.description.cacheControl == "max-age=60")
        try rig.settle()
        return answer.status
    }

    private func isInMemory(_ rig: PipelineRig, _ plan: String) -> Bool {
        rig.pipeline.cached(rig.request("a", plan), now: rig.time.wallSeconds) != nil
    }

    @Test func `all: results in both, originals on disk`() throws {
        let rig = try PipelineRig()
        #expect(try make(rig, "w=1", .all, load: 1, job: 1) == .miss)
        #expect(isInMemory(rig, "w=1"))
        #expect(try make(rig, "w=2", .all, job: 2) == .hit(.original))
        #expect(rig.store.variant(rig.request("a", "w=1").key) != nil)
    }

    @Test func `memory: results in memory, nothing on disk`() throws {
        let rig = try PipelineRig()
        #expect(try make(rig, "w=1", .memory, load: 1, job: 1) == .miss)
        #expect(isInMemory(rig, "w=1"))
        #expect(try make(rig, "w=2", .memory, load: 2, job: 2) == .miss)
        let request = rig.request("a", "w=1")
        #expect(rig.store.variant(request.key) == nil)
        #expect(rig.store.origin(request.origin.key) == nil)
    }

    @Test func `memory: a stale result is revalidated in memory`() throws {
        let rig = try PipelineRig()
        _ = try make(rig, "w=1", .memory, load: 1, job: 1)
        rig.time.advance(seconds: 100)
        let pending = rig.ask("a", "w=1", cache: .memory)
        let load = try rig.loader.wait(for: 2)[1]
        #expect(load.fetch.entityTag == "\"e\"")
        load.answerNotModified(at: rig.time.wallSeconds, cacheControl: "max-age=60")
        #expect(try pending.value().status == .forwarded(.stale, status: 304, collapsed: false))
        try rig.settle()
        #expect(rig.store.origin(rig.request("a", "w=1").origin.key) == nil)
    }

    @Test func `disk: results and originals on disk, nothing in memory`() throws {
        let rig = try PipelineRig()
        #expect(try make(rig, "w=1", .disk, load: 1, job: 1) == .miss)
        #expect(!isInMemory(rig, "w=1"))
        #expect(try make(rig, "w=1", .disk) == .hit(.disk))
        #expect(!isInMemory(rig, "w=1"))
        #expect(try make(rig, "w=2", .disk, job: 2) == .hit(.original))
    }

    @Test func `none: every request is made again, and nothing is stored`() throws {
        let rig = try PipelineRig()
        for count in 1...2 {
            #expect(try make(rig, "w=1", .none, load: count, job: count) == .miss)
            #expect(rig.loader.all.last?.fetch.entityTag == nil)
        }
        #expect(!isInMemory(rig, "w=1"))
        let request = rig.request("a", "w=1")
        #expect(rig.store.variant(request.key) == nil)
        #expect(rig.store.origin(request.origin.key) == nil)
    }

    @Test func `none: a response that is still being sent does not count as stored`() throws {
        let rig = try PipelineRig()
        let first = rig.ask("a", "w=1", cache: .none)
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: rig.time.wallSeconds, cacheControl: "max-age=60")
        try rig.transformer.wait(for: 1)[0].make([1])
        let answer = try first.value()
        #expect(try make(rig, "w=1", .none, load: 2, job: 2) == .miss)
        withExtendedLifetime(answer) {}
    }

    @Test func `none: concurrent requests share work`() throws {
        let rig = try PipelineRig()
        let waiting = (0..<3).map { _ in rig.ask("a", "w=1", cache: .none) } + [rig.ask("a", "w=2", cache: .none)]
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: rig.time.wallSeconds)
        for job in try rig.transformer.wait(for: 2) { job.make([1]) }
        for answer in waiting { _ = try answer.value() }
        #expect(rig.loader.all.count == 1)
        #expect(rig.transformer.all.count == 2)
    }

    @Test func `a disabled tier is not read`() throws {
        let rig = try PipelineRig()
        _ = try make(rig, "w=1", .all, load: 1, job: 1)
        #expect(try make(rig, "w=1", .none, load: 2, job: 2) == .miss)
    }

    /// Requests a plan under a policy, and responds for the origin and the worker if they are used.
    private func make(
        _ rig: PipelineRig,
        _ plan: String?,
        _ policy: CachePolicy,
        load: Int? = nil,
        job: Int? = nil
    ) throws -> CacheStatus {
        let pending = rig.ask("a", plan) { $0.cache = policy }
        if let load {
            try rig.loader.wait(for: load)[load - 1].answer(
                rig.png(),
                at: rig.time.wallSeconds,
                cacheControl: "max-age=60",
                entityTag: "\"e\""
            )
        }
        if let job { try rig.transformer.wait(for: job)[job - 1].make([1, 2, 3]) }
        let answer = try pending.value()
        try rig.settle()
        return answer.status
    }

    @Test func `results in memory, originals on disk: another size needs no origin`() throws {
        let rig = try PipelineRig()
        let policy = CachePolicy(variants: .memory, originals: .disk)
        #expect(try make(rig, "w=1", policy, load: 1, job: 1) == .miss)
        #expect(isInMemory(rig, "w=1"))
        #expect(rig.store.variant(rig.request("a", "w=1").key) == nil)
        #expect(try make(rig, "w=2", policy, job: 2) == .hit(.original))
        let bare = rig.request("a", nil)
        #expect(try make(rig, nil, policy) == .hit(.disk))
        #expect(rig.pipeline.cached(bare, now: rig.time.wallSeconds) == nil)
    }

    @Test func `results on disk, originals nowhere: another size needs the origin, a stored one only a validation`()
        throws
    {
        let rig = try PipelineRig()
        let policy = CachePolicy(variants: .disk, originals: .none)
        #expect(try make(rig, "w=1", policy, load: 1, job: 1) == .miss)
        #expect(try make(rig, "w=1", policy) == .hit(.disk))
        #expect(try make(rig, "w=2", policy, load: 2, job: 2) == .miss)
        #expect(rig.store.origin(rig.request("a", "w=1").origin.key)?.file == nil)
        rig.time.advance(seconds: 100)
        let pending = rig.ask("a", "w=1") { $0.cache = policy }
        let load = try rig.loader.wait(for: 3)[2]
        #expect(load.fetch.entityTag == "\"e\"")
        load.answerNotModified(at: rig.time.wallSeconds, cacheControl: "max-age=60")
        #expect(try pending.value().status == .forwarded(.stale, status: 304, collapsed: false))
    }

    @Test func `originals in memory: served bare from memory`() throws {
        let rig = try PipelineRig()
        let policy = CachePolicy(variants: .none, originals: .memory)
        #expect(try make(rig, nil, policy, load: 1) == .miss)
        #expect(rig.pipeline.cached(rig.request("a", nil), now: rig.time.wallSeconds) != nil)
        #expect(rig.store.origin(rig.request("a", nil).origin.key) == nil)
        #expect(try make(rig, "w=1", policy, load: 2, job: 1) == .miss)
        #expect(!isInMemory(rig, "w=1"))
    }

    @Test func `a request's own tiers override its source's, except for the original`() {
        let rule = SourceRule(name: "s", location: .http(prefix: "http://o.test/"), cache: CachePolicy(.disk))
        let origin = OriginRequest(source: rule, at: "http://o.test/a")
        let usual = VariantRequest(origin: origin, plan: "w=1", bucket: nil)
        let own = VariantRequest(origin: origin, plan: "w=1", bucket: nil, tiers: .memory)
        #expect(usual.tiers == .disk && own.tiers == .memory && usual.key == own.key)
        #expect(VariantRequest(origin: origin, plan: nil, bucket: nil, tiers: .memory).tiers == .disk)
        #expect(own.withoutStorage.keeps == .none)
    }

    @Test func `a choice contains its tiers`() {
        #expect(CacheTiers.all.contains(.disk) && CacheTiers.all.contains(.memory) && CacheTiers.memory.contains(.none))
        #expect(
            !CacheTiers.disk.contains(.memory) && !CacheTiers.none.contains(.disk) && !CacheTiers.memory.contains(.all)
        )
    }
}
