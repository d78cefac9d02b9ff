import Cluster
import Glibc
import HTTPCache
import HTTPSemantics
import ImagePlan
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

@testable import ImagePipeline

/// Mezzanines of one node that others use instead of the original's content.
@Suite(.timeLimit(.minutes(1)), .enabled(if: SeaweedFS.isWanted))
struct MezzanineSharingTests {
    private let prefix: String
    private let mezzanine = Mezzanine(factor: 2)

    init() throws { prefix = try SeaweedFS.prefix() }

    /// A header of 4 MP.
    private func large(_ node: ClusterNode) -> [UInt8] { node.rig.png(width: 2000, height: 2000) }

    private func canonical(_ query: String) throws -> String {
        try RequestLanguage.parse(query: query, options: ParseOptions()).plan.canonicalText
    }

    private func output(_ width: Int, _ format: ResultFormat = .jpeg) -> WorkerReply.Output {
        WorkerReply.Output(format: format, width: width, height: width, frames: 1, hasAlpha: false, length: width)
    }

    /// Requests a width, of which the worker makes a mezzanine of a width, too, and waits until everything is shared.
    private func fill(_ node: ClusterNode, mezzanine width: Int = 1000) throws {
        let pending = node.rig.ask("large.png", try canonical("w=500"))
        try node.rig.loader.wait(for: 1)[0].answer(
            large(node),
            at: node.rig.time.wallSeconds,
            cacheControl: "max-age=3600"
        )
        let job = try node.rig.transformer.wait(for: 1)[0]
        #expect(job.job.outputs.map(\.plan) == [try canonical("w=500"), mezzanine.planText])
        job.make([output(500, .png), output(width)])
        _ = try pending.value()
        try node.settle()
    }

    /// The key of the mezzanine's object.
    private func key(_ node: ClusterNode) -> String {
        let plan = CacheKey(hashing: "z/1\n1\n\(CacheKey(hashing: mezzanine.planText))")
        return prefix + StoreObject.key(.mezzanine, plan, of: CacheKey(hashing: large(node)))
    }

    @Test func `another node makes further widths of the mezzanine, without the original's content`() throws {
        let (one, other) = try (ClusterNode(prefix), ClusterNode(prefix))
        try fill(one)
        // The content and the record of the original, the result and the mezzanine.
        #expect(one.store.statistics.writes == 3)
        let pending = other.rig.ask("large.png", try canonical("w=400"))
        let job = try other.rig.transformer.wait(for: 1)[0]
        #expect(job.job.reduction?.factor == 2 && job.job.reduction?.original.width == 2000)
        #expect(job.job.header.format == .jpeg && job.job.sourceLength == 1000 && job.job.outputs.count == 1)
        job.make([output(400, .png)])
        #expect(try pending.value().status == .hit(.shared))
        // The record, no result, and the mezzanine.
        #expect(other.store.statistics.reads == 3 && other.store.statistics.hits == 2)
        #expect(other.rig.loader.all.isEmpty && other.rig.pipeline.sharing.mezzaninesUsed == 1)
    }

    @Test func `it is kept like one that was made here, and asked for once`() throws {
        let (one, other) = try (ClusterNode(prefix), ClusterNode(prefix))
        try fill(one)
        for (index, settles) in [false, false, true].enumerated() {
            if settles { try other.rig.settle() }
            let pending = other.rig.ask("large.png", try canonical("w=\(300 + index * 20)"))
            let job = try other.rig.transformer.wait(for: index + 1)[index]
            #expect(job.job.reduction?.factor == 2 && job.job.sourceLength == 1000)
            job.make([output(300)])
            _ = try pending.value()
        }
        // Besides the record and the mezzanine, only results that are not there.
        #expect(other.store.statistics.hits == 2 && other.store.statistics.reads == 5)
        let key = other.rig.request("large.png", nil).origin.key
        #expect(other.rig.store.variant(MezzanineStage.key(of: key, mezzanine)) != nil)
        #expect(other.rig.loader.all.isEmpty)
    }

    @Test func `a larger mezzanine serves where there is no smaller one`() throws {
        let (one, other) = try (ClusterNode(prefix), ClusterNode(prefix))
        try fill(one)
        let pending = other.rig.ask("large.png", try canonical("w=100"))
        let job = try other.rig.transformer.wait(for: 1)[0]
        #expect(job.job.reduction?.factor == 2)
        #expect(job.job.outputs.map(\.plan) == [try canonical("w=100")])
        try other.settle()
        job.make([output(100, .png)])
        _ = try pending.value()
        try other.settle()
        #expect(other.store.statistics.writes == 1)
        #expect(other.rig.loader.all.isEmpty)
    }

