import CacheTestSupport
import HTTPSemantics
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache

@Suite(.timeLimit(.minutes(1)))
struct DiskNamespaceTests {
    private let folder: TemporaryFolder
    private let time = ManualTime()

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A store for 2,000 bytes of each class, of which `shop` has 1,000 bytes of variants and 500 of originals.
    private func open(
        reserved: [String: DiskLimits.Reservation] = ["shop": .init(originals: 500, variants: 1000)]
    ) throws -> DiskStore {
        try DiskStore.forTest(folder.path, time: time) {
            $0.limits.variants = 2000
            $0.limits.originals = 2000
            $0.limits.reserved = reserved
            $0.lowWater = 1
        }
    }

    private func origin(_ number: Int, in namespace: String, body: [UInt8] = [1]) -> OriginRecord {
        var origin = CacheFixture.origin(number, body: body)
        origin.source = CacheNamespace.source("photos", in: namespace)
        origin.key = CacheKey(hashing: "origin \(number) of \(namespace)")
        return origin
    }

    private func key(_ number: Int) -> CacheKey { CacheKey(hashing: "variant \(number)") }

    private func put(_ number: Int, _ count: Int = 100, in namespace: String, into store: DiskStore) {
        let bytes = CacheFixture.bytes(count, seed: number)
        let origin = origin(1, in: namespace)
        store.store(variant: CacheFixture.variant(number, of: origin, bytes: bytes), origin: origin, bytes: bytes)
        time.advance(seconds: 1)
    }

    private func stored(_ numbers: ClosedRange<Int>) -> [Int] {
        let names = CacheFixture.files(.variants, in: folder.path)
        return numbers.filter { number in names.contains { $0.hasPrefix(key(number).description) } }
    }

    @Test func `a namespace over its quota evicts its own entries, however old the others are`() throws {
        let store = try open()
        for number in 1...5 { put(number, in: "", into: store) }
        for number in 6...10 { put(number, in: "blog", into: store) }
        for number in 11...40 { put(number, in: "shop", into: store) }
        store.flush()
        #expect(stored(1...10) == Array(1...10))
        #expect(stored(11...40) == Array(31...40))
        #expect(store.statistics.namespaces["shop"]?.variantBytes == 1000)
        store.close()
    }

    @Test func `all others share the rest, and evict none of a namespace with a quota`() throws {
        let store = try open()
        for number in 1...10 { put(number, in: "shop", into: store) }
        for number in 11...50 { put(number, in: number % 2 == 0 ? "blog" : "", into: store) }
        store.flush()
        #expect(stored(1...10) == Array(1...10))
        #expect(stored(11...50) == Array(41...50))
        store.close()
    }

    @Test func `originals have a quota of their own, and one above it is not stored`() throws {
        let store = try open()
        for number in 1...10 {
            let body = CacheFixture.bytes(100, seed: number)
            store.store(origin: origin(number, in: "shop", body: body), body: try CacheFixture.body(body))
            store.store(origin: origin(number, in: "", body: body), body: try CacheFixture.body(body))
        }
        let large = CacheFixture.bytes(501)
        store.store(origin: origin(11, in: "shop", body: large), body: try CacheFixture.body(large))
        store.flush()
        let held = (1...11).map { store.origin(origin($0, in: "shop").key)?.file != nil }
        #expect(held == [false, false, false, false, false, true, true, true, true, true, false])
        #expect((1...10).allSatisfy { store.origin(origin($0, in: "").key)?.file != nil })
        #expect(store.statistics.namespaces["shop"]?.originalBytes == 500)
        store.close()
    }

    @Test func `a new quota applies to what is stored, and the counts survive a restart`() throws {
        var store = try open(reserved: [:])
        for number in 1...15 { put(number, in: "shop", into: store) }
        store.close()
        store = try open(reserved: [:])
        #expect(store.statistics.namespaces["shop"]?.variants == 15)
        var limits = DiskLimits(originals: 2000, variants: 2000)
        limits.reserved["shop"] = .init(variants: 300)
        store.setLimits(limits)
        store.flush()
        #expect(stored(1...15) == [13, 14, 15])
        store.close()
    }

