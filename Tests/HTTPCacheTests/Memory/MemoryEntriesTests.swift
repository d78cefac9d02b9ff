import Testing

@testable import HTTPCache

/// The maximum number of entries of the memory tier.
@Suite(.timeLimit(.minutes(1)))
struct MemoryEntriesTests {
    private func cache(_ entries: Int, shards: Int) -> MemoryCache<Int> {
        var configuration = MemoryCache<Int>.Configuration(capacity: 1 << 30, shards: shards)
        configuration.entries = entries
        return MemoryCache(configuration)
    }

    private func key(_ number: Int) -> CacheKey { CacheKey(hashing: "\(number)") }

    @Test(arguments: [(1, 1), (10, 1), (10, 4), (3, 8), (100, 8)])
    func `never holds more entries than the maximum, and fills it`(_ maximum: Int, _ shards: Int) {
        let cache = cache(maximum, shards: shards)
        for number in 0..<2_000 {
            cache.insert(number, for: key(number), cost: 10)
            #expect(cache.statistics.entries <= maximum)
        }
        #expect(cache.statistics.entries == maximum)
        #expect(cache.count { _, _ in true } == maximum)
    }

    @Test func `replacing a value evicts nothing`() {
        let cache = cache(2, shards: 1)
        for number in [1, 2, 1, 2, 1] { cache.insert(number, for: key(number), cost: 10) }
        #expect(cache.statistics.evictions == 0 && cache.value(for: key(1)) == 1 && cache.value(for: key(2)) == 2)
    }

    @Test func `a smaller maximum evicts at once, and no maximum admits all`() {
        let cache = cache(.max, shards: 4)
        for number in 0..<1_000 { cache.insert(number, for: key(number), cost: 10) }
        #expect(cache.statistics.entries == 1_000)
        cache.setMaximumEntries(7)
        #expect(cache.statistics.entries == 7)
        cache.setMaximumEntries(0)
        #expect(cache.statistics.entries == 0 && !cache.insert(1, for: key(1), cost: 10))
        cache.setMaximumEntries(.max)
        #expect(cache.insert(1, for: key(1), cost: 10) && cache.value(for: key(1)) == 1)
    }
}
