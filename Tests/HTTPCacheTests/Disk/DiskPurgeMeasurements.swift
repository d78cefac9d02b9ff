import CacheTestSupport
import Glibc
import HTTPSemantics
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache

private let purgeRows = TestEnvironment.value("EDGEPRINT_PURGE_ROWS").flatMap { Int($0) }

/// Measures purges, and concurrent stores, by the number of rows; run manually (Tests/README.md).
@Suite(.timeLimit(.minutes(20)), .enabled(if: purgeRows != nil, "set EDGEPRINT_PURGE_ROWS to a number of rows"))
struct DiskPurgeMeasurements {
    /// A quarter of the rows are originals, each with three variants in one of forty sizes; no files.
    private static func fill(_ path: String, rows: Int) throws {
        var index = try DiskIndex.writing(path)
        for start in stride(from: 0, to: rows / 4, by: 10_000) {
            try index.transaction { index throws(SQLiteError) in
                for number in start..<min(start + 10_000, rows / 4) {
                    let time = Int64(number)
                    var origin = CacheFixture.origin(number, body: [1], responseTime: time)
                    origin.tags = ["all", "t\(number % 100)"]
                    origin.freshness.lifetime = 1 << 40
                    let use = DiskIndex.Use(order: time, wallSeconds: time)
                    let id = try index.putOrigin(origin, hasBody: true, use: use)
                    for size in 0..<3 {
                        var variant = CacheFixture.variant(number * 3 + size, of: origin, bytes: [7])
                        variant.plan = "1?w=\((number + size) % 40) webp"
                        variant.presets = (number + size) % 40 == 0 ? ["thumb"] : []
                        try index.putVariant(variant, origin: id, use: use)
                    }
                }
            }
        }
        try index.transaction { index throws(SQLiteError) in try index.save(try index.countTotals()) }
    }

    @Test func `purges by tag, preset and age, soft and hard`() throws {
        let rows = try #require(purgeRows)
        let folder = try TemporaryFolder()
        let path = folder.path + "/cache"
        try DiskStore.forTest(path).close()
        try Self.fill(DiskFolder(path: path).index, rows: rows)
        let store = try DiskStore.forTest(path)
        print("\(rows) rows; a store waits \(try wait(store) / 1_000) µs while nothing else is written")
        let originals = Int64(rows / 4)
        let purges: [(String, Purge)] = [
            ("tag of 1 %, soft", Purge(.tags(["t5"]), staleFrom: 1 << 30)),
            ("tag of 1 %", Purge(.tags(["t7"]))),
            ("preset of 2.5 % of the variants", Purge(.preset(PresetPattern(name: "thumb", steps: "", settings: [])))),
            ("age, of half of the originals", Purge(.confirmedBefore(originals / 2))),
            ("tag of all that is left, soft", Purge(.tags(["all"]), staleFrom: 1 << 30)),
            ("everything left", Purge(.all)),
        ]
        for (name, purge) in purges {
            let done = Lock<(counts: PurgeCounts, at: Int64)?>(nil)
            let start = SystemTime().monotonic
            #expect(store.tombstone(purge))
            #expect(store.remove(purge) { counts in done.withLock { $0 = (counts, SystemTime().monotonic) } })
            var longest: Int64 = 0
            var stores = 0
            while done.withLock({ $0 == nil }) {
                longest = max(longest, try wait(store))
                stores += 1
            }
            let (counts, end) = try #require(done.withLock { $0 })
            print(
                "\(name): \(counts.originals) originals, \(counts.variants) variants in \((end - start) / 1_000_000) ms;",
                "\(stores) stores meanwhile, the slowest after \(longest / 1_000) µs"
            )
            #expect(counts.variants > 0)
        }
        store.close()
    }

    /// Nanoseconds from a store's call until it is committed.
    private func wait(_ store: DiskStore) throws -> Int64 {
        let origin = CacheFixture.origin(-1, body: [1], responseTime: 1 << 31)
        let bytes: [UInt8] = [8]
        let before = store.statistics.variants.stores
        let start = SystemTime().monotonic
        store.store(variant: CacheFixture.variant(-1, of: origin, bytes: bytes), origin: origin, bytes: bytes)
        try waitWhile(store.statistics.variants.stores == before)
        return SystemTime().monotonic - start
    }
}
