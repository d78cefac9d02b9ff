import CacheTestSupport
import HTTPSemantics
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache
@testable import ImagePipeline

/// Transactions that fail halfway because of the index.
@Suite(.timeLimit(.minutes(1)))
struct DiskLostTransactionTests {
    private let folder: TemporaryFolder
    private let time = ManualTime()
    private let origin = CacheFixture.origin(1, body: CacheFixture.bytes(50, seed: 1))
    /// Its row cannot be deleted.
    private let stubborn = CacheFixture.origin(2, body: CacheFixture.bytes(77, seed: 2))

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A store whose index refuses to delete the row of one original.
    private func open() throws -> DiskStore {
        let store = try DiskStore.forTest(folder.path, time: time)
        store.flush()
        let index = try SQLiteConnection(path: folder.path + "/index.sqlite", access: .readWrite)
        try index.execute(
            """
            CREATE TRIGGER refuse BEFORE DELETE ON origins WHEN OLD.length = 77 \
            BEGIN SELECT RAISE(ABORT, 'injected'); END
            """
        )
        return store
    }

    private func allowAgain() throws {
        let index = try SQLiteConnection(path: folder.path + "/index.sqlite", access: .readWrite)
        try index.execute("DROP TRIGGER refuse")
    }

    /// Queues writes that form one batch.
    private func together(_ store: DiskStore, _ body: () -> Void) {
        let (isHeld, gate) = (Monitor(false), Monitor(false))
        store.flush {
            isHeld.update { $0 = true }
            _ = gate.wait { $0 ? true : nil }
        }
        _ = isHeld.wait { $0 ? true : nil }
        defer {
            gate.update { $0 = true }
            store.flush()
        }
        body()
    }

    private func put(_ number: Int, of origin: OriginRecord, seed: Int, into store: DiskStore) {
        let bytes = CacheFixture.bytes(100, seed: seed)
        store.store(variant: CacheFixture.variant(number, of: origin, bytes: bytes), origin: origin, bytes: bytes)
    }

    @Test func `hides nothing permanently when the same removal is lost and then refused`() throws {
        let store = try open()
        var second = origin
        second.length = 77
        second.freshness.responseTime += 1
        together(store) {
            put(1, of: origin, seed: 1, into: store)
            store.remove(origin: origin.key)
            store.store(origin: second, body: nil)
            put(1, of: second, seed: 1, into: store)
            store.remove(origin: origin.key)
        }
        #expect(store.health != .healthy)
        try allowAgain()
        time.advance(seconds: 10)
        put(3, of: origin, seed: 3, into: store)
        store.flush()
        #expect(store.health == .healthy)
        put(3, of: origin, seed: 3, into: store)
        store.flush()
        #expect(store.variant(CacheKey(hashing: "variant 3")) != nil)
        store.close()
    }

    @Test func `leaves no files of a lost transaction, including ones it had replaced itself`() throws {
        let store = try open()
        put(9, of: stubborn, seed: 9, into: store)
        store.flush()
        #expect(CacheFixture.files(.variants, in: folder.path).count == 1)
        together(store) {
            put(1, of: origin, seed: 1, into: store)
            put(1, of: origin, seed: 2, into: store)
            store.remove(origin: stubborn.key)
        }
        #expect(store.health != .healthy)
        #expect(CacheFixture.files(.variants, in: folder.path).count == 1)
        store.close()
    }
}
