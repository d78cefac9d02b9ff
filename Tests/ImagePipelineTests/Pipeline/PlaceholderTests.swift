import CacheTestSupport
import HTTPSemantics
import ImagePipeline
import ImagePlan
import TestSupport
import Testing

@testable import HTTPCache
@testable import ImagePipeline

/// `placeholder: headers` in the pipeline: computed once per original, stored with it, and included in every entity.
@Suite(.timeLimit(.minutes(1)))
struct PlaceholderTests {
    let rig: PipelineRig
    private let placeholder: Placeholder
    private let wishes: @Sendable (inout SourceRule) -> Void = { $0.placeholder = .headers }

    init() throws {
        rig = try PipelineRig()
        let rgba = [UInt8](repeating: 200, count: 4 * 4 * 4)
        placeholder = Placeholder(of: try #require(TinyPicture(width: 4, height: 4, rgba: rgba)))
    }

    private var words: [UInt8] { Array(placeholder.text.utf8) }

    /// Requests the first size of an image, and responds for origin and worker.
    private func fill(_ plan: String = "w=10") throws -> Entity {
        let first = rig.ask("photo.png", plan, rule: wishes)
        try rig.loader.wait(for: 1)[0].answer(rig.png(width: 40, height: 30), at: 1000)
        let job = try rig.transformer.wait(for: 1)[0]
        #expect(job.job.outputs.map(\.plan) == [plan, Placeholder.planText])
        job.make([[1], words], as: .png)
        return try first.value().entity
    }

    @Test func `the first size computes it, and the second does not`() throws {
        let first = try fill()
        #expect(first.description.hints?.placeholder == placeholder)
        #expect(first.description.hints?.size == PixelSize(width: 40, height: 30))
        let second = rig.ask("photo.png", "w=20", rule: wishes)
        let job = try rig.transformer.wait(for: 2)[1]
        #expect(job.job.outputs.map(\.plan) == ["w=20"])
        job.make([2])
        #expect(try second.value().entity.description.hints?.placeholder == placeholder)
        let bare = try rig.ask("photo.png", nil, rule: wishes).value().entity
        #expect(bare.description.hints?.placeholder == placeholder)
        #expect(rig.transformer.all.count == 2)
    }

    @Test func `a source without the setting neither computes nor sends it`() throws {
        let answer = rig.ask("photo.png", "w=10")
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: 1000)
        let job = try rig.transformer.wait(for: 1)[0]
        #expect(job.job.outputs.count == 1)
        job.make([1])
        #expect(try answer.value().entity.description.hints == nil)
        _ = try rig.ask("photo.png", nil).value()
        #expect(rig.transformer.all.count == 1)
    }

    @Test func `it survives a restart, for stored and new sizes`() throws {
        _ = try fill()
        try rig.settle()
        let again = try rig.restarted()
        let stored = try again.ask("photo.png", "w=10", rule: wishes).value()
        #expect(stored.status == .hit(.disk))
        #expect(stored.entity.description.hints?.placeholder == placeholder)
        let other = again.ask("photo.png", "w=30", rule: wishes)
        let job = try again.transformer.wait(for: 1)[0]
        #expect(job.job.outputs.count == 1)
        job.make([3])
        #expect(try other.value().entity.description.hints?.placeholder == placeholder)
    }

    @Test func `the bare original has it once it is computed`() throws {
        let first = rig.ask("photo.png", nil, rule: wishes)
        try rig.loader.wait(for: 1)[0].answer(rig.png(width: 40, height: 30), at: 1000)
        let hints = try first.value().entity.description.hints
        #expect(hints?.placeholder == nil && hints?.size == PixelSize(width: 40, height: 30))
        let job = try rig.transformer.wait(for: 1)[0]
        #expect(job.job.outputs.map(\.plan) == [Placeholder.planText] && job.job.priority == .low)
        job.make([words], as: .text)
        let request = rig.request("photo.png", nil, rule: wishes)
        let second = rig.pipeline.cached(request, now: 1000)
        #expect(second?.description.hints?.placeholder == placeholder)
        #expect(second?.memory == rig.png(width: 40, height: 30))
        try rig.settle()
        let again = try rig.restarted()
        let stored = try again.ask("photo.png", nil, rule: wishes).value()
        #expect(stored.entity.description.hints?.placeholder == placeholder)
        #expect(again.transformer.all.isEmpty && again.loader.all.isEmpty)
    }

    @Test func `sizes stored before the setting receive it afterwards`() throws {
        try rig.fill("photo.png", "w=10", with: [1])
        let again = try rig.restarted()
        let stored = try again.ask("photo.png", "w=10", rule: wishes).value().entity
        #expect(stored.description.hints != nil && stored.description.hints?.placeholder == nil)
        try again.transformer.wait(for: 1)[0].make([words], as: .text)
        let request = again.request("photo.png", "w=10", rule: wishes)
        #expect(again.pipeline.cached(request, now: 1000)?.description.hints?.placeholder == placeholder)
    }

