import HTTPSemantics
import ImagePipeline
import ImagePlan
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct RevalidationTests {
    let rig: PipelineRig

    init() throws { rig = try PipelineRig() }

    @Test(arguments: [false, true])
    func `a 304 keeps every variant and makes it fresh`(restarted: Bool) throws {
        try rig.fill("photo.png", "w=10", with: [1], cacheControl: "max-age=60", entityTag: "\"v1\"")
        try rig.fill("photo.png", "w=20", with: [2])
        rig.time.advance(seconds: 61)
        let rig = restarted ? try self.rig.restarted() : self.rig
        let loads = rig.loader.all.count
        let first = rig.ask("photo.png", "w=10")
        let load = try rig.loader.wait(for: loads + 1)[loads]
        #expect(load.fetch.entityTag == "\"v1\"")
        load.answerNotModified(at: rig.time.wallSeconds)
        let answer = try first.value()
        #expect(answer.status == .forwarded(.stale, status: 304, collapsed: false))
        #expect(answer.entity.memory == [1])
        // The other variant is fresh again without another request.
        try rig.settle()
        let other = rig.request("photo.png", "w=20")
        if !restarted { #expect(rig.pipeline.cached(other, now: rig.time.wallSeconds)?.memory == [2]) }
        #expect(try rig.ask("photo.png", "w=20").value().entity.memory == [2])
        #expect(rig.loader.all.count == loads + 1)
    }

    @Test(arguments: [false, true])
    func `a changed original causes new variants`(restarted: Bool) throws {
        try rig.fill("photo.png", "w=10", with: [1], cacheControl: "max-age=60", entityTag: "\"v1\"")
        try rig.fill("photo.png", "w=20", with: [2])
        rig.time.advance(seconds: 61)
        let rig = restarted ? try self.rig.restarted() : self.rig
        let (loads, jobs) = (rig.loader.all.count, rig.transformer.all.count)
        let first = rig.ask("photo.png", "w=10")
        try rig.loader.wait(for: loads + 1)[loads].answer(
            rig.png(width: 7),
            at: rig.time.wallSeconds,
            entityTag: "\"v2\""
        )
        try rig.transformer.wait(for: jobs + 1)[jobs].make([11])
        let answer = try first.value()
        #expect(answer.status == .forwarded(.stale, status: 200, collapsed: false))
        #expect(answer.entity.memory == [11])
        #expect(rig.pipeline.cached(rig.request("photo.png", "w=20"), now: rig.time.wallSeconds) == nil)
        try rig.settle()
        let other = rig.ask("photo.png", "w=20")
        try rig.transformer.wait(for: jobs + 2)[jobs + 1].make([22])
        #expect(try other.value().entity.memory == [22])
        #expect(rig.loader.all.count == loads + 1)
    }

    @Test func `new header fields of the origin reach clients although the bytes are unchanged`() throws {
        try rig.fill("photo.png", "w=10", with: [1], cacheControl: "max-age=60", entityTag: "\"v1\"")
        rig.time.advance(seconds: 61)
        let first = rig.ask("photo.png", "w=10")
        try rig.loader.wait(for: 2)[1].answerNotModified(at: rig.time.wallSeconds, cacheControl: "max-age=5")
        #expect(try first.value().entity.description.cacheControl == "max-age=5")
        let request = rig.request("photo.png", "w=10")
        let now = rig.time.wallSeconds
        #expect(rig.pipeline.cached(request, now: now + 4)?.description.cacheControl == "max-age=5")
        #expect(rig.pipeline.cached(request, now: now + 5) == nil)
        #expect(rig.transformer.all.count == 1)
    }

    @Test func `the same body without validators counts as unchanged`() throws {
        try rig.fill("photo.png", "w=10", with: [1], cacheControl: "max-age=60")
        rig.time.advance(seconds: 61)
        let first = rig.ask("photo.png", "w=10")
        try rig.loader.wait(for: 2)[1].answer(rig.png(), at: rig.time.wallSeconds)
        let answer = try first.value()
        #expect(answer.entity.memory == [1])
        #expect(answer.status == .forwarded(.stale, status: 200, collapsed: false))
        #expect(rig.transformer.all.count == 1)
    }

    @Test func `no-cache validates each time and keeps the variant`() throws {
        try rig.fill("photo.png", "w=10", with: [1], cacheControl: "no-cache", entityTag: "\"v1\"")
        for round in 1...3 {
            let answer = rig.ask("photo.png", "w=10")
            try rig.loader.wait(for: round + 1)[round].answerNotModified(at: rig.time.wallSeconds)
            #expect(try answer.value().status == .forwarded(.stale, status: 304, collapsed: false))
        }
        #expect(rig.transformer.all.count == 1)
    }

    @Test func `waiters of a revalidation share it`() throws {
        try rig.fill("photo.png", "w=10", with: [1], cacheControl: "max-age=60", entityTag: "\"v1\"")
        rig.time.advance(seconds: 61)
        let answers = (0..<10).map { _ in rig.ask("photo.png", "w=10") }
        try rig.loader.wait(for: 2)[1].answerNotModified(at: rig.time.wallSeconds)
        let statuses = try answers.map { try $0.value().status }
        #expect(statuses.filter { $0 == .forwarded(.stale, status: 304, collapsed: true) }.count == 9)
        #expect(rig.loader.all.count == 2)
    }

    @Test func `an origin that now forbids storage is contacted each time`() throws {
        try rig.fill("photo.png", "w=10", with: [1], cacheControl: "max-age=60", entityTag: "\"v1\"")
        try rig.fill("photo.png", "w=20", with: [2])
        rig.time.advance(seconds: 61)
        let first = rig.ask("photo.png", "w=10")
        try rig.loader.wait(for: 2)[1].answerNotModified(at: rig.time.wallSeconds, cacheControl: "no-store")
        #expect(try first.value().entity.memory == [1])
        // The stored content is gone: each request fetches and transforms again.
        for round in 2...3 {
            let other = rig.ask("photo.png", "w=20")
            let load = try rig.loader.wait(for: round + 1)[round]
            #expect(load.fetch.entityTag == nil)
            load.answer(rig.png(), at: rig.time.wallSeconds, cacheControl: "no-store")
            try rig.transformer.wait(for: round + 1)[round].make([2])
            #expect(try other.value().entity.memory == [2])
            #expect(rig.pipeline.cached(rig.request("photo.png", "w=20"), now: rig.time.wallSeconds) == nil)
        }
    }

    @Test func `an original that must not be stored is not known from a response that still uses it`() throws {
        let first = rig.ask("photo.png", "w=10")
        let load = try rig.loader.wait(for: 1)[0]
        load.answer(rig.png(), at: rig.time.wallSeconds, cacheControl: "no-store", entityTag: "\"v1\"")
        try rig.transformer.wait(for: 1)[0].make([1])
        let answer = try first.value()
        let later = rig.ask("photo.png", "w=20")
        let other = try rig.loader.wait(for: 2)[1]
        #expect(other.fetch.entityTag == nil)
        other.answer(rig.png(), at: rig.time.wallSeconds, cacheControl: "no-store", entityTag: "\"v1\"")
        try rig.transformer.wait(for: 2)[1].make([2])
        #expect(try later.value().status == answer.status, "\(answer.status)")
        withExtendedLifetime(answer) {}
    }

    @Test func `a 304 without a lifetime keeps the stored Expires`() throws {
        let first = rig.ask("photo.png", "w=10")
        try rig.loader.wait(for: 1)[0].answer(
            rig.png(),
            at: 1000,
            cacheControl: "public",
            expires: "Thu, 01 Jan 1970 00:17:40 GMT",
            entityTag: "\"v1\""
        )
        try rig.transformer.wait(for: 1)[0].make([1])
        _ = try first.value()
        let request = rig.request("photo.png", "w=10")
        #expect(rig.pipeline.cached(request, now: 1059) != nil && rig.pipeline.cached(request, now: 1060) == nil)
        rig.time.advance(seconds: 100)
        let second = rig.ask("photo.png", "w=10")
        try rig.loader.wait(for: 2)[1].answerNotModified(at: 1100)
        _ = try second.value()
        // RFC 9111 §3.2: the stored Expires still applies, and it has passed.
        #expect(rig.pipeline.cached(request, now: 1100) == nil)
        let third = rig.ask("photo.png", "w=10")
        try rig.loader.wait(for: 3)[2].answerNotModified(at: 1100, cacheControl: "max-age=60")
        _ = try third.value()
        #expect(rig.pipeline.cached(request, now: 1159) != nil && rig.pipeline.cached(request, now: 1160) == nil)
    }

    @Test func `a request that needs the bytes receives them although others only validate`() throws {
        let rig = try PipelineRig(originalsQuota: 0)
        try rig.fill("photo.png", "w=10", with: [1], cacheControl: "no-cache", entityTag: "\"v1\"")
        let crowd = Crowd(rig, count: 8)
        crowd.ask()
        _ = try rig.loader.wait(for: 2)
        let other = rig.ask("photo.png", "w=20")
        var next = 1
        while true {
            let load = try rig.loader.wait(for: next + 1)[next]
            next += 1
            if load.fetch.entityTag == nil {
                load.answer(rig.png(), at: 1000, cacheControl: "no-cache", entityTag: "\"v1\"")
                break
            }
            load.answerNotModified(at: 1000)
        }
        try rig.transformer.wait(for: 2)[1].make([2])
        #expect(try other.value().entity.memory == [2])
    }
}

/// Clients that request one stale variant, each as soon as the previous one has its answer.
private final class Crowd: Sendable {
    private let rig: PipelineRig
    private let left: Signal<Int>

    init(_ rig: PipelineRig, count: Int) {
        self.rig = rig
        left = Signal(count)
    }

    func ask() {
        rig.pipeline.load(rig.request("photo.png", "w=10")) { [self] _ in
            left.update { $0 -= 1 }
            if left.value > 0 { ask() }
        }
    }
}
