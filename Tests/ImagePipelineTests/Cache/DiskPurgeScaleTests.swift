import CacheTestSupport
import HTTPSemantics
import ImagePlan
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache
@testable import ImagePipeline

@Suite(.timeLimit(.minutes(3)))
struct DiskPurgeScaleTests {
    private static let rows = 100_000

    /// The number of rows that a step of a purge reads.
    private func page(
        _ selection: PurgeSelection,
        _ index: inout DiskIndex
    ) throws(SQLiteError) -> [DiskIndex.WalkedOrigin] {
        var found: [DiskIndex.WalkedOrigin] = []
        for var walk in DiskIndex.walks(selection) { found += try index.next(&walk, limit: 256) }
        return found
    }

    @Test func `finds a tag, a source, a prefix or an age among 100,000 originals without a scan`() throws {
        let folder = try TemporaryFolder()
        var index = try DiskIndex.writing(folder.path + "/index.sqlite")
        try index.transaction { index throws(SQLiteError) in
            for number in 0..<Self.rows {
                var origin = CacheFixture.origin(number, body: [1])
                origin.url = "https://photos.example.com/\(number)"
                origin.tags = ["all", "t\(number / 10)"]
                if number.isMultiple(of: 10_000) { origin.source = "few" }
                if number.isMultiple(of: 20_000) { origin.freshness.responseTime = 1 }
                _ = try index.putOrigin(origin, hasBody: false, use: DiskIndex.Use(order: 1, wallSeconds: 1))
            }
        }
        let prefix = OriginPrefix(source: "photos", url: "https://photos.example.com/5432")
        for (selection, count) in [
            (PurgeSelection.tags(["t77"]), 10), (.source("few"), 10), (.prefixes([prefix]), 11), (.tags(["none"]), 0),
            (.confirmedBefore(2), 5), (.tags(["t77", "t78"]), 20),
        ] {
            var scan = Int64.max
            var search = Int64.max
            for _ in 0..<5 {
                var start = SystemTime().monotonic
                #expect(
                    try index.connection.first("SELECT count(*) FROM origins WHERE trailer = -1") { $0.integer(0) } == 0
                )
                scan = min(scan, SystemTime().monotonic - start)
                start = SystemTime().monotonic
                #expect(try page(selection, &index).count == count)
                search = min(search, SystemTime().monotonic - start)
            }
            #expect(search * 5 < scan, "\(selection): \(search) ns, where looking through all takes \(scan) ns")
        }
    }

    @Test(arguments: [
        PurgeSelection.all, .source("photos"), .tags(["all"]), .tags(["odd", "all", "third"]), .confirmedBefore(2000),
        .prefixes([OriginPrefix(source: "photos", url: "https://")]),
    ])
    func `visits every original once, however many share a value, and whether earlier ones are removed`(
        selection: PurgeSelection
    ) throws {
        let folder = try TemporaryFolder()
        var index = try DiskIndex.writing(folder.path + "/index.sqlite")
        try index.transaction { index throws(SQLiteError) in
            for number in 0..<1_000 {
                var origin = CacheFixture.origin(number, body: [1], responseTime: number < 600 ? 1000 : Int64(number))
                origin.url = number < 300 ? "https://a.example/" : "https://a.example/\(number)"
                origin.tags = ["all"] + (number % 2 == 1 ? ["odd"] : []) + (number % 3 == 0 ? ["third"] : [])
                _ = try index.putOrigin(origin, hasBody: false, use: DiskIndex.Use(order: 1, wallSeconds: 1))
            }
        }
        for goes in [false, true] {
            var met: [Int64] = []
            for var walk in DiskIndex.walks(selection) {
                while !walk.isDone {
                    let page = try index.next(&walk, limit: 7)
                    #expect(page.count <= 7)
                    met += page.map(\.id)
                    if goes { for origin in page { try index.deleteOrigin(origin.id) } }
                }
            }
            #expect(met.count == 1_000 && Set(met).count == 1_000)
        }
    }

    @Test func `visits a preset's variants once, and no others`() throws {
        let folder = try TemporaryFolder()
        var index = try DiskIndex.writing(folder.path + "/index.sqlite")
        let origin = CacheFixture.origin(1, body: [1])
        try index.transaction { index throws(SQLiteError) in
            for number in 0..<20_000 {
                var variant = CacheFixture.variant(number, of: origin, bytes: [7])
                variant.plan = number.isMultiple(of: 100) ? "1?w=4 jpeg" : "1?w=\(number % 7 + 8) webp"
                variant.presets = number.isMultiple(of: 77) ? ["thumb"] : []
                try index.putVariant(variant, origin: 1, use: DiskIndex.Use(order: 1, wallSeconds: 1))
            }
        }
        let pattern = PresetPattern(name: "thumb", preset: try Preset(name: "thumb", text: "w=4"))
        let expected = (0..<20_000).count { $0.isMultiple(of: 100) || $0.isMultiple(of: 77) }
        #expect(try index.count(pattern).variants == expected)
        for limit in [1, 3, 256] {
            var walk = DiskIndex.VariantWalk(pattern)
            var met: [Int64] = []
            var steps = 0
            while !walk.isDone {
                met += try index.next(&walk, limit: limit).map(\.entry.id)
                steps += 1
            }
            #expect(met.count == expected && Set(met).count == expected)
            // Fifteen pairs of plan and presets, and the end.
            #expect(steps <= (expected + 40) / limit + 1)
        }
    }
}
