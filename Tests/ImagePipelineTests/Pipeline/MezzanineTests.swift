import CacheTestSupport
import Glibc
import HTTPSemantics
import ImagePlan
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache
@testable import ImagePipeline

/// Large originals are decoded once: concurrent variants share the decode, and later ones use a mezzanine.
@Suite(.timeLimit(.minutes(1)))
struct MezzanineTests {
    let rig: PipelineRig

    init() throws { rig = try PipelineRig() }

    /// A header of 4 MP.
    private var large: [UInt8] { rig.png(width: 2000, height: 2000) }

    private func plans(_ job: ScriptedTransformer.Job) -> [String] { job.job.outputs.map(\.plan) }

    /// Requests the first width of a large image, and returns its result with the mezzanine.
    private func first(_ plan: String, mezzanine: [UInt8] = [7, 7]) throws {
        let pending = rig.ask("large.png", plan)
        try rig.loader.wait(for: 1)[0].answer(large, at: rig.time.wallSeconds)
        let job = try rig.transformer.wait(for: 1)[0]
        #expect(plans(job) == [plan, Mezzanine(factor: 2).planText])
        job.makeAll([[1], mezzanine])
        #expect(try pending.value().entity.memory == [1])
    }

    @Test func `the first width stores a mezzanine, from which later ones are made`() throws {
        let plan = try canonical("w=400")
        try first(plan)
        for settles in [false, true] {
            if settles { try rig.settle() }
            let count = rig.transformer.all.count
            let later = rig.ask("large.png", try canonical(settles ? "w=200" : "w=300"))
            let job = try rig.transformer.wait(for: count + 1)[count]
            #expect(job.job.reduction?.factor == 2)
            #expect(job.job.reduction?.original.width == 2000)
            #expect(job.job.header.format == .jpeg)
            #expect(job.job.sourceLength == 2)
            job.makeAll(Array(repeating: [3], count: job.job.outputs.count))
            #expect(try later.value().entity.memory == [3])
        }
        #expect(rig.loader.all.count == 1)
        #expect(rig.pipeline.sharing.mezzaninesUsed == 2)
    }

    @Test func `a mezzanine survives a restart`() throws {
        try first(try canonical("w=400"))
        let again = try rig.restarted()
        let later = again.ask("large.png", try canonical("w=500"))
        let job = try again.transformer.wait(for: 1)[0]
        #expect(try job.job.reduction == Reduction(factor: 2, original: ImageSniffer.header(of: large)))
        job.make([5])
        #expect(try later.value().entity.memory == [5])
        #expect(again.loader.all.isEmpty)
    }

    /// The original's key and the one of the mezzanine that `first` stores.
    private var keys: (original: CacheKey, mezzanine: CacheKey) {
        let key = rig.request("large.png", nil).origin.key
        return (key, MezzanineStage.key(of: key, Mezzanine(factor: 2)))
    }

    @Test func `a mezzanine is a variant of its original on disk`() throws {
        try first(try canonical("w=400"))
        try rig.settle()
        let stored = try #require(rig.store.variant(keys.mezzanine))
        #expect(stored.record.origin == keys.original && stored.record.plan == Mezzanine(factor: 2).planText)
        #expect(stored.record.originDigest == CacheKey(hashing: large) && stored.record.format == .jpeg)
        #expect(rig.store.statistics.originals.entries == 1 && rig.store.statistics.variants.entries == 2)
        #expect(rig.store.statistics.originals.bytes == large.count)
    }

