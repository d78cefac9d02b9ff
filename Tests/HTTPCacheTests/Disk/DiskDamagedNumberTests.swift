import CacheTestSupport
import HTTPSemantics
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache

/// Numbers of a damaged index, which may be any: sums of them must not overflow, at no start.
@Suite(.timeLimit(.minutes(1)))
struct DiskDamagedNumberTests {
    private let folder: TemporaryFolder
    private let body = CacheFixture.bytes(500, seed: 1)
    private let origin = CacheFixture.origin(1, body: CacheFixture.bytes(500, seed: 1))

    init() throws { folder = try TemporaryFolder() }

    private func record(_ number: Int) -> VariantRecord {
        CacheFixture.variant(number, of: origin, bytes: CacheFixture.bytes(100, seed: number))
    }

    /// A store of an original and three variants, opened again after statements have changed its index.
    private func store(after statements: String) throws -> DiskStore {
        let store = try DiskStore.forTest(folder.path)
        store.store(origin: origin, body: try CacheFixture.body(body))
        for number in 1...3 {
            store.store(variant: record(number), origin: origin, bytes: CacheFixture.bytes(100, seed: number))
        }
        store.close()
        do {
            let index = try DiskIndex.writing(DiskFolder(path: folder.path).index)
            try index.connection.execute(statements)
        }
        return try DiskStore.forTest(folder.path)
    }

    /// Stores the original once more, and restarts.
    private func expectUsable(_ store: DiskStore) throws {
        store.store(origin: origin, body: try CacheFixture.body(body))
        store.flush()
        #expect(store.origin(origin.key)?.file != nil && store.health == .healthy)
        store.close()
        let again = try DiskStore.forTest(folder.path)
        #expect(again.origin(origin.key)?.file != nil && again.health == .healthy)
        again.close()
    }

    @Test(arguments: ["length", "trailer"], [Int64.max, .min])
    func `entries with lengths that no file has are dropped`(column: String, number: Int64) throws {
        let store = try store(
            after: "UPDATE origins SET \(column) = \(number); UPDATE variants SET \(column) = \(number)"
        )
        let isCounted = column != "length"
        #expect(store.count(.all).bytes == (isCounted ? 800 : 0))
        #expect(store.useBySource()?.first?.variants.bytes == (isCounted ? 300 : 0))
        // Reading needs the length of the record, and that of the trailer in its column.
        #expect((store.variant(record(1).key) == nil) == (column == "trailer"))
        #expect((store.origin(origin.key)?.file == nil) == (column == "trailer"))
        store.reconcile()
        store.flush()
        for number in 1...3 { #expect(store.variant(record(number).key) == nil) }
        #expect(store.origin(origin.key) == nil)
        #expect(store.statistics.originals.entries == 0 && store.statistics.originals.bytes == 0)
        #expect(store.statistics.variants.entries == 0 && store.statistics.variants.bytes == 0)
        try expectUsable(store)
    }

    @Test(arguments: ["length", "trailer"], [Int64.max, .min])
    func `entries with lengths that no file has can be purged`(column: String, number: Int64) throws {
        let store = try store(
            after: "UPDATE origins SET \(column) = \(number); UPDATE variants SET \(column) = \(number)"
        )
        #expect(store.tombstone(.all) && store.remove(.all, completion: nil))
        store.flush()
        #expect(store.statistics.originals.entries == 0 && store.statistics.variants.entries == 0)
        try expectUsable(store)
    }

    @Test(arguments: ["response_time", "initial_age", "lifetime"], [Int64.max, .min])
    func `an original whose freshness no response has is stale`(column: String, number: Int64) throws {
        let store = try store(after: "UPDATE origins SET \(column) = \(number)")
        let now = ManualTime().wallSeconds
        let found = try #require(store.origin(origin.key))
        #expect(found.file != nil && !found.record.freshness.isFresh(at: now))
        let variant = try #require(store.variant(record(1).key))
        #expect(variant.origin == found.record)
        let state = OriginState(found.record)
        #expect(!state.isFresh(at: now) && state.freshSeconds(at: now) == -now && state.age(at: now) == now)
        #expect(!state.isUsableIfError(at: now, default: 3_600))
        store.reconcile()
        store.flush()
        #expect(store.statistics.variants.entries == 3)
        try expectUsable(store)
    }

    @Test(arguments: ["used", "accessed_at"], [Int64.max, .min])
    func `entries with any time of use stay`(column: String, number: Int64) throws {
        let store = try store(
            after: "UPDATE origins SET \(column) = \(number); UPDATE variants SET \(column) = \(number)"
        )
        for number in 1...3 { #expect(store.variant(record(number).key) != nil) }
        store.reconcile()
        store.flush()
        #expect(store.statistics.variants.entries == 3 && store.statistics.originals.entries == 1)
        try expectUsable(store)
    }

    @Test(arguments: [Int64.max, .min])
    func `totals that no folder has are none, and are recounted`(number: Int64) throws {
        let store = try store(after: "UPDATE totals SET entries = \(number), bytes = \(number)")
        #expect(store.statistics.variants.entries == 0 && store.statistics.variants.bytes == 0)
        store.store(variant: record(4), origin: origin, bytes: CacheFixture.bytes(100, seed: 4))
        store.reconcile()
        store.flush()
        #expect(store.statistics.variants.entries == 4 && store.statistics.variants.bytes == 400)
        #expect(store.statistics.originals.entries == 1 && store.statistics.originals.bytes == 500)
        try expectUsable(store)
    }
}
