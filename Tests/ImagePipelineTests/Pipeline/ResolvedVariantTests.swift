import HTTPSemantics
import ImagePlan
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache
@testable import ImagePipeline

/// Requests that come to the same with their original: one transform and one body.
@Suite(.timeLimit(.minutes(1)))
struct ResolvedVariantTests {
    let rig: PipelineRig
    private let boxes = ["1?w=1204", "1?w=2000", "1?w=3000"]

    init() throws { rig = try PipelineRig() }

    /// Sends an original of 1204 × 800 pixels.
    private func answer(_ number: Int = 0, width: Int = 1204, cacheControl: String? = nil) throws {
        let load = try rig.loader.wait(for: number + 1)[number]
        load.answer(
            rig.png(width: width, height: 800),
            at: rig.time.wallSeconds,
            cacheControl: cacheControl,
            entityTag: "\"\(width)\""
        )
    }

    /// Sends a result; `seed` is its content.
    private func make(_ number: Int = 0, width: Int = 1204, height: Int = 800, length: Int = 2000) throws {
        let output = WorkerReply.Output(
            format: .png,
            width: width,
            height: height,
            frames: 1,
            hasAlpha: false,
            length: length
        )
        try rig.transformer.wait(for: number + 1)[number].make([output])
    }

    /// Waits until all requests wait for the transform; each passes the lane a few times.
    private func gather() throws { for _ in 0..<4 { try rig.drainLane() } }

    private func purge(_ selection: PurgeSelection) throws {
        let done = Signal(false)
        #expect(rig.pipeline.purge(selection) { _ in done.update { $0 = true } })
        try done.wait { $0 }
    }