    @Test(arguments: [false, true])
    func `a purge of the original removes its mezzanine, even one that waits for the disk`(isOnDisk: Bool) throws {
        let writer = Monitor((isHeld: false, isFree: false))
        func free() { writer.update(wakingAll: true) { $0.isFree = true } }
        rig.store.flush {
            writer.update(wakingAll: true) { $0.isHeld = true }
            _ = writer.wait { $0.isFree ? true : nil }
        }
        defer { free() }
        _ = writer.wait { $0.isHeld ? true : nil }
        try first(try canonical("w=400"))
        if isOnDisk {
            free()
            try rig.settle()
            #expect(rig.store.variant(keys.mezzanine) != nil)
        }
        let purged = Signal(PurgeCounts())
        let hasEnded = Signal(false)
        #expect(
            rig.pipeline.purge(.originals([keys.original])) { counts in
                purged.update { $0 = counts }
                hasEnded.update { $0 = true }
            }
        )
        // The same body comes again: its digest alone would allow the old mezzanine.
        let later = rig.ask("large.png", try canonical("w=300"))
        try rig.loader.wait(for: 2)[1].answer(large, at: rig.time.wallSeconds)
        let job = try rig.transformer.wait(for: 2)[1]
        #expect(job.job.reduction == nil)
        free()
        try hasEnded.wait { $0 }
        #expect(rig.store.variant(keys.mezzanine) == nil)
        #expect(purged.value.originals == 1 && purged.value.variants == 2)
        job.makeAll([[9], [8]])
        #expect(try later.value().entity.memory == [9])
    }

    @Test func `another body of the original invalidates the mezzanine`() throws {
        try first(try canonical("w=400"))
        rig.time.advance(seconds: 4000)
        let later = rig.ask("large.png", try canonical("w=300"))
        let other = rig.png(width: 2002, height: 2000)
        try rig.loader.wait(for: 2)[1].answer(other, at: rig.time.wallSeconds)
        let job = try rig.transformer.wait(for: 2)[1]
        #expect(job.job.reduction == nil)
        #expect(job.job.header.width == 2002)
        try rig.settle()
        #expect(rig.store.variant(keys.mezzanine) == nil)
        job.makeAll([[9], [8]])
        #expect(try later.value().entity.memory == [9])
    }

    @Test
    func
        `no large mezzanine is made under load, and none if the source disables it or for plans that need the original`()
        throws
    {
        rig.transformer.loaded.withLock { $0 = true }
        let busy = rig.ask("large.png", try canonical("w=400"))
        try rig.loader.wait(for: 1)[0].answer(large, at: rig.time.wallSeconds)
        let first = try rig.transformer.wait(for: 1)[0]
        #expect(first.job.outputs.count == 1)
        first.make([1])
        _ = try busy.value()
        rig.transformer.loaded.withLock { $0 = false }
        let off = rig.ask("large.png", try canonical("w=300")) { $0.keepsMezzanines = false }
        let second = try rig.transformer.wait(for: 2)[1]
        #expect(second.job.outputs.count == 1)
        second.make([2])
        _ = try off.value()
        // Plans that need the full size, and plans that keep metadata, which mezzanines do not contain.
        for (index, query) in ["sharpen=2&w=300", "w=300&meta=keep", "w=300&meta=copyright"].enumerated() {
            let whole = rig.ask("large.png", try canonical(query))
            let job = try rig.transformer.wait(for: 3 + index)[2 + index]
            #expect(job.job.outputs.count == 1)
            job.make([3])
            _ = try whole.value()
        }
    }

    /// Requests widths of 6 MP at once, and returns the job.
    private func ask(_ widths: [Int], of name: String = "larger.png") throws
        -> (pending: [PendingAnswer], job: ScriptedTransformer.Job)
    {
        let (loads, jobs) = (rig.loader.all.count, rig.transformer.all.count)
        let pending = try widths.map { rig.ask(name, try canonical("w=\($0)")) }
        // All of them wait for the download.
        try rig.drainLane()
        try rig.loader.wait(for: loads + 1)[loads].answer(rig.png(width: 3000, height: 2000), at: rig.time.wallSeconds)
        return (pending, try rig.transformer.wait(for: jobs + 1)[jobs])
    }

    @Test func `widths store the mezzanines that need no larger a decode, also large ones and several at once`() throws
    {
        let both = [Mezzanine(factor: 4).planText, Mezzanine(factor: 2).planText]
        for (name, widths, expected) in [
            ("a.png", [300], [both[0]]), ("b.png", [600], [both[0]]), ("c.png", [2000], both),
            ("d.png", [200, 600, 2000], both),
            ("e.png", [200, 300], [both[0]]),
        ] {
            let (pending, job) = try ask(widths, of: name)
            #expect(plans(job).filter { Mezzanine(planText: $0) != nil } == expected, "\(widths)")
            #expect(job.job.outputs.count == widths.count + expected.count)
            job.makeAll(job.job.outputs.map { _ in [1] })
            for pending in pending { _ = try pending.value() }
        }
    }

    @Test(arguments: [(300, 2000), (600, 2000), (600, 700)])
    func `a later width makes the mezzanine that the first left out, and not the stored one`(width: Int, other: Int)
        throws
    {
        let (pending, first) = try ask([width])
        #expect(plans(first).dropFirst() == [Mezzanine(factor: 4).planText])
        first.makeAll([[1], [4, 4, 4, 4]])
        _ = try pending[0].value()
        try rig.settle()
        let larger = rig.ask("larger.png", try canonical("w=\(other)"))
        let second = try rig.transformer.wait(for: 2)[1]
        #expect(second.job.reduction == nil && plans(second).dropFirst() == [Mezzanine(factor: 2).planText])
        second.makeAll([[2], [2, 2]])
        _ = try larger.value()
        for (width, factor) in [(200, 4), (500, 2)] {
            let count = rig.transformer.all.count
            let later = rig.ask("larger.png", try canonical("w=\(width)"))
            let job = try rig.transformer.wait(for: count + 1)[count]
            #expect(job.job.reduction?.factor == factor && job.job.outputs.count == 1)
            #expect(job.job.sourceLength == factor)
            job.make([5])
            _ = try later.value()
        }
    }

    @Test func `under load, only the smallest mezzanine is made`() throws {
        rig.transformer.loaded.withLock { $0 = true }
        let (pending, job) = try ask([600])
        #expect(plans(job).dropFirst() == [Mezzanine(factor: 4).planText])
        job.makeAll([[1], [2]])
        _ = try pending[0].value()
    }

    @Test func `a mezzanine that the worker left out is not stored`() throws {
        let (pending, job) = try ask([2000])
        func output(_ format: ResultFormat) -> WorkerReply.Output {
            WorkerReply.Output(format: format, width: 1, height: 1, frames: 1, hasAlpha: false, length: 1)
        }
        job.make([output(.jpeg), output(.text), output(.text)])
        _ = try pending[0].value()
        try rig.settle()
        let key = rig.request("larger.png", nil).origin.key
        for factor in Mezzanine.factors {
            #expect(rig.store.variant(MezzanineStage.key(of: key, Mezzanine(factor: factor))) == nil)
        }
        #expect(rig.pipeline.sharing.mezzaninesMade == 0)
    }

    @Test func `concurrent widths share two decodes`() throws {
        let widths = try (1...5).map { try canonical("w=\($0 * 50)") }
        let pending = rig.ask("large.png", widths[0])
        try rig.loader.wait(for: 1)[0].answer(large, at: rig.time.wallSeconds)
        let first = try rig.transformer.wait(for: 1)[0]
        let others = widths.dropFirst().map { rig.ask("large.png", $0) }
        // Each has read the original and waits for the first.
        try waitWhile(rig.pipeline.originalsUnderWay > 0 || rig.waitingTransforms < 4)
        #expect(rig.transformer.all.count == 1)
        first.makeAll([[1], [2]])
        _ = try pending.value()
        let second = try rig.transformer.wait(for: 2)[1]
        #expect(Set(plans(second)) == Set(widths.dropFirst()))
        #expect(second.job.reduction?.factor == 2)
        second.makeAll(second.job.outputs.map { [UInt8($0.plan.utf8.count)] })
        for other in others { _ = try other.value() }
        #expect(rig.transformer.all.count == 2)
        #expect(rig.pipeline.sharing.decodesShared == 3)
    }

    @Test func `widths that wait for one download share one decode`() throws {
        let widths = try (1...5).map { try canonical("w=\($0 * 50)") }
        let pending = widths.map { rig.ask("large.png", $0) }
        // All of them wait for the download.
        try rig.drainLane()
        try rig.loader.wait(for: 1)[0].answer(large, at: rig.time.wallSeconds)
        let job = try rig.transformer.wait(for: 1)[0]
        #expect(Set(plans(job)).isSuperset(of: widths))
        job.makeAll(job.job.outputs.map { [UInt8($0.plan.utf8.count)] })
        for pending in pending { _ = try pending.value() }
        #expect(rig.transformer.all.count == 1)
        #expect(rig.pipeline.sharing.decodesShared == 4)
    }

    @Test func `variants whose stages are timed are jobs of their own`() throws {
        let widths = try [300, 400].map { try canonical("w=\($0)") }
        let pending = widths.map { rig.ask("large.png", $0, isTimed: true) }
        // Both wait for the download.
        try rig.drainLane()
        try rig.loader.wait(for: 1)[0].answer(large, at: rig.time.wallSeconds)
        let jobs = try rig.transformer.wait(for: 2)
        #expect(Set(jobs.map(plans)) == Set(widths.map { [$0] }))
        for job in jobs { job.make([1]) }
        for pending in pending { _ = try pending.value() }
        #expect(rig.pipeline.sharing.decodesShared == 0)
    }

    @Test func `a variant that crashes its worker fails alone, and only its failure is cached`() throws {
        let widths = try (1...3).map { try canonical("w=\($0 * 50)") }
        let pending = widths.map { rig.ask("large.png", $0) }
        // All of them wait for the download.
        try rig.drainLane()
        try rig.loader.wait(for: 1)[0].answer(large, at: rig.time.wallSeconds)
        try rig.transformer.wait(for: 1)[0].fail(.crashedDecoder)
        for job in try rig.transformer.wait(for: 4)[1...] {
            #expect(job.job.outputs.count == 1)
            if plans(job) == [widths[1]] { job.fail(.crashedDecoder) } else { job.make([4]) }
        }
        #expect(try pending[0].value().entity.memory == [4])
        #expect(try pending[1].error() == .crashedDecoder)
        #expect(try pending[2].value().entity.memory == [4])
        #expect(rig.pipeline.failures.list(limit: 9).map(\.plan) == [widths[1]])
    }

    @Test func `an expensive variant is made alone, and the rest together`() throws {
        let plans = try [
            "w=300", "w=1500&format=avif&effort=4", "w=200", "w=100&q=auto&format=jxl", "w=1600&lossless=1",
        ]
        .map(canonical)
        let pending = plans.map { rig.ask("large.png", $0) }
        // All of them wait for the download.
        try rig.drainLane()
        try rig.loader.wait(for: 1)[0].answer(large, at: rig.time.wallSeconds)
        let jobs = try rig.transformer.wait(for: 3)
        let made = jobs.map { Set(self.plans($0).filter { Mezzanine(planText: $0) == nil }) }
        #expect(Set(made) == [[plans[0], plans[2], plans[3]], [plans[1]], [plans[4]]])
        for job in jobs { job.makeAll(job.job.outputs.map { _ in [1] }) }
        for pending in pending { _ = try pending.value() }
        #expect(rig.transformer.all.count == 3)
    }

    @Test func `one failing variant of a group fails alone`() throws {
        let plan = try canonical("w=400")
        let pending = rig.ask("large.png", plan)
        try rig.loader.wait(for: 1)[0].answer(large, at: rig.time.wallSeconds)
        try rig.transformer.wait(for: 1)[0].fail(.refused("the mezzanine"))
        let second = try rig.transformer.wait(for: 2)[1]
        #expect(plans(second) == [plan])
        second.make([4])
        #expect(try pending.value().entity.memory == [4])
    }

    @Test func `after an undecodable mezzanine, the variant is made from the original`() throws {
        try first(try canonical("w=400"))
        let later = rig.ask("large.png", try canonical("w=500"))
        try rig.transformer.wait(for: 2)[1].fail(.broken("cut"))
        let again = try rig.transformer.wait(for: 3)[2]
        #expect(again.job.reduction == nil)
        again.fail(.broken("really"))
        #expect(try later.error() == .broken("really"))
    }

    @Test func `an order that ends before joining its group is released`() throws {
        final class Token: Sendable {}
        weak var left: Token?
        do {
            let bytes = rig.png()
            let body = OriginBody(copying: bytes)
            let order = TransformOrder(
                request: rig.request("a.png", "w=10"),
                plan: "w=10",
                outcome: OriginOutcome(
                    origin: OriginState(CacheFixture.origin(1, body: bytes)).snapshot,
                    body: body,
                    storable: true,
                    status: .miss
                ),
                body: body,
                context: LoadContext(),
                mezzanine: nil,
                publish: { _ in },
                completion: { _ in }
            )
            order.end(.failure(.overloaded("full")))
            let token = Token()
            left = token
            // Like a group, which is notified without effect.
            order.onLeave { [token, order] in withExtendedLifetime((token, order)) {} }
        }
        #expect(left == nil)
    }

    @Test func `a cancelled order is not made, and the last one cancels the job`() throws {
        let pending = rig.ask("large.png", try canonical("w=400"))
        try rig.loader.wait(for: 1)[0].answer(large, at: rig.time.wallSeconds)
        let job = try rig.transformer.wait(for: 1)[0]
        pending.leave()
        try waitWhile(!job.isCancelled)
    }

    private func canonical(_ query: String) throws -> String {
        try RequestLanguage.parse(query: query, options: ParseOptions()).plan.canonicalText
    }
}

extension ImageSniffer {
    /// Reads a file's record.
    static func header(of bytes: [UInt8]) throws -> ImageHeader {
        guard case .image(let header) = sniff(bytes.span, totalLength: bytes.count) else {
            throw PipelineError.notAnImage("")
        }
        return header
    }
}

extension PipelineRig {
    fileprivate var waitingTransforms: Int { pipeline.waitingTransforms }
}
