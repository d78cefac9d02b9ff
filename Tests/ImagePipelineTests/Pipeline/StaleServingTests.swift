import HTTPSemantics
import Glibc
import ImagePipeline
import TestSupport
import Testing

/// Serving stale (RFC 5861): from memory, from disk, and by making new variants of a stale original.
@Suite(.timeLimit(.minutes(1)))
struct StaleServingTests {
    let rig: PipelineRig

    init() throws { rig = try PipelineRig() }

    private static let words = "max-age=60, stale-while-revalidate=30, stale-if-error=600"

    @Test func `memory serves stale within the limit, and one refresh runs in the background`() throws {
        try rig.fill("photo.png", "w=10", with: [1], cacheControl: Self.words, entityTag: "\"v1\"")
        rig.time.advance(seconds: 60)
        let request = rig.request("photo.png", "w=10")
        for _ in 0..<5 {
            #expect(rig.pipeline.cached(request, now: rig.time.wallSeconds) == nil)
            #expect(rig.pipeline.stale(request, now: rig.time.wallSeconds)?.memory == [1])
        }
        let load = try rig.loader.wait(for: 2)[1]
        #expect(rig.loader.all.count == 2)
        #expect(load.fetch.entityTag == "\"v1\"")
        load.answerNotModified(at: rig.time.wallSeconds)
        try waitWhile(rig.pipeline.variantsUnderWay > 0)
        #expect(rig.pipeline.cached(request, now: rig.time.wallSeconds)?.memory == [1])
        #expect(rig.pipeline.stale(request, now: rig.time.wallSeconds) == nil)
    }

    @Test func `beyond the limit a stale response is validated first`() throws {
        try rig.fill("photo.png", "w=10", with: [1], cacheControl: Self.words, entityTag: "\"v1\"")
        rig.time.advance(seconds: 90)
        #expect(rig.pipeline.stale(rig.request("photo.png", "w=10"), now: rig.time.wallSeconds) == nil)
        let pending = rig.ask("photo.png", "w=10")
        try rig.loader.wait(for: 2)[1].answerNotModified(at: rig.time.wallSeconds)
        #expect(try pending.value().status == .forwarded(.stale, status: 304, collapsed: false))
    }

    @Test func `disk serves stale after a restart, and the response is refreshed`() throws {
        try rig.fill("photo.png", "w=10", with: [1], cacheControl: Self.words, entityTag: "\"v1\"")
        rig.time.advance(seconds: 70)
        let rig = try self.rig.restarted()
        let answer = try rig.ask("photo.png", "w=10").value()
        #expect(answer.status == .hit(.stale) && answer.entity.memory == [1])
        let load = try rig.loader.wait(for: 1)[0]
        load.answer(rig.png(width: 9), at: rig.time.wallSeconds, cacheControl: Self.words)
        try rig.transformer.wait(for: 1)[0].make([2])
        try waitWhile(rig.pipeline.variantsUnderWay > 0)
        #expect(rig.pipeline.cached(rig.request("photo.png", "w=10"), now: rig.time.wallSeconds)?.memory == [2])
    }

    @Test func `a new size of a stale original is made immediately, and the original is refreshed`() throws {
        try rig.fill("photo.png", "w=10", with: [1], cacheControl: Self.words, entityTag: "\"v1\"")
        rig.time.advance(seconds: 61)
        let pending = rig.ask("photo.png", "w=20")
        try rig.transformer.wait(for: 2)[1].make([2])
        #expect(try pending.value().status == .hit(.stale))
        try rig.loader.wait(for: 2)[1].answerNotModified(at: rig.time.wallSeconds)
        try rig.waitForOriginals()
        #expect(rig.pipeline.cached(rig.request("photo.png", "w=20"), now: rig.time.wallSeconds)?.memory == [2])
    }

