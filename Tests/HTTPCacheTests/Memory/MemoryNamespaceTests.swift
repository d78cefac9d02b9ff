import CacheTestSupport
import Testing

@testable import HTTPCache

@Suite(.timeLimit(.minutes(1)))
struct MemoryNamespaceTests {
    private func cache(_ reserved: [String: Int]) -> MemoryCache<Int> {
        var configuration = MemoryCache<Int>.Configuration(capacity: 300, shards: 1, largestDivisor: 1, overhead: 0)
        configuration.reserved = reserved
        return MemoryCache(configuration)
    }

    private func stored(_ numbers: Range<Int>, in cache: MemoryCache<Int>) -> Int {
        numbers.count { cache.value(for: CacheFixture.key($0)) != nil }
    }

    @Test func `a namespace with a share evicts only its own entries`() {
        let cache = cache(["shop": 100])
        for number in 0..<20 { cache.insert(number, for: CacheFixture.key(number), cost: 10) }
        for number in 100..<200 { cache.insert(number, for: CacheFixture.key(number), cost: 10, in: "shop") }
        #expect(stored(0..<20, in: cache) == 20)
        #expect(stored(100..<200, in: cache) == 10)
        #expect(cache.reservedBytes == ["shop": 100] && cache.statistics.bytes == 300)
    }

    @Test func `namespaces without a share evict each other only`() {
        let cache = cache(["shop": 100])
        for number in 100..<110 { cache.insert(number, for: CacheFixture.key(number), cost: 10, in: "shop") }
        for number in 0..<100 {
            cache.insert(number, for: CacheFixture.key(number), cost: 10, in: number % 2 == 0 ? "blog" : "")
        }
        #expect(stored(100..<110, in: cache) == 10)
        #expect(stored(0..<100, in: cache) == 20)
    }

    @Test func `a value larger than the share of its namespace is refused`() {
        let cache = cache(["shop": 100])
        #expect(!cache.insert(1, for: CacheFixture.key(1), cost: 101, in: "shop"))
        #expect(cache.insert(1, for: CacheFixture.key(1), cost: 101, in: "blog"))
    }

    @Test func `a namespace that loses its share loses its entries, and another one can have it`() {
        let cache = cache(["shop": 100])
        for number in 0..<10 { cache.insert(number, for: CacheFixture.key(number), cost: 10, in: "shop") }
        cache.resize(capacity: 300, reserved: ["blog": 50, "wiki": 50])
        #expect(stored(0..<10, in: cache) == 0 && cache.statistics.bytes == 0)
        for number in 20..<40 { cache.insert(number, for: CacheFixture.key(number), cost: 10, in: "blog") }
        for number in 40..<60 { cache.insert(number, for: CacheFixture.key(number), cost: 10, in: "wiki") }
        for number in 60..<90 { cache.insert(number, for: CacheFixture.key(number), cost: 10, in: "shop") }
        #expect(cache.reservedBytes == ["blog": 50, "wiki": 50])
        #expect(stored(60..<90, in: cache) == 20)
    }

    @Test func `an entry moves when its namespace gets a share`() {
        let cache = cache([:])
        cache.insert(1, for: CacheFixture.key(1), cost: 10, in: "shop")
        cache.resize(capacity: 300, reserved: ["shop": 100])
        #expect(cache.value(for: CacheFixture.key(1)) == 1)
        cache.insert(2, for: CacheFixture.key(1), cost: 20, in: "shop")
        #expect(cache.value(for: CacheFixture.key(1)) == 2)
        #expect(cache.reservedBytes == ["shop": 20] && cache.statistics.bytes == 20 && cache.statistics.entries == 1)
    }

    @Test func `less memory takes from each share`() {
        let cache = cache(["shop": 200])
        for number in 0..<10 { cache.insert(number, for: CacheFixture.key(number), cost: 10) }
        for number in 100..<120 { cache.insert(number, for: CacheFixture.key(number), cost: 10, in: "shop") }
        cache.resize(capacity: 150, reserved: ["shop": 100])
        #expect(stored(0..<10, in: cache) == 5 && stored(100..<120, in: cache) == 10)
    }

    @Test func `a limit of entries is divided like the capacity, so that no namespace evicts entries of another`() {
        let cache = cache(["shop": 100])
        cache.setMaximumEntries(9)
        for number in 0..<6 { cache.insert(number, for: CacheFixture.key(number), cost: 1) }
        for number in 100..<120 { cache.insert(number, for: CacheFixture.key(number), cost: 1, in: "shop") }
        #expect(stored(0..<6, in: cache) == 6 && stored(100..<120, in: cache) == 3)
        for number in 6..<40 { cache.insert(number, for: CacheFixture.key(number), cost: 1) }
        #expect(stored(0..<40, in: cache) == 6 && stored(100..<120, in: cache) == 3)
        cache.resize(capacity: 300)
        for number in 0..<40 { cache.insert(number, for: CacheFixture.key(number), cost: 1) }
        #expect(cache.statistics.entries == 9)
    }
}
