import CacheTestSupport
import ImagePlan
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache
@testable import ImagePipeline

/// Events during a purge.
@Suite(.timeLimit(.minutes(1)))
struct PurgeRaceTests {
    @Test func `a download that finishes while the caches are cleared is not stored`() throws {
        let hook = Lock<(@Sendable () -> Void)?>(nil)
        let rig = try PipelineRig { store in HookedDisk(store) { hook.withLock { $0 }?() } }
        // Enough entries that clearing takes as long as the end of a download.
        let others = (0..<200_000).map { number in
            rig.pipeline.parts.origins.state(for: CacheFixture.origin(number, body: [1]))
        }
        // Writes to the disk stay in the queue.
        let writer = Monitor((isHeld: false, isFree: false))
        rig.store.flush {
            writer.update(wakingAll: true) { $0.isHeld = true }
            _ = writer.wait { $0.isFree ? true : nil }
        }
        defer { writer.update(wakingAll: true) { $0.isFree = true } }
        _ = writer.wait { $0.isHeld ? true : nil }

        let before = rig.ask("a.png", "w=10")
        let load = try rig.loader.wait(for: 1)[0]
        hook.withLock { $0 = { load.answer(rig.png(width: 5), at: 1000) } }
        #expect(rig.pipeline.purge(.source("photos")) { _ in })
        let after = rig.ask("a.png", "w=10")
        try rig.loader.wait(for: 2)[1].answer(rig.png(width: 6), at: 1000)
        let jobs = try rig.transformer.wait(for: 2)
        for job in jobs { job.make([UInt8(job.job.header.width)]) }
        #expect(try before.value().entity.memory == [5])
        #expect(try after.value().entity.memory == [6])
        #expect(rig.pipeline.cached(rig.request("a.png", "w=10"), now: 1000)?.memory == [6])
        #expect(others.count == 200_000)
    }
}

/// A store that calls back when a purge begins.
private final class HookedDisk: DiskStoring {
    private let store: DiskStore
    private let tombstoned: @Sendable () -> Void

    init(_ store: DiskStore, tombstoned: @escaping @Sendable () -> Void) {
        self.store = store
        self.tombstoned = tombstoned
    }

    func tombstone(_ purge: Purge) -> Bool {
        let isTombstoned = store.tombstone(purge)
        tombstoned()
        return isTombstoned
    }

    func variant(_ key: CacheKey) -> StoredVariant? { store.variant(key) }
    func origin(_ key: CacheKey) -> StoredOrigin? { store.origin(key) }
    func store(variant: VariantRecord, origin: OriginRecord, auxiliaries: [OriginRecord], bytes: [UInt8]) -> Bool {
        store.store(variant: variant, origin: origin, auxiliaries: auxiliaries, bytes: bytes)
    }
    func variant(resolved key: CacheKey, for subject: PurgeSubject) -> StoredVariant? {
        store.variant(resolved: key, for: subject)
    }
    func store(sharing variant: VariantRecord, origin: OriginRecord, auxiliaries: [OriginRecord]) -> Bool {
        store.store(sharing: variant, origin: origin, auxiliaries: auxiliaries)
    }
    func store(origin: OriginRecord, body: OriginBody?) -> Bool { store.store(origin: origin, body: body) }
    func dropBody(ofOrigin key: CacheKey, digest: CacheKey) { store.dropBody(ofOrigin: key, digest: digest) }
    func remove(_ purge: Purge, at place: PurgePlace?, completion: (@Sendable (PurgeCounts) -> Void)?) -> Bool {
        store.remove(purge, at: place, completion: completion)
    }
    func count(_ selection: PurgeSelection) -> PurgeCounts { store.count(selection) }
    func touch(_ diskClass: DiskClass, _ key: CacheKey) { store.touch(diskClass, key) }
    func flush(_ completion: @escaping @Sendable () -> Void) { store.flush(completion) }
}
