import CacheTestSupport
import TestSupport
import Testing

@testable import HTTPCache

/// What sources have on disk.
@Suite(.timeLimit(.minutes(1)))
struct DiskUseTests {
    @Test func `counts originals and variants of each source`() throws {
        let folder = try TemporaryFolder()
        let store = try DiskStore.forTest(folder.path, time: ManualTime()) { _ in }
        #expect(try #require(store.useBySource()).isEmpty)
        for (number, source) in ["photos", "photos", "shop/photos"].enumerated() {
            let body = CacheFixture.bytes(100 * (number + 1), seed: number)
            var origin = CacheFixture.origin(number, body: body)
            origin.source = source
            store.store(origin: origin, body: try CacheFixture.body(body))
            let bytes = CacheFixture.bytes(10 * (number + 1), seed: 100 + number)
            store.store(variant: CacheFixture.variant(number, of: origin, bytes: bytes), origin: origin, bytes: bytes)
        }
        store.flush()
        let uses = try #require(store.useBySource())
        #expect(uses.map(\.source) == ["photos", "shop/photos"])
        #expect(uses.map(\.originals.entries) == [2, 1] && uses.map(\.originals.bytes) == [300, 300])
        #expect(uses.map(\.variants.entries) == [2, 1] && uses.map(\.variants.bytes) == [30, 30])
        store.close()
        #expect(store.useBySource() == nil)
    }
}
