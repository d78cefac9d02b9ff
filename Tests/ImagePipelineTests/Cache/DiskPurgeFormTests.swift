import CacheTestSupport
import HTTPSemantics
import ImagePlan
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache
@testable import ImagePipeline

/// Purges of the disk by prefix, tag, preset and age, and soft ones.
@Suite(.timeLimit(.minutes(1)))
struct DiskPurgeFormTests {
    private let folder: TemporaryFolder
    private let store: DiskStore
    private var path: String { folder.path + "/cache" }

    init() throws {
        folder = try TemporaryFolder()
        store = try DiskStore.forTest(folder.path + "/cache")
    }

    /// An original with its bytes and one variant.
    @discardableResult
    private func fill(
        _ number: Int,
        source: String = "photos",
        url: String = "https://a.example/1",
        tags: [String] = [],
        presets: [String] = [],
        plan: String = "1?w=4"
    ) throws -> (origin: OriginRecord, variant: VariantRecord) {
        let body = CacheFixture.bytes(1000, seed: number)
        var origin = CacheFixture.origin(number, body: body)
        (origin.source, origin.url, origin.tags) = (source, url, tags)
        store.store(origin: origin, body: try CacheFixture.body(body))
        let bytes = CacheFixture.bytes(100, seed: number + 1000)
        var variant = CacheFixture.variant(number, of: origin, bytes: bytes)
        (variant.plan, variant.presets) = (plan, presets)
        store.store(variant: variant, origin: origin, bytes: bytes)
        store.flush()
        return (origin, variant)
    }

    private func purge(_ selection: PurgeSelection, staleFrom: Int64? = nil) throws -> PurgeCounts {
        let done = Signal<PurgeCounts?>(nil)
        let purge = Purge(selection, staleFrom: staleFrom)
        #expect(store.tombstone(purge))
        #expect(store.remove(purge) { counts in done.update { $0 = counts } })
        return try #require(try done.wait { $0 != nil })
    }

    private func counts(_ originals: Int, _ variants: Int) -> PurgeCounts {
        var counts = PurgeCounts()
        (counts.originals, counts.variants, counts.bytes) = (originals, variants, originals * 1000 + variants * 100)
        return counts
    }

    private func fileCounts() -> [Int] {
        [CacheFixture.files(.originals, in: path).count, CacheFixture.files(.variants, in: path).count]
    }

    @Test func `a prefix matches a source and the beginning of a URL, byte by byte`() throws {
        try fill(1, url: "https://a.example/2026/1")
        try fill(2, url: "https://a.example/2026/2")
        let kept = [
            try fill(3, url: "https://a.example/2027/3"), try fill(4, url: "https://a.example/2026"),
            try fill(5, source: "fetch", url: "https://a.example/2026/5"), try fill(6, url: "https://a.example/202"),
        ]
        let selection = PurgeSelection.prefixes([OriginPrefix(source: "photos", url: "https://a.example/2026/")])
        #expect(store.count(selection) == counts(2, 2))
        #expect(try purge(selection) == counts(2, 2))
        #expect(try purge(selection) == counts(0, 0))
        for (origin, variant) in kept {
            #expect(store.origin(origin.key) != nil && store.variant(variant.key) != nil)
        }
        #expect(fileCounts() == [4, 4])
        #expect(try purge(.prefixes([OriginPrefix(source: "photos", url: "")])) == counts(3, 3))
        store.close()
    }

    @Test func `a tag selects all originals that have it, and is stored with them`() throws {
        let (first, _) = try fill(1, tags: ["red", "round"])
        try fill(2, tags: ["round"])
        let (kept, _) = try fill(3, tags: ["rounder"])
        #expect(store.origin(first.key)?.record == first)
        #expect(store.count(.tags(["round"])) == counts(2, 2))
        // The origin's later tags replace the earlier ones.
        var refreshed = first
        refreshed.tags = ["blue"]
        store.store(origin: refreshed, body: nil)
        store.flush()
        #expect(store.count(.tags(["red"])) == counts(0, 0))
        #expect(try purge(.tags(["blue"])) == counts(1, 1))
        #expect(try purge(.tags(["round"])) == counts(1, 1))
        #expect(store.origin(kept.key)?.record.tags == ["rounder"])
        #expect(fileCounts() == [1, 1])
        store.close()
        var index = try DiskIndex.writing(DiskFolder(path: path).index)
        #expect(try index.connection.all("SELECT tag FROM tags") { $0.text(0) ?? "" } == ["rounder"])
    }

    @Test func `several tags are one purge, and an original with two of them counts once`() throws {
        for (number, tags) in [["a", "b"], ["b"], ["c"], ["d", "a", "c"], ["e"]].enumerated() {
            try fill(number, tags: tags)
        }
        #expect(store.count(.tags(["a", "b", "c"])) == counts(4, 4))
        #expect(try purge(.tags(["a", "b", "c"]), staleFrom: 2000) == counts(4, 4))
        #expect(try purge(.tags(["a", "b", "z"])) == counts(3, 3))
        #expect(try purge(.tags([])) == counts(0, 0))
        #expect(store.count(.all) == counts(2, 2))
        store.close()
    }

