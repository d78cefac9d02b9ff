import CacheTestSupport
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache

@Suite(.timeLimit(.minutes(1)))
struct DiskPurgeTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path + "/cache" }

    init() throws { folder = try TemporaryFolder() }

    /// Three originals of two sources, each with its bytes and two variants.
    private func fill(_ store: DiskStore) throws -> [OriginRecord] {
        var origins: [OriginRecord] = []
        for number in 1...3 {
            let body = CacheFixture.bytes(1000, seed: number)
            var origin = CacheFixture.origin(number, body: body)
            origin.source = number == 3 ? "other" : "photos"
            store.store(origin: origin, body: try CacheFixture.body(body))
            for variant in [number * 10, number * 10 + 1] {
                let bytes = CacheFixture.bytes(100, seed: variant)
                store.store(
                    variant: CacheFixture.variant(variant, of: origin, bytes: bytes),
                    origin: origin,
                    bytes: bytes
                )
            }
            origins.append(origin)
        }
        store.flush()
        return origins
    }

    private func purge(
        _ store: DiskStore,
        _ selection: PurgeSelection,
        staleFrom: Int64? = nil
    ) throws -> PurgeCounts {
        let done = Signal<PurgeCounts?>(nil)
        let purge = Purge(selection, staleFrom: staleFrom)
        #expect(store.tombstone(purge))
        #expect(store.remove(purge) { counts in done.update { $0 = counts } })
        return try #require(try done.wait { $0 != nil })
    }

    private func counts(_ originals: Int, _ variants: Int, _ bytes: Int) -> PurgeCounts {
        var counts = PurgeCounts()
        (counts.originals, counts.variants, counts.bytes) = (originals, variants, bytes)
        return counts
    }

    @Test func `removes an original with its variants, and counts them`() throws {
        let store = try DiskStore.forTest(path)
        let origins = try fill(store)
        let selection = PurgeSelection.originals([origins[0].key, CacheFixture.key(99)])
        #expect(store.count(selection) == counts(1, 2, 1200))
        #expect(try purge(store, selection) == counts(1, 2, 1200))
        #expect(store.origin(origins[0].key) == nil)
        #expect(store.variant(CacheFixture.variant(10, of: origins[0], bytes: [1]).key) == nil)
        #expect(store.origin(origins[1].key) != nil)
        #expect(store.count(.all) == counts(2, 4, 2400))
        store.close()
        #expect(CacheFixture.files(.originals, in: path).count == 2)
        #expect(CacheFixture.files(.variants, in: path).count == 4)
    }

    @Test func `removes a source, and everything`() throws {
        let store = try DiskStore.forTest(path)
        let origins = try fill(store)
        #expect(try purge(store, .source("photos")) == counts(2, 4, 2400))
        #expect(store.origin(origins[2].key) != nil)
        #expect(try purge(store, .source("photos")) == counts(0, 0, 0))
        #expect(try purge(store, .all) == counts(1, 2, 1200))
        #expect(store.statistics.originals.entries == 0 && store.statistics.variants.bytes == 0)
        store.close()
        #expect(CacheFixture.files(.originals, in: path).isEmpty && CacheFixture.files(.variants, in: path).isEmpty)
        let again = try DiskStore.forTest(path)
        #expect(again.count(.all) == PurgeCounts())
        again.close()
    }

    @Test func `removes more entries than one transaction holds`() throws {
        let store = try DiskStore.forTest(path)
        for number in 0..<700 {
            let origin = CacheFixture.origin(number, body: [1])
            let bytes = [UInt8(number & 0xFF), UInt8(number >> 8)]
            store.store(variant: CacheFixture.variant(number, of: origin, bytes: bytes), origin: origin, bytes: bytes)
        }
        store.flush()
        #expect(try purge(store, .all) == counts(0, 700, 1400))
        store.close()
    }

    @Test func `hides entries before their removal, and includes earlier writes`() throws {
        let store = try DiskStore.forTest(path)
        let origins = try fill(store)
        let gate = Monitor((isEntered: false, isOpen: false))
        store.flush {
            gate.update(wakingAll: true) { $0.isEntered = true }
            _ = gate.wait { $0.isOpen ? true : nil }
        }
        _ = gate.wait { $0.isEntered ? true : nil }
        #expect(store.tombstone(Purge(.source("photos"))))
        #expect(store.origin(origins[0].key) == nil)
        #expect(store.origin(origins[2].key) != nil)
        // Queued by a flight that was tainted too late.
        let bytes = CacheFixture.bytes(100, seed: 77)
        store.store(variant: CacheFixture.variant(77, of: origins[0], bytes: bytes), origin: origins[0], bytes: bytes)
        let done = Signal<PurgeCounts?>(nil)
        #expect(store.remove(Purge(.source("photos"))) { counts in done.update { $0 = counts } })
        // Queued by a flight that began after the purge.
        let fresh = CacheFixture.bytes(100, seed: 78)
        store.store(variant: CacheFixture.variant(78, of: origins[1], bytes: fresh), origin: origins[1], bytes: fresh)
        gate.update(wakingAll: true) { $0.isOpen = true }
        #expect(try done.wait { $0 != nil }?.variants == 5)
        store.flush()
        #expect(store.variant(CacheFixture.variant(78, of: origins[1], bytes: fresh).key) != nil)
        #expect(store.variant(CacheFixture.variant(77, of: origins[0], bytes: bytes).key) == nil)
        store.close()
    }
}
