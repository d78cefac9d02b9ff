import CacheTestSupport
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache
@testable import ImagePipeline

private let migrationRows = TestEnvironment.value("EDGEPRINT_MIGRATION_ROWS").flatMap { Int($0) }

/// Measures the migration from layout 10 and the next start, by the number of rows; run manually (Tests/README.md).
@Suite(.timeLimit(.minutes(20)), .enabled(if: migrationRows != nil, "set EDGEPRINT_MIGRATION_ROWS to a number of rows"))
struct DiskMigrationMeasurements {
    @Test func `migrates, and then starts as fast as before`() throws {
        let rows = try #require(migrationRows)
        let folder = try TemporaryFolder()
        let path = folder.path + "/cache"
        let old = try OldFolder(copiedTo: path)
        try OldFolder.fill(path + "/index.sqlite", rows: rows)
        for name in ["first start, with the migration", "next start"] {
            let start = SystemTime().monotonic
            let store = try DiskStore.forTest(path)
            #expect(store.variant(old.variants[0].key) != nil)
            print("\(name), \(rows) rows: \(Double(SystemTime().monotonic - start) / 1e9) s")
            store.close()
        }
    }
}
