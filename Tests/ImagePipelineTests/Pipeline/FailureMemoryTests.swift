import HTTPCache
import HTTPSemantics
import Glibc
import ImagePipeline
import TestSupport
import Testing

/// Cached failures as seen by requests (SDWebImage: failedURLs, RetryFailed, shouldBlockFailedURL).
@Suite(.timeLimit(.minutes(1)))
struct FailureMemoryTests {
    let rig: PipelineRig

    init() throws { rig = try PipelineRig() }

    @Test func `a missing image is not requested again, in any size, until its lifetime ends`() throws {
        let first = rig.ask("none.png", "w=10")
        try rig.loader.wait(for: 1)[0].refuse(404, at: rig.time.wallSeconds)
        #expect(try first.error() == .originStatus(404))
        rig.time.advance(seconds: 100)
        #expect(try rig.ask("none.png", "w=10").error() == .remembered(.originStatus(404), secondsLeft: 200))
        #expect(try rig.ask("none.png", "w=20").error() == .remembered(.originStatus(404), secondsLeft: 200))
        #expect(try rig.ask("none.png", nil).error() == .remembered(.originStatus(404), secondsLeft: 200))
        #expect(rig.loader.all.count == 1)
        rig.time.advance(seconds: 200)
        let later = rig.ask("none.png", "w=10")
        try rig.loader.wait(for: 2)[1].answer(rig.png(), at: rig.time.wallSeconds)
        try rig.transformer.wait(for: 1)[0].make([1])
        #expect(try later.value().entity.memory == [1])
        #expect(rig.pipeline.failures.statistics.entries == 0)
    }

