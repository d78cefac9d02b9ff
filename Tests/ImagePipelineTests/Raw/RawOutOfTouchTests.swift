import HTTPSemantics
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache
@testable import ImagePipeline

/// Responses of raw sources on a node of a cluster that may not know all purges: as images, by a clock that the test advances.
@Suite(.timeLimit(.minutes(1)))
struct RawOutOfTouchTests {
    private static let fields = [
        "Cache-Control: max-age=600, stale-while-revalidate=600, stale-if-error=6000", "ETag: \"1\"",
    ]
    private static let status = CacheStatus.forwarded(.outOfTouch, status: 304, collapsed: false)

    /// A rig with one stored response, from two seconds ago.
    private func rig(_ policy: PurgeProgress.OutOfTouch = .revalidate, fields: [String] = fields) throws -> RawRig {
        let rig = try RawRig(outOfTouch: policy)
        stayInTouch(rig)
        #expect(try rig.ask(RawRig.request(), fields, body: "one").text == "one")
        try rig.settle()
        rig.time.advance(seconds: 2)
        return rig
    }

    private func stayInTouch(_ rig: RawRig) {
        rig.progress.stayInTouch(until: rig.time.monotonic + PurgeProgress.patience)
    }

    private func notModified(_ rig: RawRig) -> FetchedResponse {
        FetchedResponse(
            status: 304,
            fields: RawRig.lines(Self.fields),
            content: .none,
            requestTime: rig.time.wallSeconds,
            responseTime: rig.time.wallSeconds
        )
    }

    @Test func `out of touch, many requests cause one validation, which lasts for a second`() throws {
        let rig = try rig()
        let request = RawRig.request()
        #expect(rig.proxy.cached(request) == nil)
        let answers = Signal<[RawAnswer]>([])
        for _ in 0..<10 {
            _ = rig.proxy.load(request) { result in
                if let answer = try? result.get() { answers.update { $0.append(answer) } }
            }
        }
        let load = try rig.loader.wait(for: 2)[1]
        load.respond(notModified(rig))
        let all = try answers.wait { $0.count == 10 }
        #expect(all.allSatisfy { $0.text == "one" } && all.contains { $0.cacheStatus == Self.status })
        #expect(rig.loader.all.count == 2 && rig.proxy.cached(request)?.text == "one")
        rig.time.advance(seconds: 1)
        #expect(rig.proxy.cached(request) == nil)
        stayInTouch(rig)
        #expect(rig.proxy.cached(request)?.cacheStatus == .hit(.memory) && rig.loader.all.count == 2)
    }

    @Test(arguments: [[], ["Cache-Control: max-stale=1000"]])
    func `out of touch, no stale response is served without validation`(client: [String]) throws {
        let rig = try rig(fields: ["Cache-Control: max-age=1, stale-while-revalidate=600", "ETag: \"1\""])
        let answer = try rig.ask(RawRig.request("a", client), Self.fields, status: 304)
        #expect(answer.text == "one" && answer.cacheStatus == Self.status)
    }

    @Test func `out of touch, a failing origin is covered by stale-if-error`() throws {
        let rig = try rig()
        let answer = try rig.ask(RawRig.request(), [], status: 503)
        #expect(answer.text == "one" && answer.cacheStatus == .hit(.stale))
    }

    @Test func `out of touch, a node may go on serving, or fail`() throws {
        #expect(try rig(.serve).proxy.cached(RawRig.request())?.text == "one")
        let rig = try rig(.fail)
        #expect(throws: PipelineError.outOfTouch) { try rig.ask(RawRig.request()) }
        #expect(rig.loader.all.count == 1)
        #expect(try rig.ask(RawRig.request("b"), Self.fields, body: "two").text == "two")
        // A request that asks for validation gets it.
        let strict = RawRig.request("a", ["Cache-Control: no-cache"])
        #expect(try rig.ask(strict, Self.fields, status: 304).text == "one")
        stayInTouch(rig)
        #expect(rig.proxy.cached(RawRig.request())?.text == "one")
    }

    @Test func `the era survives a restart, and a gap requires one validation`() throws {
        let rig = try rig()
        let era = rig.progress.nextEra
        let position = PurgePosition(place: PurgePlace(sequence: 7, mark: "m"), era: era)
        rig.store.setPosition(position)
        rig.progress.begin(era: era, at: position.place)
        rig.proxy.detachFlights()
        stayInTouch(rig)
        #expect(rig.proxy.cached(RawRig.request()) == nil)
        #expect(try rig.ask(RawRig.request(), Self.fields, status: 304).cacheStatus == .revalidated)
        #expect(rig.proxy.cached(RawRig.request())?.cacheStatus == .hit(.memory))
        try rig.settle()
        try rig.restart()
        #expect(rig.progress.era == era && rig.progress.sequence == 7)
        stayInTouch(rig)
        #expect(try rig.ask(RawRig.request()).cacheStatus == .hit(.disk))
        let stored = try #require(rig.store.raw(RawRig.request().key))
        #expect(stored.record.stamp == PurgeStamp(sequence: 7, era: era))
    }

    @Test func `requests that arrive after a gap do not share older responses`() throws {
        let rig = try RawRig(outOfTouch: .revalidate)
        stayInTouch(rig)
        let answers = Signal<[String]>([])
        func load() {
            _ = rig.proxy.load(RawRig.request()) { result in
                if let answer = try? result.get() { answers.update { $0.append(answer.text) } }
            }
        }
        load()
        _ = try rig.loader.wait(for: 1)
        rig.progress.begin(era: 5, at: PurgePlace(sequence: 1, mark: ""))
        rig.proxy.detachFlights()
        load()
        let loads = try rig.loader.wait(for: 2)
        for (load, body) in zip(loads, ["old", "new"]) {
            load.respond(
                FetchedResponse(
                    status: 200,
                    fields: RawRig.lines(Self.fields),
                    content: .bytes(Array(body.utf8)),
                    requestTime: rig.time.wallSeconds,
                    responseTime: rig.time.wallSeconds
                )
            )
        }
        #expect(try answers.wait { $0.count == 2 } == ["old", "new"])
        #expect(rig.proxy.cached(RawRig.request())?.text == "new")
    }
}