    @Test func `concurrent requests for boxes that the original fits into share one transform`() throws {
        let pending = boxes.map { rig.ask("a.png", $0) }
        try answer()
        try make()
        let answers = try pending.map { try $0.value() }
        #expect(answers.allSatisfy { $0.entity.memory == answers[0].entity.memory })
        #expect(Set(answers.map(\.entity.description.digest)).count == 1)
        #expect(rig.loader.all.count == 1 && rig.transformer.all.count == 1)
        // Each request's own key finds its entity in memory.
        for plan in boxes { #expect(rig.pipeline.cached(rig.request("a.png", plan), now: 1000) != nil) }
        #expect(rig.pipeline.sharing.variantsResolved == 2)
    }

    @Test func `a later request uses the result in memory, and its body costs memory once`() throws {
        let first = rig.ask("a.png", boxes[0])
        try answer()
        try make(length: 100_000)
        _ = try first.value()
        let before = rig.memory.statistics.bytes
        let second = try rig.ask("a.png", boxes[1]).value()
        #expect(second.status == .hit(.memory))
        #expect(rig.memory.statistics.entries == 2 && rig.memory.statistics.bytes < before + 2000)
        #expect(rig.pipeline.parts.bodies.borrowerCount == 1)
        #expect(rig.transformer.all.count == 1)
    }

    @Test func `a borrowed body leaves memory with the entity that pays for it`() throws {
        let pending = boxes.map { rig.ask("a.png", $0) }
        try answer()
        try make(length: 100_000)
        for answer in pending { _ = try answer.value() }
        #expect(rig.memory.statistics.entries == 3 && rig.memory.statistics.bytes < 110_000)
        for plan in boxes { rig.memory.remove(rig.request("a.png", plan).key) }
        #expect(rig.memory.statistics.entries == 0 && rig.pipeline.parts.bodies.borrowerCount == 0)
        // The disk has it.
        try rig.settle()
        #expect(try rig.ask("a.png", boxes[1]).value().status == .hit(.disk))
    }

    @Test func `equal bodies of different originals are held once in memory and on disk`() throws {
        for (number, path) in ["a.png", "b.png"].enumerated() {
            let pending = rig.ask(path, boxes[0])
            try answer(number, width: 1204 + number)
            try make(number, width: 1204, length: 50_000)
            _ = try pending.value()
        }
        try rig.settle()
        #expect(rig.memory.statistics.entries == 2 && rig.memory.statistics.bytes < 60_000)
        #expect(rig.store.statistics.variants.entries == 2 && rig.store.statistics.variants.bytes == 50_000)
    }

    @Test func `the results are one file on disk, and survive a restart`() throws {
        let pending = boxes.prefix(2).map { rig.ask("a.png", $0) }
        try answer()
        try make()
        for answer in pending { _ = try answer.value() }
        try rig.settle()
        #expect(rig.store.statistics.variants.entries == 2 && rig.store.statistics.variants.bytes == 2000)
        #expect(rig.store.statistics.links == 1)
        let restarted = try rig.restarted()
        #expect(try restarted.ask("a.png", boxes[1]).value().status == .hit(.disk))
        // A box that was not asked for before.
        #expect(try restarted.ask("a.png", boxes[2]).value().status == .hit(.memory))
        #expect(try restarted.ask("a.png", "1?h=800").value().status == .hit(.memory))
        #expect(restarted.transformer.all.isEmpty && restarted.loader.all.isEmpty)
        try restarted.settle()
        #expect(restarted.store.statistics.variants.entries == 4 && restarted.store.statistics.variants.bytes == 2000)
    }

    @Test func `after a restart, a new box finds the result on disk by its resolved key`() throws {
        let first = rig.ask("a.png", boxes[0])
        try answer()
        try make()
        _ = try first.value()
        try rig.settle()
        let restarted = try rig.restarted()
        #expect(try restarted.ask("a.png", boxes[2]).value().status == .hit(.disk))
        #expect(restarted.transformer.all.isEmpty && restarted.loader.all.isEmpty)
    }

    @Test func `another digest makes the requests different variants again`() throws {
        let first = rig.ask("a.png", boxes[0])
        try answer(cacheControl: "max-age=10")
        try make()
        _ = try first.value()
        #expect(try rig.ask("a.png", boxes[1]).value().status == .hit(.memory))
        rig.time.advance(seconds: 20)
        let again = [boxes[0], boxes[1]].map { rig.ask("a.png", $0) }
        try answer(1, width: 1800)
        let jobs = try rig.transformer.wait(for: 3)
        #expect(Set(jobs.dropFirst().map { $0.job.outputs[0].plan }) == Set(boxes.prefix(2)))
        for number in 1...2 { try make(number, width: 1, height: 1) }
        for answer in again { _ = try answer.value() }
    }

    @Test func `a validated original keeps the results of all requests`() throws {
        let pending = boxes.map { rig.ask("a.png", $0) }
        try answer(cacheControl: "max-age=10")
        try make()
        for answer in pending { _ = try answer.value() }
        rig.time.advance(seconds: 20)
        let stale = rig.ask("a.png", boxes[0])
        try rig.loader.wait(for: 2)[1].answerNotModified(at: rig.time.wallSeconds, cacheControl: "max-age=10")
        _ = try stale.value()
        for plan in boxes {
            #expect(rig.pipeline.cached(rig.request("a.png", plan), now: rig.time.wallSeconds) != nil)
        }
        #expect(try rig.ask("a.png", "1?h=900").value().status == .hit(.memory))
        #expect(rig.transformer.all.count == 1 && rig.loader.all.count == 2)
    }

    @Test func `a refusal is not shared, as it names the parameters of one request`() throws {
        let refusal = PipelineError.refused("it is too wide", parameter: "w")
        let pending = [boxes[0], "1?h=900"].map { rig.ask("a.png", $0) }
        try answer()
        let jobs = try rig.transformer.wait(for: 1)
        jobs[0].fail(refusal)
        try make(1)
        let outcomes = try pending.map { try $0.error() }
        #expect(outcomes.count { $0 == refusal } == 1 && outcomes.count { $0 == nil } == 1)
        // The refusal is remembered for one key only.
        let plans = try rig.transformer.wait(for: 2).map { $0.job.outputs[0].plan }
        #expect(Set(plans) == [boxes[0], "1?h=900"])
    }

    @Test func `a failure of the worker is shared`() throws {
        let pending = boxes.map { rig.ask("a.png", $0) }
        try answer()
        let job = try rig.transformer.wait(for: 1)[0]
        try gather()
        job.fail(.workerLost)
        for answer in pending { #expect(try answer.error() == .workerLost) }
        #expect(rig.transformer.all.count == 1)
    }

    @Test func `a result that the header did not predict is not shared`() throws {
        let pending = boxes.prefix(2).map { rig.ask("a.png", $0) }
        try answer()
        try make(width: 800, height: 1204)
        try make(1, width: 800, height: 1204)
        for answer in pending { _ = try answer.value() }
        #expect(rig.transformer.all.count == 2 && rig.pipeline.sharing.variantsResolved == 0)
        let third = rig.ask("a.png", boxes[2])
        try make(2, width: 800, height: 1204)
        _ = try third.value()
    }

    @Test func `the transform continues for those that stay, and ends with the last one that leaves`() throws {
        let pending = boxes.map { rig.ask("a.png", $0) }
        try answer()
        let job = try rig.transformer.wait(for: 1)[0]
        try gather()
        pending[0].leave()
        pending[1].leave()
        #expect(!job.isCancelled)
        pending[2].leave()
        #expect(job.isCancelled)
    }

    @Test func `a purge removes every request's result`() throws {
        let pending = boxes.map { rig.ask("a.png", $0) }
        try answer()
        try make()
        for answer in pending { _ = try answer.value() }
        try rig.settle()
        try purge(.originals([rig.request("a.png", boxes[0]).origin.key]))
        #expect(rig.memory.statistics.entries == 0 && rig.store.statistics.variants.entries == 0)
        #expect(rig.store.statistics.variants.bytes == 0)
        _ = rig.ask("a.png", boxes[1])
        _ = try rig.loader.wait(for: 2)
    }

    @Test(arguments: [false, true], [false, true])
    func `after a purge of a preset, its requests do not find the result of another request`(
        isRestarted: Bool,
        isWithin: Bool
    ) throws {
        let first = rig.ask("a.png", boxes[0])
        try answer()
        try make()
        _ = try first.value()
        _ = try rig.ask("a.png", boxes[1]).value()
        try rig.settle()
        let pattern = PresetPattern(name: "wide", steps: "&w=2000&", settings: [])
        try purge(isWithin ? .within("", .preset(pattern)) : .preset(pattern))
        let rig = isRestarted ? try rig.restarted() : rig
        #expect(rig.store.statistics.variants.entries == 0)
        let again = rig.ask("a.png", boxes[1])
        let number = isRestarted ? 0 : 1
        let output = WorkerReply.Output(format: .png, width: 1204, height: 800, frames: 1, hasAlpha: false, length: 2)
        try rig.transformer.wait(for: number + 1)[number].make([output])
        _ = try again.value()
    }

    @Test func `a purge while the transform runs keeps its result out of the caches`() throws {
        let pending = boxes.map { rig.ask("a.png", $0) }
        try answer()
        _ = try rig.transformer.wait(for: 1)
        try gather()
        try purge(.all)
        let later = rig.ask("a.png", boxes[0])
        try answer(1)
        let second = try rig.transformer.wait(for: 2)
        try make()
        for answer in pending { _ = try answer.value() }
        #expect(rig.memory.statistics.entries == 0)
        #expect(second.count == 2)
        try make(1)
        _ = try later.value()
        #expect(rig.memory.statistics.entries == 1)
    }

    @Test func `requests for different sources share nothing`() throws {
        let first = rig.ask("a.png", boxes[0])
        try answer()
        try make()
        _ = try first.value()
        let second = rig.ask("a.png", boxes[1]) { $0.name = "other" }
        try answer(1)
        try make(1)
        _ = try second.value()
        #expect(rig.transformer.all.count == 2)
    }
}
