import HTTPCache
import HTTPSemantics
import Glibc
import ImagePipeline
import TestSupport
import Testing

/// The failures that a stale image may replace, and those that remove it (RFC 5861 §4, RFC 9111 §4.2.4).
@Suite(.timeLimit(.minutes(1)))
struct StaleFailureTests {
    let rig: PipelineRig

    init() throws { rig = try PipelineRig() }

    /// An image without a stated stale limit, one second past its freshness.
    private func fill(_ words: String = "max-age=60") throws {
        try rig.fill("a.png", "w=10", with: [1], cacheControl: words, entityTag: "\"v1\"")
        rig.time.advance(seconds: 61)
    }

    @Test(arguments: [400, 414, 431])
    func `a status about a single request counts as an outage and is not cached`(status: Int) throws {
        let first = rig.ask("none.png", "w=10")
        try rig.loader.wait(for: 1)[0].refuse(status, at: rig.time.wallSeconds)
        #expect(try first.error() == .originStatus(status))
        #expect(rig.pipeline.failures.statistics.entries == 0)
        let other = try PipelineRig()
        try other.fill("a.png", "w=10", with: [1], cacheControl: "max-age=60")
        other.time.advance(seconds: 61)
        for (number, plan) in ["w=10", "w=20"].enumerated() {
            let pending = other.ask("a.png", plan)
            try other.loader.wait(for: number + 2)[number + 1].refuse(status, at: other.time.wallSeconds)
            if plan == "w=20" { try other.transformer.wait(for: 2)[1].make([2]) }
            let answer = try pending.value()
            #expect(answer.status == .hit(.stale) && answer.entity.memory == [UInt8(number + 1)])
        }
        #expect(other.pipeline.failures.statistics.entries == 0)
    }

    @Test(arguments: [
        PipelineError.originStatus(204), .originStatus(300), .originStatus(402), .originStatus(405), .originStatus(418),
        .originStatus(429), .originStatus(500), .originStatus(501), .originStatus(599), .originTimeout("x"),
        .originUnreachable("x"), .originProtocol("x"), .overloaded("x"),
    ])
    func `a stale image replaces any other failure, for an hour by default`(error: PipelineError)
        throws
    {
        try fill()
        for (number, seconds) in [3_598, 1].enumerated() {
            rig.time.advance(seconds: Int64(seconds))
            let pending = rig.ask("a.png", "w=10")
            try rig.loader.wait(for: number + 2)[number + 1].fail(error)
            if number == 0 {
                let answer = try pending.value()
                #expect(answer.status == .hit(.stale) && answer.entity.memory == [1])
            } else {
                #expect(try pending.error() == error)
            }
        }
    }

    @Test func `a response that is not an image does not remove the stored one`() throws {
        for isTooLarge in [false, true] {
            let rig = try PipelineRig()
            try rig.fill("a.png", "w=10", with: [1], cacheControl: "max-age=60")
            rig.time.advance(seconds: 61)
            let pending = rig.ask("a.png", "w=10")
            let load = try rig.loader.wait(for: 2)[1]
            if isTooLarge {
                load.fail(.sourceTooLarge(limit: 1))
            } else {
                load.answer(Array("<html>Sorry".utf8), at: rig.time.wallSeconds)
            }
            #expect(try pending.value().entity.memory == [1])
            // Also while the failure is cached.
            #expect(try rig.ask("a.png", "w=10").value().status == .hit(.stale))
            #expect(rig.pipeline.stale(rig.request("a.png", "w=10"), now: rig.time.wallSeconds)?.memory == [1])
        }
    }

    @Test(arguments: ["must-revalidate", "proxy-revalidate", "no-cache", "s-maxage=60", "stale-if-error=0"])
    func `directives that forbid stale responses are obeyed`(words: String) throws {
        try fill("max-age=60, " + words)
        let pending = rig.ask("a.png", "w=10")
        try rig.loader.wait(for: 2)[1].fail(.originStatus(503))
        #expect(try pending.error() == .originStatus(503))
    }

    @Test(arguments: [401, 403])
    func `a denial is never replaced by a stale response, and removes nothing`(status: Int) throws {
        try fill("max-age=60, stale-while-revalidate=600")
        let request = rig.request("a.png", "w=10")
        // The first request is served stale, and the background refresh is denied.
        #expect(rig.pipeline.stale(request, now: rig.time.wallSeconds)?.memory == [1])
        try rig.loader.wait(for: 2)[1].refuse(status, at: rig.time.wallSeconds)
        try waitWhile(rig.pipeline.variantsUnderWay > 0)
        #expect(rig.pipeline.stale(request, now: rig.time.wallSeconds) == nil)
        for plan in ["w=10", "w=20", nil] {
            #expect(try rig.ask("a.png", plan).error() == .remembered(.originStatus(status), secondsLeft: 60))
        }
        rig.time.advance(seconds: 61)
        let later = rig.ask("a.png", "w=10", rule: { $0.staleWhileRevalidate = 0 })
        try rig.loader.wait(for: 3)[2].answerNotModified(at: rig.time.wallSeconds)
        #expect(try later.value().entity.memory == [1])
    }

    @Test(arguments: [PipelineError.originStatus(404), .originStatus(410), .originStatus(451), .originNotFound])
    func `an image that is gone is removed and does not reappear in an outage`(error: PipelineError) throws {
        try fill()
        let pending = rig.ask("a.png", "w=10")
        try rig.loader.wait(for: 2)[1].fail(error)
        #expect(try pending.error() == error)
        try rig.settle()
        #expect(rig.store.statistics.originals.entries == 0 && rig.store.statistics.variants.entries == 0)
        rig.time.advance(seconds: 301)
        for plan in ["w=10", "w=20"] {
            let later = rig.ask("a.png", plan)
            if plan == "w=10" { try rig.loader.wait(for: 3)[2].fail(.originStatus(503)) }
            _ = try later.error()
            #expect(rig.pipeline.stale(rig.request("a.png", plan), now: rig.time.wallSeconds) == nil)
        }
        // A new original starts fresh.
        rig.time.advance(seconds: 60)
        let fresh = rig.ask("a.png", "w=10")
        let load = try rig.loader.wait(for: 4)[3]
        #expect(load.fetch.entityTag == nil)
        load.answer(rig.png(), at: rig.time.wallSeconds, cacheControl: "max-age=60")
        try rig.transformer.wait(for: 2)[1].make([2])
        #expect(try fresh.value().entity.memory == [2])
        #expect(rig.pipeline.cached(rig.request("a.png", "w=10"), now: rig.time.wallSeconds)?.memory == [2])
    }
}
