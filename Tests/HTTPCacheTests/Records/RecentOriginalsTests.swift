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
