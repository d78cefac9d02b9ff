import CacheTestSupport
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache

@Suite(.timeLimit(.minutes(1)))
struct RecentOriginalsTests {
    private let folder: TemporaryFolder
    private let store: DiskStore
    private let recent = RecentOriginals()
    private let writer = Monitor((isHeld: false, isFree: false))

    init() throws {
        folder = try TemporaryFolder()
        store = try DiskStore.forTest(folder.path + "/cache") { $0.queueBytes = 1000 }
    }

    private func holdWriter() {
        store.flush { [writer] in
            writer.update(wakingAll: true) { $0.isHeld = true }
            _ = writer.wait { $0.isFree ? true : nil }
        }
        _ = writer.wait { $0.isHeld ? true : nil }
    }

    private func freeWriter() { writer.update(wakingAll: true) { $0.isFree = true } }

    private func add(_ number: Int, seed: Int) throws -> CacheKey {
        let body = CacheFixture.bytes(900, seed: seed)
        let record = CacheFixture.origin(number, body: body)
        recent.store(record, try CacheFixture.body(body), on: store)
        return record.key
    }

    @Test func `keeps an original available until it is on disk`() throws {
        holdWriter()
        let key = try add(1, seed: 1)
        #expect(recent.find(key) != nil && store.origin(key) == nil)
        freeWriter()
        store.flush()
        #expect(recent.find(key) == nil && store.origin(key)?.file != nil)
        store.close()
    }

    private func derive(_ number: Int, from origin: OriginRecord, seed: Int) -> VariantRecord {
        let bytes = CacheFixture.bytes(900, seed: seed)
        let record = CacheFixture.variant(number, of: origin, bytes: bytes)
        recent.store(record, of: origin, bytes: bytes, on: store)
        return record
    }

    @Test func `keeps a derived object available until it is on disk, for the body that it was made from`() throws {
        holdWriter()
        let origin = CacheFixture.origin(1, body: [1])
        let record = derive(1, from: origin, seed: 1)
        #expect(recent.derived(record.key, from: origin.digest)?.bytes == CacheFixture.bytes(900, seed: 1))
        #expect(recent.derived(record.key, from: CacheKey(hashing: [2])) == nil)
        #expect(recent.find(record.key) == nil && store.variant(record.key) == nil)
        freeWriter()
        store.flush()
        #expect(recent.derived(record.key, from: origin.digest) == nil)
        #expect(store.variant(record.key)?.record == record)
        store.close()
    }

    @Test func `holds only derived objects that wait for the disk, and none that a purge of their original selects`()
        throws
    {
        holdWriter()
        let origins = (1...2).map { CacheFixture.origin($0, body: [UInt8($0)]) }
        let first = derive(1, from: origins[0], seed: 1)
        let second = derive(2, from: origins[1], seed: 2)
        #expect(recent.derived(second.key, from: origins[1].digest) == nil)
        recent.purge(Purge(.originals([origins[1].key])))
        recent.purge(Purge(.originals([origins[0].key]), staleFrom: 1))
        #expect(recent.derived(first.key, from: origins[0].digest) != nil)
        recent.purge(Purge(.originals([origins[0].key])))
        #expect(recent.derived(first.key, from: origins[0].digest) == nil)
        freeWriter()
        store.close()
    }

    @Test func `holds only originals not yet on disk`() throws {
        holdWriter()
        let first = try add(1, seed: 1)
        let second = try add(2, seed: 2)
        #expect(recent.find(first) != nil)
        #expect(recent.find(second) == nil)
        freeWriter()
        store.close()
    }
}
