import LinuxSystem
import TestSupport
import Testing

@testable import ImagePipeline

@Suite(.timeLimit(.minutes(1)))
struct DiskPurgeScaleTests {
    private static let rows = 100_000

    @Test func `a tag, a source or a prefix is found among 100,000 originals without looking at them`() throws {
        let folder = try TemporaryFolder()
        var index = try DiskIndex.writing(folder.path + "/index.sqlite")
        try index.transaction { index throws(SQLiteError) in
            for number in 0..<Self.rows {
                var origin = CacheFixture.origin(number, body: [1])
                origin.url = "https://photos.example.com/\(number)"
                origin.tags = ["all", "t\(number / 10)"]
                if number.isMultiple(of: 10_000) { origin.source = "few" }
                _ = try index.putOrigin(origin, hasBody: false, use: DiskIndex.Use(order: 1, wallSeconds: 1))
            }
        }
        let prefix = OriginPrefix(source: "photos", url: "https://photos.example.com/5432")
        for (selection, count) in [
            (PurgeSelection.tags(["t77"]), 10), (.source("few"), 10), (.prefixes([prefix]), 11), (.tags(["none"]), 0),
        ] {
            var scan = Int64.max
            var search = Int64.max
            for _ in 0..<5 {
                var start = SystemTime().monotonic
                #expect(try index.origins(in: .confirmedBefore(0), above: 0, limit: 256).isEmpty)
                scan = min(scan, SystemTime().monotonic - start)
                start = SystemTime().monotonic
                #expect(try index.origins(in: selection, above: 0, limit: 256).count == count)
                search = min(search, SystemTime().monotonic - start)
            }
            #expect(search * 5 < scan, "\(selection): \(search) ns, where looking through all takes \(scan) ns")
        }
    }
}
