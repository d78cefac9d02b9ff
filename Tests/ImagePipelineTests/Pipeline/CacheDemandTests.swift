import HTTPCache
import HTTPSemantics
import ImagePipeline
import TestSupport
import Testing

/// Cache directives of requests (RFC 9111 §5.2.1).
@Suite(.timeLimit(.minutes(1)))
struct CacheDemandTests {
    let rig: PipelineRig

    init() throws { rig = try PipelineRig() }

    private func demand(_ text: String, trusted: Bool = true) -> CacheDemand {
        CacheDemand(CacheControl(text), isTrusted: trusted)
    }

    @Test func `only-if-cached does not contact the origin`() throws {
        #expect(try rig.ask("a.png", "w=10", demand: demand("only-if-cached", trusted: false)).error() == .notCached)
        #expect(rig.loader.all.isEmpty)
        try rig.fill("a.png", "w=10", with: [1], cacheControl: "max-age=60")
        let hit = try rig.ask("a.png", "w=10", demand: demand("only-if-cached")).value()
        #expect(hit.status == .hit(.memory) && hit.entity.memory == [1])
        // The original is stored, so a new size needs no origin.
        let other = rig.ask("a.png", "w=20", demand: demand("only-if-cached"))
        try rig.transformer.wait(for: 2)[1].make([2])
        #expect(try other.value().status == .hit(.original))
        rig.time.advance(seconds: 60)
        #expect(try rig.ask("a.png", "w=10", demand: demand("only-if-cached")).error() == .notCached)
        #expect(rig.loader.all.count == 1)
    }

    @Test func `no-cache contacts the origin despite fresh responses and cached failures`() throws {
        try rig.fill("a.png", "w=10", with: [1], cacheControl: "max-age=60", entityTag: "\"v1\"")
        let pending = rig.ask("a.png", "w=10", demand: demand("no-cache"))
        let load = try rig.loader.wait(for: 2)[1]
        #expect(load.fetch.entityTag == "\"v1\"")
        load.answerNotModified(at: rig.time.wallSeconds)
        #expect(try pending.value().status == .forwarded(.request, status: 304, collapsed: false))
        let missing = rig.ask("none.png", "w=10")
        try rig.loader.wait(for: 3)[2].refuse(404, at: rig.time.wallSeconds)
        _ = try missing.error()
        let retried = rig.ask("none.png", "w=10", demand: demand("no-cache"))
        try rig.loader.wait(for: 4)[3].answer(rig.png(), at: rig.time.wallSeconds)
        try rig.transformer.wait(for: 2)[1].make([2])
        #expect(try retried.value().entity.memory == [2])
        #expect(rig.pipeline.failures.statistics.entries == 0)
    }

    @Test func `retry-failed retries any cached failure, and accepts fresh responses`() throws {
        var retry = CacheDemand.none
        retry.retryFailed = true
        try rig.fill("a.png", "w=10", with: [1], cacheControl: "max-age=60", entityTag: "\"v1\"")
        #expect(try rig.ask("a.png", "w=10", demand: retry).value().status == .hit(.memory))
        #expect(rig.loader.all.count == 1)
        for (index, status) in [404, 503].enumerated() {
            let (name, loads) = ("\(status).png", 1 + 2 * index)
            let failing = rig.ask(name, "w=10")
            try rig.loader.wait(for: loads + 1)[loads].refuse(status, at: rig.time.wallSeconds)
            _ = try failing.error()
            // An outage blocks requests that only refresh.
            if status == 503 { #expect(try rig.ask(name, "w=10", demand: demand("no-cache")).error() != nil) }
            #expect(try rig.ask(name, "w=10").error() != nil)
            let retried = rig.ask(name, "w=10", demand: retry)
            try rig.loader.wait(for: loads + 2)[loads + 1].answer(rig.png(), at: rig.time.wallSeconds)
            try rig.transformer.wait(for: index + 2)[index + 1].make([2])
            #expect(try retried.value().entity.memory == [2])
            #expect(try rig.ask(name, "w=10").value().status == .hit(.memory))
        }
        #expect(rig.pipeline.failures.statistics.entries == 0)
    }

    @Test func `a retry that fails prolongs the failure, and a stale response replaces it`() throws {
        var retry = CacheDemand.none
        retry.retryFailed = true
        try rig.fill("a.png", "w=10", with: [1], cacheControl: "max-age=10, stale-if-error=600", entityTag: "\"v1\"")
        rig.time.advance(seconds: 20)
        for loads in 2...3 {
            let pending = rig.ask("a.png", "w=10", demand: retry)
            try rig.loader.wait(for: loads)[loads - 1].refuse(503, at: rig.time.wallSeconds)
            #expect(try pending.value().status == .hit(.stale))
        }
        #expect(rig.pipeline.failures.list(limit: 9).map(\.failures) == [2])
    }

    @Test(arguments: [
        ("max-age=29", 30, false), ("max-age=30", 30, true), ("min-fresh=30", 30, true), ("min-fresh=31", 30, false),
        ("max-stale=10", 70, true), ("max-stale=9", 70, false), ("max-stale", 7_000, true), ("no-store", 30, true),
        ("max-age=100, max-stale=5", 70, false),
    ])
    func `max-age, min-fresh and max-stale limit the use of stored responses`(
        text: String,
        age: Int64,
        isAccepted: Bool
    ) throws {
        try rig.fill("a.png", "w=10", with: [1], cacheControl: "max-age=60", entityTag: "\"v1\"")
        rig.time.advance(seconds: age)
        let pending = rig.ask("a.png", "w=10", demand: demand(text))
        if !isAccepted { try rig.loader.wait(for: 2)[1].answerNotModified(at: rig.time.wallSeconds) }
        #expect(try pending.value().entity.memory == [1])
        #expect(rig.loader.all.count == (isAccepted ? 1 : 2))
    }

    @Test func `must-revalidate overrides max-stale`() throws {
        try rig.fill("a.png", "w=10", with: [1], cacheControl: "max-age=60, must-revalidate", entityTag: "\"v1\"")
        rig.time.advance(seconds: 61)
        let pending = rig.ask("a.png", "w=10", demand: demand("max-stale"))
        try rig.loader.wait(for: 2)[1].answerNotModified(at: rig.time.wallSeconds)
        #expect(try pending.value().status == .forwarded(.stale, status: 304, collapsed: false))
    }

    @Test func `no-store stores nothing`() throws {
        let pending = rig.ask("a.png", "w=10", demand: demand("no-store"))
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: rig.time.wallSeconds, cacheControl: "max-age=60")
        try rig.transformer.wait(for: 1)[0].make([1])
        #expect(try pending.value().entity.memory == [1])
        try rig.settle()
        #expect(rig.store.statistics.originals.entries == 0 && rig.store.statistics.variants.entries == 0)
        #expect(rig.pipeline.cached(rig.request("a.png", "w=10"), now: rig.time.wallSeconds) == nil)
    }

    @Test func `directives of untrusted requests are ignored, except only-if-cached`() {
        let demand = demand("no-cache, no-store, max-age=0, min-fresh=5, max-stale=6, only-if-cached", trusted: false)
        var expected = CacheDemand.none
        expected.onlyIfCached = true
        #expect(demand == expected)
    }
}
