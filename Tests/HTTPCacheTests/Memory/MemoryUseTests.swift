import CacheTestSupport
import Testing

@testable import HTTPCache

/// The entries and bytes of a memory cache by a property of its values.
@Suite(.timeLimit(.minutes(1)))
struct MemoryUseTests {
    @Test func `counts every entry once, in all shards and spaces`() {
        var configuration = MemoryCache<Int>.Configuration(
            capacity: 1 << 20,
            shards: 4,
            largestDivisor: 1,
            overhead: 10
        )
        configuration.reserved = ["shop": 1 << 18]
        let cache = MemoryCache<Int>(configuration)
        // More than are read at once under a lock.
        for number in 0..<3_000 {
            cache.insert(number, for: CacheFixture.key(number), cost: 90, in: number % 3 == 0 ? "shop" : "")
        }
        for number in 0..<100 { cache.remove(CacheFixture.key(number)) }
        let use = cache.use { $0 % 2 == 0 ? "even" : "odd" }
        #expect(use["even"]?.entries == 1_450 && use["odd"]?.entries == 1_450)
        #expect(use.values.reduce(0) { $0 + $1.bytes } == cache.statistics.bytes)
        #expect(MemoryCache<Int>(.init(capacity: 100)).use { "\($0)" }.isEmpty)
    }
}