    @Test func `variants that need it at the same time look for it once`() throws {
        let (one, other) = try (ClusterNode(prefix), ClusterNode(prefix))
        try fill(one)
        let widths = [300, 320, 340]
        let pending = try widths.map { other.rig.ask("large.png", try canonical("w=\($0)")) }
        // The first has a job of its own, the others one that they share, unless they came late.
        var made = 0
        var index = 0
        while made < widths.count {
            let job = try other.rig.transformer.wait(for: index + 1)[index]
            #expect(job.job.reduction?.factor == 2)
            job.make(job.job.outputs.map { _ in output(300) })
            made += job.job.outputs.count
            index += 1
        }
        for pending in pending { _ = try pending.value() }
        #expect(other.store.statistics.hits == 2 && other.rig.loader.all.isEmpty)
    }

    @Test(arguments: [0, 700])
    func `a mezzanine that is damaged, or has the wrong size, is a miss`(_ spoiled: Int) throws {
        let (one, other) = try (ClusterNode(prefix), ClusterNode(prefix))
        try fill(one, mezzanine: spoiled > 0 ? 1000 : 999)
        if spoiled > 0 { try SeaweedFS.shared().put(key(one), [UInt8](repeating: 1, count: spoiled)) }
        let pending = other.rig.ask("large.png", try canonical("w=400"))
        let job = try other.rig.transformer.wait(for: 1)[0]
        // The content of the original comes from the store.
        #expect(job.job.reduction == nil && job.job.sourceLength == large(other).count)
        try other.settle()
        job.make([output(400, .png), output(1000)])
        _ = try pending.value()
        #expect(other.store.statistics.damaged == 1)
        #expect(other.rig.loader.all.isEmpty)
        try other.settle()
        // It was removed, and written again.
        let third = try ClusterNode(prefix)
        let again = third.rig.ask("large.png", try canonical("w=380"))
        let last = try third.rig.transformer.wait(for: 1)[0]
        #expect(last.job.reduction?.factor == 2)
        last.make([output(380)])
        _ = try again.value()
    }

    @Test func `after one that cannot be decoded, the variant is made of the original`() throws {
        let (one, other) = try (ClusterNode(prefix), ClusterNode(prefix))
        try fill(one)
        let pending = other.rig.ask("large.png", try canonical("w=400"))
        try other.rig.transformer.wait(for: 1)[0].fail(.broken("cut"))
        let again = try other.rig.transformer.wait(for: 2)[1]
        #expect(again.job.reduction == nil && again.job.outputs.count == 1)
        again.make([output(400)])
        _ = try pending.value()
        #expect(other.rig.loader.all.isEmpty && other.rig.transformer.all.count == 2)
        // It was removed here and from the store, so that the next variant replaces it.
        try other.settle()
        try other.rig.settle()
        #expect(other.store.statistics.damaged == 1)
        let next = other.rig.ask("large.png", try canonical("w=300"))
        let job = try other.rig.transformer.wait(for: 3)[2]
        #expect(job.job.reduction == nil && job.job.outputs.count == 2)
        job.make([output(300, .png), output(1000)])
        _ = try next.value()
        try other.settle()
        let third = try ClusterNode(prefix)
        let last = third.rig.ask("large.png", try canonical("w=380"))
        let reduced = try third.rig.transformer.wait(for: 1)[0]
        #expect(reduced.job.reduction?.factor == 2)
        reduced.make([output(380)])
        _ = try last.value()
    }

    @Test func `a worker lost on it does not remove it`() throws {
        let (one, other) = try (ClusterNode(prefix), ClusterNode(prefix))
        try fill(one)
        let pending = other.rig.ask("large.png", try canonical("w=400"))
        try other.rig.transformer.wait(for: 1)[0].fail(.workerLost)
        try other.rig.transformer.wait(for: 2)[1].make([output(400)])
        _ = try pending.value()
        try other.settle()
        try other.rig.settle()
        #expect(other.store.statistics.damaged == 0)
        let key = other.rig.request("large.png", nil).origin.key
        #expect(other.rig.store.variant(MezzanineStage.key(of: key, mezzanine)) != nil)
    }

