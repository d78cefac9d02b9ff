import HTTPSemantics
import ImagePipeline
import ImagePlan
import LinuxSystem
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct PipelineTests {
    let rig: PipelineRig

    init() throws { rig = try PipelineRig() }

    @Test func `a cold request is a miss that fetches and transforms; the next is a memory hit`() throws {
        let first = rig.ask("photo.png", "w=10")
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: 1000)
        try rig.transformer.wait(for: 1)[0].make([1, 2, 3])
        let answer = try first.value()
        #expect(answer.status == .miss)
        #expect(answer.entity.memory == [1, 2, 3])
        let request = rig.request("photo.png", "w=10")
        #expect(rig.pipeline.cached(request, now: 1000)?.memory == [1, 2, 3])
        #expect(rig.pipeline.cached(request, now: 1000 + 3599) != nil)
        #expect(rig.pipeline.cached(request, now: 1000 + 3600) == nil)
    }

    @Test func `equal variants share one download and one transform`() throws {
        let answers = (0..<50).map { _ in rig.ask("photo.png", "w=10") }
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: 1000)
        try rig.transformer.wait(for: 1)[0].make([9])
        let statuses = try answers.map { try $0.value().status }
        #expect(statuses.filter { $0 == .miss }.count == 1)
        #expect(statuses.filter { $0 == .collapsedMiss }.count == 49)
        #expect(rig.loader.all.count == 1)
        #expect(rig.transformer.all.count == 1)
    }

    @Test func `different variants share one download`() throws {
        let answers = (1...8).map { rig.ask("photo.png", "w=\($0)") }
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: 1000)
        for job in try rig.transformer.wait(for: 8) { job.make(Array(job.job.outputs[0].plan.utf8)) }
        let bodies = try answers.map { try $0.value().entity.memory }
        #expect(Set(bodies).count == 8)
        #expect(rig.loader.all.count == 1)
    }

    @Test func `another variant of a stored original does not contact the origin`() throws {
        try rig.fill("photo.png", "w=10", with: [1])
        let second = rig.ask("photo.png", "w=20")
        try rig.transformer.wait(for: 2)[1].make([2])
        #expect(try second.value().status == .hit(.original))
        #expect(rig.loader.all.count == 1)
    }

    @Test func `a failure of the origin is shared, and the origin is contacted again after the back-off`() throws {
        let answers = (0..<5).map { _ in rig.ask("photo.png", "w=10") }
        try rig.loader.wait(for: 1)[0].fail(.originStatus(500))
        for answer in answers { #expect(try answer.error() == .originStatus(500)) }
        rig.time.advance(seconds: 2)
        let again = rig.ask("photo.png", "w=10")
        try rig.loader.wait(for: 2)[1].fail(.originTimeout("no byte"))
        #expect(try again.error() == .originTimeout("no byte"))
    }

    @Test func `a failure of the transform is shared`() throws {
        let answers = (0..<5).map { _ in rig.ask("photo.png", "w=10") }
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: 1000)
        try rig.transformer.wait(for: 1)[0].fail(.crashedDecoder)
        for answer in answers { #expect(try answer.error() == .crashedDecoder) }
    }

    @Test func `text is not an image and is never transformed`() throws {
        let answer = rig.ask("page.png", "w=10")
        try rig.loader.wait(for: 1)[0].answer(Array("<html>".utf8), at: 1000)
        guard case .notAnImage = try answer.error() else {
            Issue.record("another error")
            return
        }
        #expect(rig.transformer.all.isEmpty)
    }

    @Test func `an image over the pixel limit is refused before decoding`() throws {
        let answer = rig.ask("huge.png", "w=10")
        try rig.loader.wait(for: 1)[0].answer(rig.png(width: 60_000, height: 60_000), at: 1000)
        guard case .refused(let reason, _) = try answer.error() else {
            Issue.record("not refused but \(String(describing: try? answer.error()))")
            return
        }
        #expect(reason.contains("limits.pixels"))
        #expect(rig.transformer.all.isEmpty)
    }

    @Test func `a photograph with megabytes of metadata before its size is recognised`() throws {
        var jpeg: [UInt8] = [0xFF, 0xD8]
        for _ in 0..<40 { jpeg += [0xFF, 0xE1, 0xFF, 0xFF] + [UInt8](repeating: 7, count: 0xFFFD) }
        jpeg += [0xFF, 0xC0, 0, 17, 8, 0, 30, 0, 40, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]
        jpeg += [0xFF, 0xDA, 0, 12, 3, 1, 0, 2, 0x11, 3, 0x11, 0, 63, 0, 1, 2, 3, 0xFF, 0xD9]
        let answer = rig.ask("portrait.jpg", "w=10")
        try rig.loader.wait(for: 1)[0].answer(jpeg, at: 1000)
        let job = try rig.transformer.wait(for: 1)[0]
        #expect(job.job.header.width == 40 && job.job.header.height == 30)
        job.make([1])
        _ = try answer.value()
    }

    @Test func `the bare original is served byte for byte`() throws {
        let first = rig.ask("photo.png", nil)
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: 1000)
        let answer = try first.value()
        #expect(answer.entity.memory == rig.png())
        #expect(answer.status == .miss)
        #expect(answer.entity.description.mediaType == "image/png")
        try rig.settle()
        let variant = rig.ask("photo.png", "w=10")
        try rig.transformer.wait(for: 1)[0].make([1])
        #expect(try variant.value().status == .hit(.original))
    }

    @Test func `after a restart the variant comes from disk`() throws {
        try rig.fill("photo.png", "w=10", with: [4, 5])
        let next = try rig.restarted()
        let answer = try next.ask("photo.png", "w=10").value()
        #expect(answer.status == .hit(.disk))
        #expect(answer.entity.memory == [4, 5])
        let again = next.pipeline.cached(next.request("photo.png", "w=10"), now: 1000)
        #expect(again?.memory == [4, 5])
    }

    @Test func `the last client to leave cancels the download`() throws {
        let answer = rig.ask("photo.png", "w=10")
        let load = try rig.loader.wait(for: 1)[0]
        answer.leave()
        // The client may leave while the load is starting; then the starter cancels it.
        try load.waitForCancel()
        #expect(rig.pipeline.variantsUnderWay == 0)
        #expect(rig.pipeline.originalsUnderWay == 0)
    }

    @Test func `a download past the threshold continues without waiters and is stored`() throws {
        let answer = rig.ask("photo.png", "w=10")
        let load = try rig.loader.wait(for: 1)[0]
        // The task has its load only after the start.
        try rig.drainLane()
        load.receive(1 << 20)
        answer.leave()
        #expect(!load.isCancelled)
        load.answer(rig.png(), at: 1000)
        try rig.waitForOriginals()
        let next = rig.ask("photo.png", "w=10")
        try rig.transformer.wait(for: 1)[0].make([1])
        #expect(try next.value().status == .hit(.original))
    }

    @Test func `no-store is served and not stored`() throws {
        let first = rig.ask("photo.png", "w=10")
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: 1000, cacheControl: "no-store")
        try rig.transformer.wait(for: 1)[0].make([1])
        #expect(try first.value().entity.memory == [1])
        try rig.settle()
        #expect(rig.pipeline.cached(rig.request("photo.png", "w=10"), now: 1000) == nil)
        let second = rig.ask("photo.png", "w=10")
        try rig.loader.wait(for: 2)[1].answer(rig.png(), at: 1000)
        try rig.transformer.wait(for: 2)[1].make([2])
        #expect(try second.value().entity.memory == [2])
    }
}
