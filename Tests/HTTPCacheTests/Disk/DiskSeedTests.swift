import CacheTestSupport
import HTTPSemantics
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache

@Suite(.timeLimit(.minutes(1)))
struct DiskSeedTests {
    private let folder: TemporaryFolder
    private let seed: String
    private let path: String
    private let body = CacheFixture.bytes(500, seed: 1)
    private let origin = CacheFixture.origin(1, body: CacheFixture.bytes(500, seed: 1))

    init() throws {
        folder = try TemporaryFolder()
        seed = folder.path + "/seed"
        path = folder.path + "/cache"
        let store = try DiskStore.forTest(seed)
        store.store(origin: origin, body: try CacheFixture.body(body))
        for number in 1...2 { put(number, of: origin, into: store) }
        store.close()
    }

    private func put(_ number: Int, of origin: OriginRecord, into store: DiskStore) {
        let bytes = CacheFixture.bytes(100, seed: number)
        store.store(variant: CacheFixture.variant(number, of: origin, bytes: bytes), origin: origin, bytes: bytes)
    }

    private func key(_ number: Int) -> CacheKey { CacheKey(hashing: "variant \(number)") }

    private func open() throws -> DiskStore { try DiskStore.forTest(path) { $0.seed = seed } }

    /// All files below a folder with their sizes and modification times.
    private func tree(_ path: String) throws -> [String] {
        TemporaryFolder.names(in: path).sorted() + CacheFixture.files(.variants, in: path)
            + CacheFixture.files(.originals, in: path)
    }

    @Test func `serves entries that only the seed has, and does not write to it`() throws {
        let before = try tree(seed)
        let index = try CacheFixture.readAll(SystemFiles().open(seed + "/index.sqlite", flags: 0))
        let store = try open()
        let stored = try #require(store.variant(key(1)))
        #expect(stored.origin == origin)
        #expect(try CacheFixture.read(stored.file) == CacheFixture.bytes(100, seed: 1))
        let original = try #require(store.origin(origin.key))
        #expect(try CacheFixture.read(#require(original.file)) == body)
        #expect(store.variant(key(9)) == nil)
        put(3, of: origin, into: store)
        store.remove(origin: origin.key)
        store.flush()
        store.close()
        #expect(try tree(seed) == before)
        #expect(try CacheFixture.readAll(SystemFiles().open(seed + "/index.sqlite", flags: 0)) == index)
    }

    @Test func `hides purged entries of the seed, also after a restart`() throws {
        var store = try open()
        #expect(store.variant(key(1)) != nil)
        store.remove(origin: origin.key)
        #expect(store.variant(key(1)) == nil && store.origin(origin.key) == nil)
        store.flush()
        store.close()
        store = try open()
        store.reconcile()
        store.flush()
        #expect(store.variant(key(1)) == nil && store.origin(origin.key) == nil)
        put(1, of: origin, into: store)
        store.flush()
        #expect(store.variant(key(1)) != nil)
        store.close()
    }

    @Test func `prefers its own record of an original to the seed's`() throws {
        let store = try open()
        var fresher = origin
        fresher.freshness.responseTime += 500
        store.store(origin: fresher, body: nil)
        store.flush()
        #expect(store.variant(key(1))?.origin == fresher)
        let original = try #require(store.origin(origin.key))
        #expect(original.record == fresher && original.file != nil)
        let changed = CacheFixture.origin(1, body: [1, 2, 3], responseTime: 5000)
        store.store(origin: changed, body: try CacheFixture.body([1, 2, 3]))
        store.flush()
        #expect(store.variant(key(1)) == nil)
        #expect(store.origin(origin.key)?.record == changed)
        store.close()
    }

    @Test func `a corrupt body in the seed is a miss`() throws {
        let record = CacheFixture.variant(1, of: origin, bytes: CacheFixture.bytes(100, seed: 1))
        let file = DiskFolder(path: seed).file(.variants, record.key, record.digest)
        var bytes = try CacheFixture.readAll(SystemFiles().open(file, flags: 0))
        bytes[3] ^= 4
        try CacheFixture.write(bytes, to: file)
        let store = try open()
        #expect(store.variant(key(1)) == nil && store.variant(key(2)) != nil)
        #expect(store.statistics.corruptions == 1)
        store.close()
    }