    @Test func `its bytes count while it is used, and without room for them it is a miss`() throws {
        let one = try ClusterNode(prefix)
        try fill(one)
        let ledgers = BodyLedgers(memory: 1_000, disk: 0)
        let other = try ClusterNode(prefix, ledgers: ledgers)
        let pending = other.rig.ask("large.png", try canonical("w=400"))
        let job = try other.rig.transformer.wait(for: 1)[0]
        #expect(job.job.sourceLength == 1_000 && ledgers.memory.used == 1_000)
        job.make([output(400, .png)])
        _ = try pending.value()
        let tight = try ClusterNode(prefix, ledgers: BodyLedgers(memory: 999, disk: 0))
        let later = tight.rig.ask("large.png", try canonical("w=380"))
        let whole = try tight.rig.transformer.wait(for: 1)[0]
        #expect(whole.job.reduction == nil && whole.job.sourceLength == large(tight).count)
        whole.make([output(380, .png), output(1000)])
        _ = try later.value()
        // It is as good as before.
        #expect(tight.store.statistics.damaged == 0 && tight.rig.loader.all.isEmpty)
    }

    @Test func `a probe that a mezzanine fails continues with the original`() throws {
        let (one, other) = try (ClusterNode(prefix), ClusterNode(prefix))
        try fill(one)
        let plan = try canonical("w=400")
        let request = other.rig.request("large.png", plan)
        let header = try ImageSniffer.header(of: large(other))
        let cost = WorkClass(of: request, plan: plan, header: header, bucket: nil)
        let key = cost.failureKey(of: request.origin.key)
        let failures = other.rig.pipeline.failures
        failures.record(key, .transformTimeout, of: request.origin, plan: plan, work: cost)
        #expect(try other.rig.ask("large.png", plan).error() != nil && other.rig.transformer.all.isEmpty)
        other.rig.time.advance(seconds: 2)
        let pending = other.rig.ask("large.png", plan)
        let job = try other.rig.transformer.wait(for: 1)[0]
        #expect(job.job.reduction?.factor == 2 && failures.list(limit: 9).contains(where: \.isBeingTried))
        job.fail(.broken("cut"))
        let again = try other.rig.transformer.wait(for: 2)[1]
        #expect(again.job.reduction == nil)
        again.make([output(400, .png)])
        _ = try pending.value()
        #expect(failures.list(limit: 9).isEmpty)
    }

    @Test func `a request with the content is not failed by another one's mezzanine`() throws {
        let (one, other) = try (ClusterNode(prefix), ClusterNode(prefix))
        try fill(one)
        let first = other.rig.ask("large.png", try canonical("w=400"))
        let job = try other.rig.transformer.wait(for: 1)[0]
        #expect(job.job.reduction?.factor == 2)
        _ = try other.rig.ask("large.png", nil).value()
        // The same variant, made of a square.
        let second = other.rig.ask("large.png", try canonical("h=400"))
        let making = other.rig.pipeline.making
        try waitWhile(making.statuses(limit: 1).oldest.first?.waiters != 2)
        job.fail(.workerLost)
        var made = 1
        func makeNext() -> Bool {
            for job in other.rig.transformer.all.dropFirst(made) {
                made += 1
                job.make(job.job.outputs.map { _ in output(400, .png) })
            }
            return first.outcome.value != nil && second.outcome.value != nil
        }
        try waitWhile(!makeNext())
        _ = try (first.value(), second.value())
        #expect(other.rig.loader.all.isEmpty)
    }

    @Test func `one that is looked up during a purge answers the requests that wait, and is not stored`() throws {
        let one = try ClusterNode(prefix)
        try fill(one)
        let looks = Signal<[@Sendable () -> Void]>([])
        let other = try ClusterNode(prefix, wrapping: { HeldStore($0, looks) })
        let pending = other.rig.ask("large.png", try canonical("w=400"))
        let look = try looks.wait { $0.count == 1 }[0]
        let key = other.rig.request("large.png", nil).origin.key
        let isPurged = Signal(false)
        #expect(other.rig.pipeline.purge(.originals([key])) { _ in isPurged.update { $0 = true } })
        try isPurged.wait { $0 }
        look()
        let job = try other.rig.transformer.wait(for: 1)[0]
        #expect(job.job.reduction?.factor == 2)
        job.make([output(400, .png)])
        _ = try pending.value()
        try other.rig.settle()
        #expect(other.rig.store.variant(MezzanineStage.key(of: key, mezzanine)) == nil)
        #expect(other.rig.store.statistics.variants.entries == 0)
    }

