import HTTPCache
import HTTPSemantics
import ImagePipeline
import TestSupport
import Testing

/// Responses that wait until they are stored on disk (`wait-store`).
@Suite(.timeLimit(.minutes(1)))
struct WaitStoreTests {
    private let rig: PipelineRig

    init() throws { rig = try PipelineRig() }

    @Test func `a new variant is on disk when it is served`() throws {
        let pending = rig.ask("a.png", "w=10", waitsForStore: true)
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: 1000, cacheControl: "max-age=60")
        try rig.transformer.wait(for: 1)[0].make([1])
        let answer = try pending.value()
        #expect(answer.isStored == true && answer.status == .miss)
        #expect(rig.store.variant(rig.request("a.png", "w=10").key) != nil)
        // So is a hit that was only in memory.
        #expect(try rig.ask("a.png", "w=10", waitsForStore: true).value().isStored == true)
        #expect(try rig.ask("a.png", "w=10").value().isStored == nil)
    }

    @Test func `the original is on disk when it is served`() throws {
        let pending = rig.ask("a.png", nil, waitsForStore: true)
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: 1000, cacheControl: "max-age=60")
        #expect(try pending.value().isStored == true)
        #expect(rig.store.origin(rig.request("a.png", nil).origin.key)?.file != nil)
    }

    @Test(arguments: [("no-store", CacheTiers.all), ("max-age=60", .memory), ("max-age=60", .none)])
    func `what is not stored is served all the same, and says so`(cacheControl: String, cache: CacheTiers) throws {
        let pending = rig.ask("a.png", "w=10", cache: cache, waitsForStore: true)
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: 1000, cacheControl: cacheControl)
        try rig.transformer.wait(for: 1)[0].make([1])
        let answer = try pending.value()
        #expect(answer.isStored == false && answer.entity.memory == [1])
    }

    @Test func `a failure does not wait`() throws {
        let pending = rig.ask("a.png", "w=10", waitsForStore: true)
        try rig.loader.wait(for: 1)[0].refuse(404, at: 1000)
        #expect(try pending.error() == .originStatus(404))
    }
}