    @Test func `a purge by preset removes variants and keeps originals`() throws {
        let thumb = PresetPattern(name: "thumb", preset: try Preset(name: "thumb", text: "w=4"))
        let (_, alike) = try fill(1, plan: "1?w=4 webp")
        let (_, named) = try fill(2, presets: ["soft", "thumb"], plan: "1?w=8")
        let (_, other) = try fill(3, presets: ["soft"], plan: "1?w=8")
        #expect(store.count(.preset(thumb)) == counts(0, 2))
        #expect(try purge(.preset(thumb)) == counts(0, 2))
        #expect(store.variant(alike.key) == nil && store.variant(named.key) == nil)
        #expect(store.variant(other.key)?.record == other)
        #expect(fileCounts() == [3, 1])
        store.close()
    }

    @Test func `a preset may have more variants than one step handles`() throws {
        let origin = CacheFixture.origin(1, body: [1])
        for number in 0..<3_000 {
            var variant = CacheFixture.variant(number, of: origin, bytes: [7])
            variant.presets = number.isMultiple(of: 3) ? ["thumb"] : []
            store.store(variant: variant, origin: origin, bytes: [7])
            if number.isMultiple(of: 500) { store.flush() }
        }
        store.flush()
        let pattern = PresetPattern(name: "thumb", preset: nil)
        #expect(store.count(.preset(pattern)).variants == 1_000)
        #expect(try purge(.preset(pattern)).variants == 1_000)
        #expect(store.count(.all).variants == 2_000)
        store.close()
    }

    @Test func `originals not validated for long are purged, however many there are`() throws {
        for number in 0..<600 {
            let time: Int64 = number.isMultiple(of: 2) ? 100 : 200
            let origin = CacheFixture.origin(number, body: [1], responseTime: time)
            store.store(variant: CacheFixture.variant(number, of: origin, bytes: [7]), origin: origin, bytes: [7])
            if number.isMultiple(of: 200) { store.flush() }
        }
        store.flush()
        #expect(try purge(.confirmedBefore(100)).variants == 0)
        #expect(try purge(.confirmedBefore(101)).variants == 300)
        #expect(try purge(.confirmedBefore(.max)).variants == 300)
        store.close()
    }

    @Test func `softly purged entries stay, and are stale`() throws {
        let (first, variant) = try fill(1, tags: ["red"])
        let (other, _) = try fill(2)
        // Readers see it as stale before the writer has processed the purge.
        let gate = Monitor((isEntered: false, isOpen: false))
        store.flush {
            gate.update(wakingAll: true) { $0.isEntered = true }
            _ = gate.wait { $0.isOpen ? true : nil }
        }
        _ = gate.wait { $0.isEntered ? true : nil }
        let soft = Purge(.tags(["red"]), staleFrom: 1010)
        #expect(store.tombstone(soft))
        #expect(store.variant(variant.key)?.origin.freshness.staleAt == 1010)
        let done = Signal<PurgeCounts?>(nil)
        #expect(store.remove(soft) { counts in done.update { $0 = counts } })
        gate.update(wakingAll: true) { $0.isOpen = true }
        #expect(try done.wait { $0 != nil } == counts(1, 1))
        #expect(store.variant(variant.key)?.origin.freshness.staleAt == 1010)
        #expect(store.origin(first.key)?.record.freshness.isFresh(at: 1010) == false)
        #expect(store.origin(other.key)?.record == other)
        // A later soft purge neither postpones staleness nor makes entries fresh.
        #expect(try purge(.all, staleFrom: 5000) == counts(2, 2))
        #expect(store.origin(first.key)?.record.freshness.staleAt == 1010)
        #expect(store.origin(other.key)?.record == other)
        #expect(fileCounts() == [2, 2])
        store.close()
    }

    @Test(arguments: [
        PurgeSelection.source("photos"), .all, .confirmedBefore(2000),
        .originals([CacheFixture.origin(1, body: []).key]),
        .prefixes([OriginPrefix(source: "photos", url: "https://a.example/")]),
    ])
    func `every form of purge can be soft`(selection: PurgeSelection) throws {
        let (origin, _) = try fill(1)
        #expect(try purge(selection, staleFrom: 1020) == counts(1, 1))
        #expect(store.origin(origin.key)?.record.freshness.staleAt == 1020)
        store.close()
    }

    @Test func `originals of an older index can be purged by tag after their next response`() throws {
        store.close()
        let old = folder.path + "/old"
        try CacheFixture.copyTree(CacheFixture.oldFolder, to: old)
        let key: CacheKey
        do {
            var index = try SQLiteConnection(path: DiskFolder(path: old).index, access: .readWrite)
            try index.execute("\(CacheFixture.undoPurgeColumns) PRAGMA user_version = 2")
            let found = try index.first("SELECT key FROM origins WHERE url LIKE '%/plain.png'") { $0.key(0) }
            key = try #require(found ?? nil)
        }
        let again = try DiskStore.forTest(old)
        var tagged = try #require(again.origin(key)?.record)
        #expect(tagged.tags.isEmpty && again.count(.tags(["red"])).originals == 0)
        tagged.tags = ["red"]
        again.store(origin: tagged, body: nil)
        again.flush()
        let found = again.count(.tags(["red"]))
        #expect(found.originals == 1 && found.variants == 3)
        again.close()
    }
}