    @Test func `the oldest entries of the whole disk are evicted for their age in every namespace`() throws {
        let store = try DiskStore.forTest(folder.path, time: time) { $0.limits.maximumAge = 100_000 }
        put(1, in: "shop", into: store)
        put(2, in: "", into: store)
        store.flush()
        time.advance(seconds: 4000)
        store.flush()
        time.advance(seconds: 99_000)
        put(3, in: "shop", into: store)
        store.flush()
        // The writer may have read one clock before and the other one after an advance. It takes that for a jump, and trusts the clocks
        // again after an hour.
        for _ in 0..<2 where stored(1...3) != [3] {
            time.advance(seconds: 4000)
            store.flush()
        }
        #expect(stored(1...3) == [3])
        store.close()
    }

    @Test func `an index of the layout before keeps its entries, which have no namespace`() throws {
        var store = try open()
        for number in 1...5 { put(number, in: "", into: store) }
        store.close()
        do {
            let index = try SQLiteConnection(path: DiskFolder(path: folder.path).index, access: .readWrite)
            try index.execute(CacheFixture.undoNamespaces)
        }
        store = try open()
        #expect((1...5).allSatisfy { store.variant(key($0)) != nil })
        for number in 6...15 { put(number, in: "", into: store) }
        store.flush()
        #expect(stored(1...15) == Array(6...15))
        store.close()
    }

    @Test func `wrong counts of a namespace are found and corrected`() throws {
        var store = try open()
        for number in 1...5 { put(number, in: "shop", into: store) }
        store.close()
        do {
            let index = try SQLiteConnection(path: DiskFolder(path: folder.path).index, access: .readWrite)
            try index.execute("UPDATE namespace_totals SET bytes = 7")
        }
        let check = DiskCheck(path: folder.path, listener: .init(found: { _, _ in }))
        #expect(try !check.run(repairs: false).isSound)
        #expect(try check.run(repairs: true).isSound)
        store = try open()
        #expect(store.statistics.namespaces["shop"]?.variantBytes == 500)
        store.close()
    }

    @Test(
        arguments: [
            PurgeSelection.all, .confirmedBefore(.max), .tags(["red"]), .source("shop/photos"),
            .prefixes([OriginPrefix(source: "shop/photos", url: "https://")]),
            .preset(PresetPattern(name: "small", steps: "", settings: [])),
        ],
        [false, true]
    )
    func `a purge within a namespace leaves the others alone`(selection: PurgeSelection, isRestarted: Bool) throws {
        var store = try open()
        for (number, namespace) in [(1, "shop"), (2, ""), (3, "shoppe"), (4, "blog")] {
            var origin = origin(number, in: namespace)
            origin.tags = ["red"]
            let bytes = CacheFixture.bytes(100, seed: number)
            var variant = CacheFixture.variant(number, of: origin, bytes: bytes)
            variant.presets = ["small"]
            store.store(origin: origin, body: try CacheFixture.body([1]))
            store.store(variant: variant, origin: origin, bytes: bytes)
        }
        store.flush()
        if isRestarted {
            store.close()
            store = try open()
        }
        let purge = Purge(.within("shop", selection))
        #expect(store.count(purge.selection).variants == 1)
        #expect(store.tombstone(purge))
        #expect(store.variant(key(1)) == nil)
        let counts = Monitor<PurgeCounts?>(nil)
        #expect(store.remove(purge) { found in counts.update { $0 = found } })
        #expect(counts.wait { $0 }?.variants == 1)
        #expect(store.variant(key(1)) == nil)
        #expect((2...4).allSatisfy { store.variant(key($0)) != nil })
        store.close()
    }

    @Test func `equal bodies are shared within a namespace only`() throws {
        let store = try open()
        let bytes = CacheFixture.bytes(300, seed: 1)
        for (number, namespace) in [(1, "shop"), (2, "shop"), (3, "blog"), (4, ""), (5, "blog")] {
            let origin = origin(1, in: namespace)
            store.store(variant: CacheFixture.variant(number, of: origin, bytes: bytes), origin: origin, bytes: bytes)
        }
        store.flush()
        #expect(store.statistics.links == 2)
        #expect(store.statistics.variants.entries == 5 && store.statistics.variants.bytes == 900)
        #expect(store.statistics.namespaces["shop"]?.variantBytes == 300)
        #expect(store.statistics.namespaces["blog"]?.variantBytes == 300)
        #expect(store.remove(.within("shop", .all), completion: nil))
        store.flush()
        #expect(store.statistics.variants.entries == 3 && store.statistics.variants.bytes == 600)
        store.close()
        #expect(
            try DiskCheck(path: folder.path, listener: .init(found: { _, _ in })).run(repairs: false).isSound
        )
    }
}