    @Test func `a 304 keeps it, and another body removes it`() throws {
        _ = try fill()
        rig.time.advance(seconds: 4000)
        let confirmed = rig.ask("photo.png", "w=10", rule: wishes)
        try rig.loader.wait(for: 2)[1].answerNotModified(at: 5000)
        #expect(try confirmed.value().entity.description.hints?.placeholder == placeholder)
        rig.time.advance(seconds: 4000)
        let changed = rig.ask("photo.png", "w=10", rule: wishes)
        try rig.loader.wait(for: 3)[2].answer(rig.png(width: 9, height: 9), at: 9000)
        let job = try rig.transformer.wait(for: 2)[1]
        #expect(job.job.outputs.count == 2)
        job.make([[7], Array(Placeholder.none.text.utf8)], as: .png)
        #expect(try changed.value().entity.description.hints?.placeholder == Placeholder.none)
    }

    @Test func `a hostile worker's placeholder is dropped, and the image is served`() throws {
        let answer = rig.ask("photo.png", "w=10", rule: wishes)
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: 1000)
        try rig.transformer.wait(for: 1)[0].make([[1], Array("x\r\nSet-Cookie: a=b\n\n".utf8)], as: .png)
        let entity = try answer.value().entity
        #expect(entity.memory == [1] && entity.description.hints?.placeholder == nil)
    }

    @Test func `an image without a possible placeholder is not tried again`() throws {
        _ = try { () throws in
            let first = rig.ask("photo.png", nil, rule: wishes)
            try rig.loader.wait(for: 1)[0].answer(rig.png(), at: 1000)
            return try first.value()
        }()
        try rig.transformer.wait(for: 1)[0].fail(.broken("no pixels"))
        let again = try rig.ask("photo.png", nil, rule: wishes).value().entity
        #expect(again.description.hints?.placeholder == Placeholder.none)
        #expect(rig.transformer.all.count == 1)
    }

    @Test func `a failure that can pass is tried again a minute later`() throws {
        let first = rig.ask("photo.png", nil, rule: wishes)
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: 1000)
        _ = try first.value()
        try rig.transformer.wait(for: 1)[0].fail(.overloaded("busy"))
        for (seconds, jobs): (Int64, Int) in [(0, 1), (59, 1), (2, 2)] {
            // From disk, because entries in memory are served unchanged.
            try rig.settle()
            rig.memory.removeAll()
            rig.time.advance(seconds: seconds)
            _ = try rig.ask("photo.png", nil, rule: wishes).value()
            try rig.settle()
            #expect(rig.transformer.all.count == jobs, "after \(seconds) s more")
        }
    }

    @Test func `purged content does not reappear with it`() throws {
        let first = rig.ask("photo.png", nil, rule: wishes)
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: 1000)
        _ = try first.value()
        let job = try rig.transformer.wait(for: 1)[0]
        let purged = Signal(false)
        #expect(rig.pipeline.purge(.all) { _ in purged.update { $0 = true } })
        try purged.wait { $0 }
        job.make([words], as: .text)
        try rig.settle()
        #expect(rig.pipeline.cached(rig.request("photo.png", nil, rule: wishes), now: 1000) == nil)
        #expect(rig.store.origin(rig.request("photo.png", nil, rule: wishes).origin.key) == nil)
    }

    @Test func `many concurrent bare originals leave room for transforms, and receive it later`() throws {
        let most = BackgroundKind.maximumPlaceholders
        for number in 0...most {
            let answer = rig.ask("\(number).png", nil, rule: wishes)
            try rig.loader.wait(for: number + 1)[number].answer(rig.png(), at: 1000)
            _ = try answer.value()
        }
        let jobs = try rig.transformer.wait(for: most)
        #expect(rig.transformer.all.count == most)
        for job in jobs { job.make([words], as: .text) }
        // From disk, because entries in memory are served unchanged.
        try rig.settle()
        rig.memory.removeAll()
        _ = try rig.ask("\(most).png", nil, rule: wishes).value()
        try rig.transformer.wait(for: most + 1)[most].make([words], as: .text)
        let request = rig.request("\(most).png", nil, rule: wishes)
        #expect(rig.pipeline.cached(request, now: 1000)?.description.hints?.placeholder == placeholder)
    }

    @Test func `a rebuilt index reads it from the files`() throws {
        var record = CacheFixture.origin(1, body: [1, 2, 3])
        record.placeholder = placeholder
        #expect(OriginRecord(encoded: record.encoded[...])?.placeholder == placeholder)
        record.placeholder = nil
        #expect(OriginRecord(encoded: record.encoded[...]) == record)
    }

    @Test func `a text result keeps its media type on disk`() throws {
        let answer = rig.ask("photo.png", "1?format=json")
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: 1000)
        try rig.transformer.wait(for: 1)[0].make([Array("{}".utf8)], as: .json)
        #expect(try answer.value().entity.description.mediaType == "application/json")
        try rig.settle()
        let again = try rig.restarted()
        let stored = try again.ask("photo.png", "1?format=json").value()
        #expect(stored.status == .hit(.disk) && stored.entity.description.mediaType == "application/json")
        #expect(stored.entity.memory == Array("{}".utf8))
    }
}
