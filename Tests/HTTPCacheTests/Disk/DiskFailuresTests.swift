import CacheTestSupport
import Glibc
import TestSupport
import Testing

@testable import HTTPCache

/// Persistent failures in the index.
@Suite(.timeLimit(.minutes(1)))
struct DiskFailuresTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func failure(_ number: Int) -> KeptFailure {
        KeptFailure(
            key: CacheFixture.key(number),
            origin: CacheKey(hashing: "origin \(number)"),
            source: "photos",
            identity: "http://origin.test/\(number)",
            url: "http://origin.test/\(number)?a",
            plan: number.isMultiple(of: 2) ? "w=\(number)" : nil,
            kind: .undecodable,
            word: "broken",
            payload: "bad \(number)",
            failures: number,
            until: Int64(number) * 1000,
            hasStored: number.isMultiple(of: 3),
            configuration: number.isMultiple(of: 3) ? "" : "digest\(number)"
        )
    }

    @Test func `of a damaged row are restored with numbers that cannot overflow`() throws {
        var store = try DiskStore.forTest(folder.path, time: ManualTime())
        store.keep(failure(1))
        store.close()
        do {
            let index = try DiskIndex.writing(DiskFolder(path: folder.path).index)
            try index.connection.execute("UPDATE failures SET failures = \(Int64.max), until = \(Int64.max)")
        }
        store = try DiskStore.forTest(folder.path, time: ManualTime())
        let restored = try #require(store.keptFailures(limit: 1).first)
        #expect(restored.failures == 0 && restored.until == 1 << 40)
        store.close()
    }

    @Test func `are restored unchanged after a restart, newest first, without the deleted ones`() throws {
        var store = try DiskStore.forTest(folder.path, time: ManualTime())
        for number in 1...6 {
            store.keep(failure(number))
            store.flush()
        }
        store.discardFailure(CacheFixture.key(4))
        store.close()
        store = try DiskStore.forTest(folder.path, time: ManualTime())
        #expect(store.keptFailures(limit: 10) == [6, 5, 3, 2, 1].map(failure))
        #expect(store.keptFailures(limit: 2) == [6, 5].map(failure))
    }

    @Test func `are limited in number, with one per key`() throws {
        let store = try DiskStore.forTest(folder.path, time: ManualTime()) { $0.failureCount = 3 }
        for number in [1, 2, 3, 1, 4, 5] {
            store.keep(failure(number))
            store.flush()
        }
        // The first was stored again after the third.
        #expect(store.keptFailures(limit: 10).map(\.failures) == [5, 4, 1])
    }

    @Test func `the last change of a key wins, also within a batch`() throws {
        let store = try DiskStore.forTest(folder.path, time: ManualTime())
        for number in 1...40 { store.keep(failure(number)) }
        for number in 1...39 { store.discardFailure(CacheFixture.key(number)) }
        store.flush()
        #expect(store.keptFailures(limit: 99) == [failure(40)])
    }

    @Test func `are forgotten if a purge was waiting for the disk when the process ended`() throws {
        let files = FaultyFiles()
        var store = try DiskStore.forTest(folder.path, time: ManualTime(), files: files)
        store.keep(failure(1))
        store.flush()
        files.fail(.rename, with: ENOSPC)
        let (bytes, origin) = (CacheFixture.bytes(10), CacheFixture.origin(2, body: [1]))
        store.store(variant: CacheFixture.variant(2, of: origin, bytes: bytes), origin: origin, bytes: bytes)
        #expect(store.tombstone(.originals([failure(1).origin])))
        #expect(store.remove(.originals([failure(1).origin])) { _ in })
        store.close()
        store = try DiskStore.forTest(folder.path, time: ManualTime())
        #expect(store.keptFailures(limit: 10).isEmpty)
        store.close()
    }

    @Test func `changes beyond the queue's limit are dropped`() throws {
        let failures = DiskFailures(keptCapacity: 4, discardedCapacity: 6)
        for number in 1...9 { _ = failures.add(.keep(failure(number)), for: CacheFixture.key(number)) }
        for number in 5...9 { _ = failures.add(.discard, for: CacheFixture.key(number)) }
        let changes = failures.drain()
        #expect(changes.count == 6)
        #expect(changes[CacheFixture.key(4)] == .keep(failure(4)))
        #expect(changes[CacheFixture.key(6)] == .discard)
        #expect(failures.drain().isEmpty)
        _ = failures.add(.discard, for: CacheFixture.key(4))
        failures.putBack(changes)
        #expect(failures.drain()[CacheFixture.key(4)] == .discard)
    }
}
