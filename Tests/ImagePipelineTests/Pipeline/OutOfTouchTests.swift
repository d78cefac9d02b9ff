import Glibc
import HTTPCache
import HTTPSemantics
import ImagePipeline
import TestSupport
import Testing

/// Images on a node of a cluster that may not know all purges, by a clock that the test advances.
@Suite(.timeLimit(.minutes(1)))
struct OutOfTouchTests {
    private static let words = "max-age=600, stale-while-revalidate=600, stale-if-error=6000"

    /// A rig with one variant in memory and on disk, stored in touch; two seconds later it is out of touch.
    private func rig(
        _ policy: PurgeProgress.OutOfTouch = .revalidate,
        cacheControl: String? = words
    ) throws -> PipelineRig {
        let rig = try PipelineRig(outOfTouch: policy)
        rig.stayInTouch()
        try rig.fill("photo.png", "w=10", with: [1], cacheControl: cacheControl, entityTag: "\"v1\"")
        rig.time.advance(seconds: 2)
        return rig
    }

    @Test func `in touch, hits are served however long ago they were confirmed`() throws {
        let rig = try rig()
        rig.stayInTouch()
        #expect(rig.hit("photo.png", "w=10") == [1])
        #expect(try rig.ask("photo.png", "w=10").value().status == .hit(.memory))
        #expect(rig.loader.all.count == 1)
    }

    @Test func `out of touch, many requests cause one validation, which lasts for a second`() throws {
        let rig = try rig()
        let request = rig.request("photo.png", "w=10")
        #expect(rig.hit("photo.png", "w=10") == nil)
        // Stale-while-revalidate does not apply.
        #expect(rig.pipeline.stale(request, now: rig.time.wallSeconds) == nil)
        let pending = (0..<20).map { _ in rig.ask("photo.png", "w=10") }
        let load = try rig.loader.wait(for: 2)[1]
        #expect(load.fetch.entityTag == "\"v1\"")
        load.answerNotModified(at: rig.time.wallSeconds)
        let answers = try pending.map { try $0.value() }
        #expect(answers.allSatisfy { $0.entity.memory == [1] })
        #expect(answers[0].status == .forwarded(.outOfTouch, status: 304, collapsed: false))
        #expect(answers[1].status == .forwarded(.outOfTouch, status: 304, collapsed: true))
        #expect(rig.hit("photo.png", "w=10") == [1])
        // Another size of the original needs no further validation.
        let other = rig.ask("photo.png", "w=20")
        try rig.transformer.wait(for: 2)[1].make([2])
        #expect(try other.value().status == .hit(.original))
        #expect(rig.loader.all.count == 2)
        rig.time.advance(seconds: 1)
        #expect(rig.hit("photo.png", "w=10") == nil && rig.hit("photo.png", "w=20") == nil)
        // In touch again without a gap, nothing needs validation.
        rig.stayInTouch()
        #expect(rig.hit("photo.png", "w=10") == [1] && rig.hit("photo.png", "w=20") == [2])
        #expect(rig.loader.all.count == 2)
    }

    @Test func `out of touch, a stale response is not served while it is revalidated, nor within max-stale`() throws {
        let rig = try rig(cacheControl: "max-age=1, stale-while-revalidate=600")
        #expect(rig.pipeline.stale(rig.request("photo.png", "w=10"), now: rig.time.wallSeconds) == nil)
        let pending = rig.ask("photo.png", "w=10", demand: CacheDemand(CacheControl("max-stale"), isTrusted: true))
        try rig.loader.wait(for: 2)[1].answerNotModified(at: rig.time.wallSeconds)
        #expect(try pending.value().status == .forwarded(.outOfTouch, status: 304, collapsed: false))
        rig.time.advance(seconds: 2)
        let next = rig.ask("photo.png", "w=10")
        try rig.loader.wait(for: 3)[2].answerNotModified(at: rig.time.wallSeconds)
        #expect(try next.value().status == .forwarded(.outOfTouch, status: 304, collapsed: false))
    }

    @Test func `out of touch, a failing origin is covered by stale-if-error`() throws {
        let rig = try rig()
        let pending = rig.ask("photo.png", "w=10")
        try rig.loader.wait(for: 2)[1].fail(.originTimeout("x"))
        let answer = try pending.value()
        #expect(answer.status == .hit(.stale) && answer.entity.memory == [1])
    }

    @Test func `out of touch, new bytes are served`() throws {
        let rig = try rig()
        let pending = rig.ask("photo.png", "w=10")
        try rig.loader.wait(for: 2)[1].answer(rig.png(width: 9), at: rig.time.wallSeconds)
        try rig.transformer.wait(for: 2)[1].make([2])
        #expect(try pending.value().entity.memory == [2])
        #expect(rig.hit("photo.png", "w=10") == [2])
    }