    @Test func `where the content is here, the store is not asked for a mezzanine`() throws {
        let (one, other) = try (ClusterNode(prefix), ClusterNode(prefix))
        try fill(one)
        let bare = try other.rig.ask("large.png", nil).value()
        #expect(bare.entity.description.length == large(other).count)
        let reads = other.store.statistics.reads
        let pending = other.rig.ask("large.png", try canonical("w=400"))
        let job = try other.rig.transformer.wait(for: 1)[0]
        #expect(job.job.reduction == nil)
        job.make([output(400, .png), output(1000)])
        _ = try pending.value()
        #expect(other.store.statistics.reads == reads + 1)
    }

    @Test func `a source without mezzanines, and an original that may not be stored, share none`() throws {
        let off = try ClusterNode(SeaweedFS.prefix())
        let pending = off.rig.ask("large.png", try canonical("w=500")) { $0.keepsMezzanines = false }
        try off.rig.loader.wait(for: 1)[0].answer(large(off), at: 1000, cacheControl: "max-age=60")
        let job = try off.rig.transformer.wait(for: 1)[0]
        #expect(job.job.outputs.count == 1)
        job.make([output(500, .png)])
        _ = try pending.value()
        try off.settle()
        #expect(off.store.statistics.writes == 2)
        let secret = try ClusterNode(SeaweedFS.prefix())
        let later = secret.rig.ask("large.png", try canonical("w=500"))
        try secret.rig.loader.wait(for: 1)[0].answer(large(secret), at: 1000, cacheControl: "no-store")
        let unkept = try secret.rig.transformer.wait(for: 1)[0]
        unkept.make(unkept.job.outputs.map { _ in output(500) })
        _ = try later.value()
        try secret.settle()
        #expect(secret.store.statistics.writes == 0)
    }
}

/// A store whose look-ups of mezzanines the test sends.
private final class HeldStore: SharedStoring {
    private let store: SharedStore
    private let looks: Signal<[@Sendable () -> Void]>

    init(_ store: SharedStore, _ looks: Signal<[@Sendable () -> Void]>) { (self.store, self.looks) = (store, looks) }

    var place: SharedPlace { store.place }
    var isAvailable: Bool { store.isAvailable }
    var isWritingPromptly: Bool { store.isWritingPromptly }

    func find(
        mezzanine plan: CacheKey,
        of digest: CacheKey,
        completion: @escaping @Sendable (ReceivedResult?) -> Void
    ) {
        looks.update { $0.append { [store] in store.find(mezzanine: plan, of: digest, completion: completion) } }
    }

    func find(
        original key: CacheKey,
        atMost limit: Int,
        needsBody: Bool,
        completion: @escaping @Sendable (SharedOriginal?) -> Void
    ) {
        store.find(original: key, atMost: limit, needsBody: needsBody, completion: completion)
    }

    func find(bodyOf record: OriginRecord, completion: @escaping @Sendable (OriginBody?) -> Void) {
        store.find(bodyOf: record, completion: completion)
    }

    func find(
        result plan: CacheKey,
        of digest: CacheKey,
        for subject: PurgeSubject,
        completion: @escaping @Sendable (ReceivedResult?) -> Void
    ) {
        store.find(result: plan, of: digest, for: subject, completion: completion)
    }

    func store(
        original record: OriginRecord,
        body: OriginBody?,
        at place: SharedPlace,
        completion: (@Sendable (Bool) -> Void)?
    ) {
        store.store(original: record, body: body, at: place, completion: completion)
    }

    func store(
        result record: VariantRecord,
        bytes: [UInt8],
        plan: CacheKey,
        for subject: PurgeSubject,
        at place: SharedPlace,
        milliseconds: Int
    ) {
        store.store(result: record, bytes: bytes, plan: plan, for: subject, at: place, milliseconds: milliseconds)
    }

    func store(
        mezzanine record: VariantRecord,
        bytes: [UInt8],
        plan: CacheKey,
        for subject: PurgeSubject,
        at place: SharedPlace
    ) {
        store.store(mezzanine: record, bytes: bytes, plan: plan, for: subject, at: place)
    }

    func discard(mezzanine plan: CacheKey, of digest: CacheKey) { store.discard(mezzanine: plan, of: digest) }
    func remove(original key: CacheKey) { store.remove(original: key) }
    func purge(_ selection: PurgeSelection) { store.purge(selection) }
}