    @Test(arguments: [
        PipelineError.originStatus(503), .originStatus(429), .originTimeout("x"), .originUnreachable("x"),
        .originProtocol("x"),
    ])
    func `a stale response replaces a failure of the origin`(error: PipelineError) throws {
        try rig.fill("photo.png", "w=10", with: [1], cacheControl: "max-age=60, stale-if-error=600")
        rig.time.advance(seconds: 61)
        let pending = rig.ask("photo.png", "w=10")
        try rig.loader.wait(for: 2)[1].fail(error)
        let answer = try pending.value()
        #expect(answer.status == .hit(.stale) && answer.entity.memory == [1])
        // While the failure is cached, the origin is not contacted, and another size is made from the stored original.
        let request = rig.request("photo.png", "w=10")
        #expect(rig.pipeline.stale(request, now: rig.time.wallSeconds)?.memory == [1])
        let other = rig.ask("photo.png", "w=20")
        try rig.transformer.wait(for: 2)[1].make([2])
        #expect(try other.value().status == .hit(.stale))
        #expect(try rig.ask("photo.png", "w=10").value().status == .hit(.stale))
        #expect(rig.loader.all.count == 2)
        rig.time.advance(seconds: 600)
        let late = rig.ask("photo.png", "w=10")
        try rig.loader.wait(for: 3)[2].fail(error)
        #expect(try late.error() == error)
    }

    @Test func `serving stale does not contact an origin that has just failed`() throws {
        try rig.fill("photo.png", "w=10", with: [1], cacheControl: Self.words)
        rig.time.advance(seconds: 61)
        let request = rig.request("photo.png", "w=10")
        #expect(rig.pipeline.stale(request, now: rig.time.wallSeconds)?.memory == [1])
        try rig.loader.wait(for: 2)[1].fail(.originTimeout("x"))
        try waitWhile(rig.pipeline.variantsUnderWay > 0)
        for _ in 0..<10 { #expect(rig.pipeline.stale(request, now: rig.time.wallSeconds)?.memory == [1]) }
        #expect(rig.pipeline.variantsUnderWay == 0 && rig.loader.all.count == 2)
        rig.time.advance(seconds: 2)
        #expect(rig.pipeline.stale(request, now: rig.time.wallSeconds)?.memory == [1])
        #expect(try rig.loader.wait(for: 3).count == 3)
    }

    @Test func `a refusal by the origin is not replaced by a stale response`() throws {
        try rig.fill("photo.png", "w=10", with: [1], cacheControl: "max-age=60, stale-if-error=600")
        rig.time.advance(seconds: 61)
        let pending = rig.ask("photo.png", "w=10")
        try rig.loader.wait(for: 2)[1].refuse(404, at: rig.time.wallSeconds)
        #expect(try pending.error() == .originStatus(404))
    }

    @Test func `the source's stale limits apply only if the origin states none`() throws {
        let rule: (inout SourceRule) -> Void = {
            $0.ttl = 60
            $0.staleWhileRevalidate = 10
            $0.staleIfError = 100
        }
        for (words, isServed) in [
            (nil, true), ("max-age=60", true), ("max-age=60, stale-while-revalidate=5", false),
            ("max-age=60, must-revalidate", false), ("s-maxage=60", false),
            ("s-maxage=60, stale-while-revalidate=20", true), ("max-age=60, proxy-revalidate", false),
        ] as [(String?, Bool)] {
            let rig = try PipelineRig()
            let pending = rig.ask("photo.png", "w=10", rule: rule)
            try rig.loader.wait(for: 1)[0].answer(rig.png(), at: rig.time.wallSeconds, cacheControl: words)
            try rig.transformer.wait(for: 1)[0].make([1])
            _ = try pending.value()
            rig.time.advance(seconds: 66)
            let request = rig.request("photo.png", "w=10", rule: rule)
            let stale = rig.pipeline.stale(request, now: rig.time.wallSeconds)
            #expect((stale != nil) == isServed, "\(words ?? "nothing")")
        }
    }
}