    @Test func `refuses a seed that is missing, not a cache, or in use`() throws {
        func refusal(_ seed: String) -> String? {
            do throws(DiskStoreError) {
                try DiskStore.forTest(path) { $0.seed = seed }.close()
                return nil
            } catch {
                return error.description
            }
        }
        try SystemFiles().makeFolder(folder.path + "/empty")
        #expect(refusal(folder.path + "/none")?.contains("cache.seed") == true)
        #expect(refusal(folder.path + "/empty")?.contains("not a cache folder") == true)
        let holder = try DiskStore.forTest(seed)
        #expect(refusal(seed)?.contains("in use") == true)
        holder.close()
        #expect(refusal(seed) == nil)
    }

    private func purge(_ selection: PurgeSelection, staleFrom: Int64? = nil, of store: DiskStore) {
        let purge = Purge(selection, staleFrom: staleFrom)
        #expect(store.tombstone(purge))
        #expect(store.remove(purge, completion: nil))
        store.flush()
    }

    private static let forms: [PurgeSelection] = [
        .originals([CacheKey(hashing: "origin 1")]), .source("photos"), .all, .confirmedBefore(2000),
        .prefixes([OriginPrefix(source: "photos", url: "https://photos.example.com/")]),
    ]

    @Test(arguments: forms)
    func `a soft purge makes the seed's entries stale, also after a restart and a reconciliation`(
        selection: PurgeSelection
    ) throws {
        var store = try open()
        #expect(store.variant(key(1))?.origin.freshness.staleAt == origin.freshness.staleAt)
        purge(selection, staleFrom: 1010, of: store)
        func check() throws {
            let variant = try #require(store.variant(key(1)))
            #expect(variant.origin.freshness.staleAt == 1010)
            #expect(try CacheFixture.read(variant.file) == CacheFixture.bytes(100, seed: 1))
            let original = try #require(store.origin(origin.key))
            #expect(original.record.freshness.staleAt == 1010)
            #expect(try CacheFixture.read(#require(original.file)) == body)
        }
        try check()
        store.close()
        store = try open()
        store.reconcile()
        store.flush()
        try check()
        // After a validation it is fresh again, and that is stored as well.
        var confirmed = origin
        confirmed.freshness.responseTime = 1020
        for _ in 0..<2 { store.store(origin: confirmed, body: nil) }
        store.flush()
        #expect(store.variant(key(2))?.origin == confirmed)
        store.close()
        var damages: [DiskDamage] = []
        _ = try DiskCheck(path: path, listener: .init(found: { damage, _ in damages.append(damage) })).run(
            repairs: true
        )
        #expect(damages.isEmpty, "\(damages)")
        store = try open()
        store.reconcile()
        store.flush()
        #expect(store.variant(key(1))?.origin == confirmed)
        store.close()
    }

    @Test(arguments: forms)
    func `a purge hides the seed's entries, also after a restart`(selection: PurgeSelection) throws {
        var store = try open()
        purge(selection, of: store)
        for _ in 0..<2 {
            for number in 1...2 { #expect(store.variant(key(number)) == nil) }
            #expect(store.origin(origin.key) == nil)
            store.close()
            store = try open()
            store.reconcile()
            store.flush()
        }
        // A later soft purge does not make hidden entries reappear.
        purge(.all, staleFrom: 1010, of: store)
        #expect(store.variant(key(1)) == nil && store.origin(origin.key) == nil)
        store.close()
    }

    @Test func `rows for a seed are removed once there is no seed`() throws {
        var store = try open()
        purge(.all, staleFrom: 1010, of: store)
        store.close()
        store = try DiskStore.forTest(path)
        store.reconcile()
        store.flush()
        #expect(store.origin(origin.key) == nil)
        store.close()
    }

    @Test func `a soft purge of the seed outlives the store's own copy of the original`() throws {
        let store = try open()
        var own = CacheFixture.variant(3, of: origin, bytes: [7])
        own.presets = ["own"]
        store.store(variant: own, origin: origin, bytes: [7])
        purge(.all, staleFrom: 1010, of: store)
        #expect(store.variant(own.key) != nil)
        purge(.preset(PresetPattern(name: "own", steps: "", settings: [])), of: store)
        #expect(store.variant(own.key) == nil)
        #expect(store.variant(key(1))?.origin.freshness.staleAt == 1010)
        #expect(store.origin(origin.key)?.record.freshness.staleAt == 1010)
        store.close()
    }
}
