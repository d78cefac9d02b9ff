import CacheTestSupport
import Glibc
import HTTPSemantics
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache

/// Whether the environment enables measurements.
private let measurementsAreAsked = unsafe getenv("EDGEPRINT_MEASURE") != nil

/// Measurements, not tests: run `EDGEPRINT_MEASURE=1 swift test -c release -Xswiftc -enable-testing`.
@Suite(.timeLimit(.minutes(10)), .serialized, .enabled(if: measurementsAreAsked))
struct CacheMeasurements {
    private func measure(_ name: String, count: Int, _ body: () throws -> Void) rethrows {
        let start = SystemTime().monotonic
        try body()
        let nanoseconds = Double(SystemTime().monotonic - start) / Double(count)
        print("\(name): \(nanoseconds.rounded()) ns each, \(Int(1e9 / nanoseconds)) /s")
    }

    @Test func `memory lookups`() {
        final class Picture: Sendable {}
        let keys = (0..<10_000).map(CacheFixture.key)
        let cache = MemoryCache<Picture>(.init(capacity: 256 << 20))
        measure("memory insert", count: keys.count) {
            for key in keys { cache.insert(Picture(), for: key, cost: 20_000) }
        }
        for working in [16, 10_000] {
            measure("memory hit among \(working)", count: 10_000_000) {
                for step in 0..<10_000_000 { _ = cache.value(for: keys[step &* 7919 % working]) }
            }
        }
        let absent = (20_000..<30_000).map(CacheFixture.key)
        measure("memory miss", count: 10_000_000) {
            for step in 0..<10_000_000 { _ = cache.value(for: absent[step % 10_000]) }
        }
        print(cache.statistics)
    }

    @Test(arguments: [1000, 100_000, 1_000_000])
    func `disk lookups`(rows: Int) throws {
        let folder = try TemporaryFolder()
        let bytes = CacheFixture.bytes(20_000)
        let origin = CacheFixture.origin(1, body: bytes)
        let first = try DiskStore.forTest(folder.path)
        first.store(origin: origin, body: try CacheFixture.body(bytes))
        first.close()
        try ScaleFixture.fill(DiskFolder(path: folder.path).index, rows: rows)
        let start = SystemTime().monotonic
        let store = try DiskStore.forTest(folder.path) { $0.queueBytes = 1 << 30 }
        print("open with \(rows) rows: \(Double(SystemTime().monotonic - start) / 1e6) ms")
        let records = (0..<2000).map { CacheFixture.variant($0, of: origin, bytes: bytes) }
        measure("disk store of 20 kB among \(rows)", count: records.count) {
            for record in records { store.store(variant: record, origin: origin, bytes: bytes) }
            store.flush()
        }
        let keys = records.map(\.key)
        measure("disk hit among \(rows)", count: 100_000) {
            for step in 0..<100_000 { _ = store.variant(keys[step &* 7919 % keys.count]) }
        }
        let absent = (0..<1000).map { CacheFixture.key(-1 - $0) }
        measure("disk miss among \(rows)", count: 100_000) {
            for step in 0..<100_000 { _ = store.variant(absent[step % 1000]) }
        }
        print(store.statistics.variants)
        store.close()
    }
}