    @Test func `the stated lifetime of a missing image applies`() throws {
        for (words, seconds) in [("max-age=7", 7), ("s-maxage=9, max-age=1", 9), ("max-age=9999999", 86_400)] {
            let rig = try PipelineRig()
            let first = rig.ask("none.png", "w=10")
            try rig.loader.wait(for: 1)[0].refuse(410, at: rig.time.wallSeconds, cacheControl: words)
            #expect(try first.error() == .originStatus(410))
            #expect(
                try rig.ask("none.png", "w=1").error() == .remembered(.originStatus(410), secondsLeft: Int64(seconds))
            )
        }
        let first = rig.ask("none.png", "w=10")
        try rig.loader.wait(for: 1)[0].refuse(404, at: rig.time.wallSeconds, cacheControl: "no-store")
        #expect(try first.error() == .originStatus(404))
        #expect(rig.pipeline.failures.statistics.entries == 0)
    }

    @Test func `after the back-off one request retries, and the others receive the stored image`() throws {
        let first = rig.ask("a.png", "w=10")
        try rig.loader.wait(for: 1)[0].fail(.originTimeout("x"))
        _ = try first.error()
        rig.time.advance(seconds: 2)
        let probe = rig.ask("a.png", "w=10")
        let load = try rig.loader.wait(for: 2)[1]
        for plan in ["w=10", "w=20", nil] {
            #expect(try rig.ask("a.png", plan).error() == .remembered(.originTimeout("x"), secondsLeft: 1))
        }
        #expect(rig.loader.all.count == 2)
        load.answer(rig.png(), at: rig.time.wallSeconds)
        try rig.transformer.wait(for: 1)[0].make([1])
        #expect(try probe.value().entity.memory == [1])
    }

    @Test func `a cancelled retry allows the next one`() throws {
        let first = rig.ask("a.png", "w=10")
        try rig.loader.wait(for: 1)[0].fail(.originTimeout("x"))
        _ = try first.error()
        rig.time.advance(seconds: 2)
        let probe = rig.ask("a.png", "w=10")
        let load = try rig.loader.wait(for: 2)[1]
        probe.leave()
        try load.waitForCancel()
        try waitWhile(rig.pipeline.failures.list(limit: 1).contains(where: \.isBeingTried))
        let next = rig.ask("a.png", "w=10")
        try rig.loader.wait(for: 3)[2].answer(rig.png(), at: rig.time.wallSeconds)
        try rig.transformer.wait(for: 1)[0].make([1])
        #expect(try next.value().entity.memory == [1])
    }

    @Test func `the back-off grows with each failure, up to the maximum, and Retry-After extends it`() throws {
        var pauses: [Int64] = []
        for attempt in 1...9 {
            let pending = rig.ask("a.png", "w=10")
            let retryAfter = attempt == 9 ? "7200" : nil
            try rig.loader.wait(for: attempt)[attempt - 1].refuse(
                503,
                at: rig.time.wallSeconds,
                retryAfter: retryAfter
            )
            #expect(try pending.error() == .originStatus(503))
            let pause = rig.pipeline.failures.list(limit: 1)[0].secondsLeft
            pauses.append(pause)
            rig.time.advance(seconds: pause + 1)
        }
        // At most a quarter above the doubled pause, and never above the maximum.
        for (index, pause) in pauses.enumerated() {
            let least = min(Int64(1) << index, 60)
            #expect((least...min(60, least + least / 4)).contains(pause), "\(pauses)")
        }
        let other = rig.ask("b.png", "w=10")
        try rig.loader.wait(for: 10)[9].refuse(503, at: rig.time.wallSeconds, retryAfter: "30")
        _ = try other.error()
        #expect(rig.pipeline.failures.list(limit: 9).first { $0.url.hasSuffix("b.png") }?.secondsLeft == 30)
    }

    @Test func `a decoder crash is cached for that variant only`() throws {
        let first = rig.ask("a.png", "w=10")
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: rig.time.wallSeconds)
        try rig.transformer.wait(for: 1)[0].fail(.crashedDecoder)
        #expect(try first.error() == .crashedDecoder)
        #expect(try rig.ask("a.png", "w=10").error() == .remembered(.crashedDecoder, secondsLeft: 600))
        try rig.settle()
        let other = rig.ask("a.png", "w=20")
        try rig.transformer.wait(for: 2)[1].make([2])
        #expect(try other.value().entity.memory == [2])
        // Another body may be valid.
        rig.time.advance(seconds: 3_600)
        let changed = rig.ask("a.png", "w=20")
        try rig.loader.wait(for: 2)[1].answer(rig.png(width: 8), at: rig.time.wallSeconds)
        try rig.transformer.wait(for: 3)[2].make([3])
        _ = try changed.value()
        #expect(rig.pipeline.failures.statistics.entries == 0)
    }

    @Test func `transient failures are not cached`() throws {
        for error in [PipelineError.overloaded("x"), .workerLost] {
            let rig = try PipelineRig()
            let first = rig.ask("a.png", "w=10")
            try rig.loader.wait(for: 1)[0].fail(error)
            #expect(try first.error() == error)
            #expect(rig.pipeline.failures.statistics.entries == 0)
        }
    }

    @Test func `a fresh image on disk is served although its origin fails`() throws {
        try rig.fill("a.png", "w=10", with: [1], cacheControl: "max-age=60, must-revalidate")
        rig.time.advance(seconds: 61)
        let first = rig.ask("a.png", "w=20")
        try rig.loader.wait(for: 2)[1].fail(.originStatus(500))
        #expect(try first.error() == .originStatus(500))
        // The clock goes back: the stored image is fresh again and preferred to the failure.
        rig.time.set(wallSeconds: rig.time.wallSeconds - 30)
        let other = rig.ask("a.png", "w=30")
        try rig.transformer.wait(for: 2)[1].make([3])
        #expect(try other.value().status == .hit(.original))
    }

    @Test func `a purge removes failures`() throws {
        let first = rig.ask("none.png", "w=10")
        try rig.loader.wait(for: 1)[0].refuse(404, at: rig.time.wallSeconds)
        _ = try first.error()
        let done = Signal(false)
        #expect(rig.pipeline.purge(.source("photos")) { _ in done.update { $0 = true } })
        try done.wait { $0 }
        let next = rig.ask("none.png", "w=10")
        try rig.loader.wait(for: 2)[1].refuse(404, at: rig.time.wallSeconds)
        #expect(try next.error() == .originStatus(404))
    }

    @Test func `the oldest failure is evicted when too many are cached`() throws {
        rig.pipeline.failures.setPolicy(FailurePolicy(entries: 3))
        for index in 0..<5 {
            let pending = rig.ask("\(index).png", "w=10")
            try rig.loader.wait(for: index + 1)[index].refuse(404, at: rig.time.wallSeconds)
            _ = try pending.error()
        }
        #expect(rig.pipeline.failures.statistics.entries == 3)
        #expect(try rig.ask("4.png", "w=10").error() == .remembered(.originStatus(404), secondsLeft: 300))
        let forgotten = rig.ask("0.png", "w=10")
        try rig.loader.wait(for: 6)[5].refuse(404, at: rig.time.wallSeconds)
        #expect(try forgotten.error() == .originStatus(404))
    }

    @Test func `when a missing image's lifetime ends, all requests share the next attempt`() throws {
        let first = rig.ask("a.png", "w=10")
        try rig.loader.wait(for: 1)[0].refuse(404, at: rig.time.wallSeconds)
        _ = try first.error()
        rig.time.advance(seconds: 301)
        let answers = (0..<3).map { _ in rig.ask("a.png", "w=10") }
        try rig.loader.wait(for: 2)[1].answer(rig.png(), at: rig.time.wallSeconds)
        try rig.transformer.wait(for: 1)[0].make([1])
        for answer in answers { #expect(try answer.value().entity.memory == [1]) }
        #expect(rig.loader.all.count == 2)
    }

    @Test func `a request with no-store caches no failure and uses stored content`() throws {
        var demand = CacheDemand.none
        demand.noStore = true
        try rig.fill("a.png", "w=10", with: [1], cacheControl: "max-age=60")
        let first = rig.ask("none.png", "w=10", demand: demand)
        try rig.loader.wait(for: 2)[1].refuse(404, at: rig.time.wallSeconds)
        _ = try first.error()
        #expect(rig.pipeline.failures.statistics.entries == 0)
        let other = rig.ask("a.png", "w=20", demand: demand)
        try rig.transformer.wait(for: 2)[1].make([2])
        #expect(try other.value().status == .hit(.original))
        #expect(rig.loader.all.count == 2)
        try rig.settle()
        #expect(rig.store.statistics.variants.entries == 1)
    }

    @Test func `a failure in progress during a purge is not cached`() throws {
        let first = rig.ask("a.png", "w=10")
        let load = try rig.loader.wait(for: 1)[0]
        let done = Signal(false)
        #expect(rig.pipeline.purge(.source("photos")) { _ in done.update { $0 = true } })
        try done.wait { $0 }
        load.refuse(404, at: rig.time.wallSeconds)
        #expect(try first.error() == .originStatus(404))
        #expect(rig.pipeline.failures.statistics.entries == 0)
    }

    @Test func `a failing origin is not contacted even with no-cache`() throws {
        let first = rig.ask("a.png", "w=10")
        try rig.loader.wait(for: 1)[0].fail(.originTimeout("x"))
        _ = try first.error()
        var demand = CacheDemand.none
        demand.noCache = true
        #expect(
            try rig.ask("a.png", "w=10", demand: demand).error() == .remembered(.originTimeout("x"), secondsLeft: 1)
        )
        #expect(rig.loader.all.count == 1)
    }

    @Test func `directives that forbid storage remove the stored content, on disk too`() throws {
        try rig.fill("a.png", "w=10", with: [1], cacheControl: "max-age=60", entityTag: "\"v1\"")
        #expect(rig.store.statistics.originals.entries == 1)
        rig.time.advance(seconds: 61)
        let pending = rig.ask("a.png", "w=10")
        try rig.loader.wait(for: 2)[1].answerNotModified(at: rig.time.wallSeconds, cacheControl: "no-store")
        #expect(try pending.value().entity.memory == [1])
        try rig.settle()
        #expect(rig.store.statistics.originals.entries == 0 && rig.store.statistics.variants.entries == 0)
    }

    @Test func `a request refused by a full pool releases its retry`() throws {
        let first = rig.ask("a.png", "w=10")
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: rig.time.wallSeconds)
        try rig.transformer.wait(for: 1)[0].fail(.transformTimeout)
        #expect(try first.error() == .transformTimeout)
        rig.time.advance(seconds: 2)
        // One waiter holds the only slot of another flight of the same key.
        rig.pipeline.setWaiterLimit(1)
        let probe = rig.ask("a.png", "w=10")
        _ = try rig.transformer.wait(for: 2)
        #expect(try rig.ask("a.png", "w=10").error() == .remembered(.transformTimeout, secondsLeft: 1))
        probe.leave()
        try waitWhile(rig.pipeline.failures.list(limit: 1).contains(where: \.isBeingTried))
        let next = rig.ask("a.png", "w=10")
        try rig.transformer.wait(for: 3)[2].make([1])
        #expect(try next.value().entity.memory == [1])
    }

    @Test func `with negative off, each request for a missing or broken image contacts the origin`() throws {
        for count in 1...2 {
            let missing = rig.ask("none.png", "w=10") { $0.negative = false }
            try rig.loader.wait(for: count)[count - 1].refuse(404, at: rig.time.wallSeconds)
            #expect(try missing.error() == .originStatus(404))
        }
        for count in 1...2 {
            let broken = rig.ask("broken.png", "w=10") { $0.negative = false }
            if count == 1 { try rig.loader.wait(for: 3)[2].answer(rig.png(), at: rig.time.wallSeconds) }
            try rig.transformer.wait(for: count)[count - 1].fail(.broken("cut short"))
            #expect(try broken.error() == .broken("cut short"))
        }
    }
}