    @Test func `out of touch, requests do not share a download that is older than a second`() throws {
        let rig = try rig()
        let first = rig.ask("new.png", nil)
        _ = try rig.loader.wait(for: 2)
        rig.time.advance(seconds: 1)
        let second = rig.ask("new.png", nil)
        let loads = try rig.loader.wait(for: 3)
        loads[1].answer(rig.png(width: 1), at: rig.time.wallSeconds)
        loads[2].answer(rig.png(width: 2), at: rig.time.wallSeconds)
        #expect(try first.value().entity.memory == rig.png(width: 1))
        #expect(try second.value().entity.memory == rig.png(width: 2))
    }

    @Test func `out of touch, stale-if-error applies during an outage of the origin, too`() throws {
        let rig = try rig()
        let first = rig.ask("photo.png", "w=10")
        try rig.loader.wait(for: 2)[1].fail(.originUnreachable("x"))
        #expect(try first.value().status == .hit(.stale))
        for plan in ["w=10", nil] { #expect(try rig.ask("photo.png", plan).value().status == .hit(.stale)) }
        #expect(rig.hit("photo.png", "w=10") == nil && rig.loader.all.count == 2)
    }

    @Test func `out of touch, a failed transform is tried again only with other bytes`() throws {
        let rig = try rig()
        rig.stayInTouch()
        let first = rig.ask("photo.png", "w=20")
        try rig.transformer.wait(for: 2)[1].fail(.broken("the header"))
        #expect(try first.error() == .broken("the header"))
        rig.time.advance(seconds: 2)
        let second = rig.ask("photo.png", "w=20")
        try rig.loader.wait(for: 2)[1].answerNotModified(at: rig.time.wallSeconds)
        guard case .remembered(let failure, _)? = try second.error() else {
            Issue.record("the failure is not remembered")
            return
        }
        #expect(failure == .broken("the header"))
        rig.time.advance(seconds: 2)
        let third = rig.ask("photo.png", "w=20")
        try rig.loader.wait(for: 3)[2].answer(rig.png(width: 9), at: rig.time.wallSeconds)
        try rig.transformer.wait(for: 3)[2].make([3])
        #expect(try third.value().entity.memory == [3])
    }

    @Test func `out of touch, the bare original is validated, too`() throws {
        let rig = try rig()
        let bare = rig.ask("photo.png", nil)
        try rig.loader.wait(for: 2)[1].answerNotModified(at: rig.time.wallSeconds)
        #expect(try bare.value().entity.memory == rig.png())
    }

    @Test func `out of touch, remembered failures are tried again`() throws {
        let rig = try rig()
        rig.stayInTouch()
        let first = rig.ask("gone.png", "w=10")
        try rig.loader.wait(for: 2)[1].refuse(404, at: rig.time.wallSeconds)
        #expect(try first.error() == .originStatus(404))
        let second = rig.ask("gone.png", "w=10")
        #expect(try second.error() != nil && rig.loader.all.count == 2)
        rig.time.advance(seconds: 2)
        let third = rig.ask("gone.png", "w=10")
        try rig.loader.wait(for: 3)[2].refuse(404, at: rig.time.wallSeconds)
        #expect(try third.error() == .originStatus(404))
    }

    @Test func `out of touch, a node may go on serving`() throws {
        let rig = try rig(.serve)
        #expect(rig.hit("photo.png", "w=10") == [1])
        #expect(try rig.ask("photo.png", "w=10").value().status == .hit(.memory))
        rig.pipeline.raiseFloor(to: PurgePlace(sequence: 3, mark: "x"))
        #expect(rig.hit("photo.png", "w=10") == nil)
    }

    @Test func `out of touch, a node may fail requests for what is stored`() throws {
        let rig = try rig(.fail)
        let request = rig.request("photo.png", "w=10")
        #expect(rig.hit("photo.png", "w=10") == nil)
        #expect(rig.pipeline.stale(request, now: rig.time.wallSeconds) == nil)
        for plan in ["w=10", nil] {
            let pending = rig.ask("photo.png", plan)
            #expect(try pending.error() == .outOfTouch)
        }
        #expect(rig.loader.all.count == 1)
        // What is not stored is requested.
        let new = rig.ask("new.png", nil)
        try rig.loader.wait(for: 2)[1].answer(rig.png(), at: rig.time.wallSeconds)
        #expect(try new.value().status == .miss)
        rig.stayInTouch()
        #expect(rig.hit("photo.png", "w=10") == [1])
    }

    @Test func `out of touch, no placeholder is shown of what may have been purged`() throws {
        let rig = try rig()
        let request = rig.request("photo.png", "w=10").origin
        func isKnown() throws -> Bool {
            let known = Signal<Bool?>(nil)
            rig.pipeline.known(request) { original in known.update { $0 = original != nil } }
            return try known.wait { $0 != nil } == true
        }
        #expect(try !isKnown())
        rig.stayInTouch()
        #expect(try isKnown())
    }
}

extension PipelineRig {
    /// Makes the node be in touch for a second.
    func stayInTouch() { progress.stayInTouch(until: time.monotonic + PurgeProgress.patience) }

    /// The bytes of a hit in memory.
    func hit(_ path: String, _ plan: String?) -> [UInt8]? {
        pipeline.cached(request(path, plan), now: time.wallSeconds)?.memory
    }
}
