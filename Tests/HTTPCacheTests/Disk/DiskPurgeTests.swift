import CacheTestSupport
import Glibc
import HTTPSemantics
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache

@Suite(.timeLimit(.minutes(1)))
struct DiskPurgeTests {
    private let folder: TemporaryFolder
    private let time = ManualTime()
    private let files = FaultyFiles()
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

    /// A filled store whose disk has failed.
    private func degraded() throws -> (store: DiskStore, origins: [OriginRecord]) {
        let store = try DiskStore.forTest(path, time: time, files: files)
        let origins = try fill(store)
        files.fail(.rename, with: ENOSPC)
        let bytes = CacheFixture.bytes(100, seed: 77)
        store.store(variant: CacheFixture.variant(77, of: origins[1], bytes: bytes), origin: origins[1], bytes: bytes)
        store.flush()
        #expect(store.health != .healthy)
        return (store, origins)
    }

    @Test(arguments: [false, true])
    func `a purge that waits for the disk is carried out by the next process`(isKilled: Bool) throws {
        let (store, origins) = try degraded()
        for _ in 0..<2 {
            let counts = try purge(store, .originals([origins[0].key]))
            #expect(counts.isDiskPending && !counts.isVolatile)
        }
        #expect(try purge(store, .source("other"), staleFrom: 1010).isDiskPending)
        let place = isKilled ? folder.path + "/copy" : path
        if isKilled { try CacheFixture.copyTree(path, to: place) }
        store.close()
        let next = try DiskStore.forTest(place)
        #expect(next.origin(origins[0].key) == nil)
        #expect(next.variant(CacheFixture.variant(10, of: origins[0], bytes: [1]).key) == nil)
        #expect(next.origin(origins[1].key)?.record.freshness.staleAt == origins[1].freshness.staleAt)
        #expect(next.origin(origins[2].key)?.record.freshness.staleAt == 1010)
        next.flush()
        #expect(next.count(.all) == counts(2, 4, 2400))
        // Once, and not what is stored later.
        let body = CacheFixture.bytes(1000, seed: 1)
        next.store(origin: origins[0], body: try CacheFixture.body(body))
        next.close()
        let last = try DiskStore.forTest(place)
        #expect(last.origin(origins[0].key) != nil)
        last.close()
        #expect(try DiskCheck(path: place, listener: .init(found: { _, _ in })).run(repairs: false).isSound)
    }

    @Test func `a purge that waits for the disk is carried out once that works`() throws {
        let (store, origins) = try degraded()
        #expect(try purge(store, .originals([origins[0].key])).isDiskPending)
        files.fail(.rename, with: nil)
        time.advance(seconds: 6)
        store.flush()
        #expect(store.health == .healthy && store.count(.all) == counts(2, 4, 2400))
        let body = CacheFixture.bytes(1000, seed: 1)
        store.store(origin: origins[0], body: try CacheFixture.body(body))
        store.close()
        let next = try DiskStore.forTest(path)
        #expect(next.origin(origins[0].key) != nil)
        next.close()
    }

    @Test(arguments: [nil, ENOSPC])
    func `purges that cannot be listed become one of everything`(code: CInt?) throws {
        let (store, _) = try degraded()
        files.fail(.write, with: code)
        // Too many for the list, or one that cannot be written.
        let keys = (0..<(code == nil ? 1000 : 1)).map { CacheFixture.key($0) }
        let counts = try purge(store, .originals(keys))
        #expect(counts.isDiskPending && !counts.isVolatile)
        store.close()
        let next = try DiskStore.forTest(path)
        next.flush()
        #expect(next.health == .healthy && next.count(.all) == PurgeCounts())
        next.close()
    }

    @Test func `says that a restart would lose a purge if nothing can be written`() throws {
        let (store, origins) = try degraded()
        files.fail(.create, with: EROFS)
        let counts = try purge(store, .originals([origins[0].key]))
        #expect(counts.isDiskPending && counts.isVolatile)
        #expect(store.origin(origins[0].key) == nil)
        files.fail(.create, with: nil)
        #expect(try !purge(store, .originals([origins[0].key])).isVolatile)
        store.close()
        let next = try DiskStore.forTest(path)
        #expect(next.origin(origins[0].key) == nil && next.origin(origins[1].key) != nil)
        next.close()
    }

    @Test(arguments: [[], [UInt8](repeating: UInt8(ascii: "\n"), count: DiskPurgeList.size)])
    func `a damaged list of purges is one of everything`(list: [UInt8]) throws {
        let store = try DiskStore.forTest(path)
        _ = try fill(store)
        store.close()
        try CacheFixture.write(list, to: path + "/pending-purges")
        let next = try DiskStore.forTest(path)
        next.flush()
        #expect(next.count(.all) == PurgeCounts())
        next.close()
        let last = try DiskStore.forTest(path)
        #expect(try fill(last).count == 3 && last.count(.all) == counts(3, 6, 3600))
        last.close()
    }
}
