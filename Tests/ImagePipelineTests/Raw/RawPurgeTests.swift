import CacheTestSupport
import HTTPSemantics
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache
@testable import ImagePipeline

@Suite(.timeLimit(.minutes(1)))
struct RawPurgeTests {
    private static let fields = ["Cache-Control: max-age=60", "Surrogate-Key: one two", "ETag: \"1\""]

    /// Purges like the daemon.
    private func purge(_ rig: RawRig, _ selection: PurgeSelection, staleFrom: Int64? = nil) {
        let purge = Purge(selection, staleFrom: staleFrom)
        #expect(rig.store.tombstone(purge))
        _ = rig.proxy.purge(purge)
        #expect(rig.store.remove(purge, completion: nil))
    }

    static let selections: [PurgeSelection] = [
        .originals([RawRig.request().key]), .source("x"), .tags(["two"]), .all, .confirmedBefore(RawRig.now + 1),
        .prefixes([OriginPrefix(source: "x", url: "http://x.test/")]),
    ]

    @Test(arguments: selections, [false, true])
    func `removes a response from both tiers`(selection: PurgeSelection, isOnDiskOnly: Bool) throws {
        let rig = try RawRig()
        _ = try rig.ask(RawRig.request(), Self.fields, body: "old")
        if isOnDiskOnly { try rig.restart() }
        purge(rig, selection)
        #expect(try rig.ask(RawRig.request(), ["Cache-Control: no-store"], body: "new").text == "new")
        rig.flush()
        #expect(rig.store.statistics.originals.entries == 0)
    }

    @Test(arguments: [PurgeSelection.source("y"), .tags(["three"]), .confirmedBefore(RawRig.now)])
    func `keeps responses that the purge does not select`(selection: PurgeSelection) throws {
        let rig = try RawRig()
        _ = try rig.ask(RawRig.request(), Self.fields, body: "old")
        try rig.restart()
        purge(rig, selection)
        #expect(try rig.ask(RawRig.request()).cacheStatus == .hit(.disk))
    }

    @Test(arguments: selections, [false, true])
    func `a soft purge causes a validation`(selection: PurgeSelection, isOnDiskOnly: Bool) throws {
        let rig = try RawRig()
        _ = try rig.ask(RawRig.request(), Self.fields, body: "old")
        if isOnDiskOnly { try rig.restart() }
        purge(rig, selection, staleFrom: RawRig.now)
        rig.flush()
        let answer = try rig.ask(RawRig.request(), ["Cache-Control: max-age=60"], status: 304)
        #expect(answer.text == "old" && answer.cacheStatus == .revalidated)
    }

    @Test(arguments: [false, true])
    func `a response that arrives during an invalidation is not stored`(comesFirst: Bool) throws {
        let rig = try RawRig()
        let request = RawRig.request()
        _ = rig.proxy.load(request) { _ in }
        let load = try #require(try rig.loader.wait(for: 1).last)
        let answer = FetchedResponse(
            status: 200,
            fields: RawRig.lines(Self.fields),
            content: .bytes(Array("old".utf8)),
            requestTime: RawRig.now,
            responseTime: RawRig.now
        )
        rig.proxy.cache.drop(request.origin) {
            if comesFirst { load.respond(answer) }
            _ = rig.proxy.flights.beginPurge(.originals([request.key]))
            if !comesFirst { load.respond(answer) }
        }
        rig.proxy.flights.endPurge(.originals([request.key]))
        try rig.settle()
        #expect(rig.store.statistics.originals.entries == 0)
        try rig.restart()
        #expect(try rig.ask(request, Self.fields, body: "new").text == "new")
    }

    @Test func `a response in progress is stored neither in memory nor on disk`() throws {
        let rig = try RawRig()
        let result = Signal<String?>(nil)
        _ = rig.proxy.load(RawRig.request()) { answer in
            if case .success(let answer) = answer { result.update { $0 = answer.text } }
        }
        let load = try #require(try rig.loader.wait(for: 1).last)
        purge(rig, .all)
        load.respond(
            FetchedResponse(
                status: 200,
                fields: RawRig.lines(Self.fields),
                content: .bytes(Array("old".utf8)),
                requestTime: RawRig.now,
                responseTime: RawRig.now
            )
        )
        try result.wait { $0 == "old" }
        rig.flush()
        #expect(rig.store.statistics.originals.entries == 0)
        #expect(try rig.ask(RawRig.request(), Self.fields, body: "new").text == "new")
    }
}
