import CacheTestSupport
import Cluster
import HTTPCache
import LinuxSystem
import TestSupport
import Testing

/// Mezzanines in a bucket of SeaweedFS.
@Suite(.timeLimit(.minutes(1)), .enabled(if: SeaweedFS.isWanted))
struct SharedMezzanineTests {
    private let prefix: String
    private let plan = CacheKey(hashing: "mezzanine/1?factor=2")
    private let record = CacheFixture.origin(1, body: CacheFixture.bytes(100))

    init() throws { prefix = try SeaweedFS.prefix() }

    /// Writes a mezzanine with a content.
    private func write(_ bytes: [UInt8], in store: SharedStore, at place: SharedPlace = SharedPlace()) throws {
        store.store(
            mezzanine: CacheFixture.variant(320, of: record, bytes: bytes),
            bytes: bytes,
            plan: plan,
            for: PurgeSubject(record),
            at: place
        )
        try store.settle()
    }

    @Test func `it is found by the original's content, the plan and the version of the encoders`() throws {
        let (one, other) = try (StoreRig.store(prefix), StoreRig.store(prefix))
        let upgraded = try StoreRig.store(prefix, change: { $0.encoders = "2" })
        try write([1, 2, 3], in: one)
        #expect(try other.mezzanine(plan, of: record)?.bytes == [1, 2, 3])
        #expect(try other.mezzanine(CacheKey(hashing: "other"), of: record) == nil)
        #expect(try other.mezzanine(plan, of: CacheFixture.origin(1, body: [1])) == nil)
        #expect(try other.result(plan, of: record) == nil)
        #expect(try upgraded.mezzanine(plan, of: record) == nil)
        // A node of another release writes its own.
        try write([4], in: upgraded)
        #expect(try upgraded.mezzanine(plan, of: record)?.bytes == [4])
        #expect(try other.mezzanine(plan, of: record)?.bytes == [1, 2, 3])
    }

    @Test func `it is written once, and no purge makes it unusable`() throws {
        let one = try StoreRig.store(prefix, change: { $0.results = 1_000 })
        let other = try StoreRig.store(prefix, verdict: { _, _ in .purged })
        try write([1, 2, 3], in: one)
        try write([4, 5, 6], in: other, at: SharedPlace(sequence: 9, log: "m"))
        #expect(one.statistics.writes == 1 && other.statistics.writes == 0 && other.statistics.writeFailures == 0)
        #expect(try other.mezzanine(plan, of: record)?.bytes == [1, 2, 3])
    }

    @Test func `a damaged one is a miss, and is removed so that it can be written again`() throws {
        let store = try StoreRig.store(prefix)
        try write([1, 2, 3], in: store)
        let key = CacheKey(hashing: "z/1\n1\n\(plan)")
        try SeaweedFS.shared().put(prefix + StoreObject.key(.mezzanine, key, of: record.digest), [9, 9])
        #expect(try store.mezzanine(plan, of: record) == nil)
        try store.settle()
        #expect(store.statistics.damaged == 1)
        try write([1, 2, 3], in: store)
        #expect(try store.mezzanine(plan, of: record)?.bytes == [1, 2, 3])
    }

    @Test func `a useless one is removed, so that it can be written again`() throws {
        let store = try StoreRig.store(prefix)
        try write([1, 2, 3], in: store)
        store.discard(mezzanine: plan, of: record.digest)
        try store.settle()
        #expect(try store.mezzanine(plan, of: record) == nil)
        try write([4, 5, 6], in: store)
        #expect(try store.mezzanine(plan, of: record)?.bytes == [4, 5, 6])
        #expect(store.statistics.damaged == 1)
    }
}
