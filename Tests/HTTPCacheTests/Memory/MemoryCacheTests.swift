import CacheTestSupport
import LinuxSystem
import Testing

@testable import HTTPCache

@Suite(.timeLimit(.minutes(1)))
struct MemoryCacheTests {
    private func cache(_ capacity: Int, shards: Int = 1, overhead: Int = 0) -> MemoryCache<Int> {
        MemoryCache(.init(capacity: capacity, shards: shards, largestDivisor: 1, overhead: overhead))
    }

    @Test func `evicts the oldest unused entry first`() {
        let cache = cache(30)
        for number in 1...3 { cache.insert(number, for: CacheFixture.key(number), cost: 10) }
        #expect(cache.value(for: CacheFixture.key(1)) == 1)
        cache.insert(4, for: CacheFixture.key(4), cost: 10)
        #expect(cache.value(for: CacheFixture.key(2)) == nil)
        #expect([1, 3, 4].allSatisfy { cache.value(for: CacheFixture.key($0)) == $0 })
    }

    @Test func `never holds more bytes than its capacity`() {
        let cache = cache(1000, shards: 4)
        var generator = SystemRandomNumberGenerator()
        for number in 0..<5000 {
            cache.insert(number, for: CacheFixture.key(number), cost: Int.random(in: 0...250, using: &generator))
            #expect(cache.statistics.bytes <= 1000)
        }
        #expect(cache.statistics.evictions > 4000)
    }

    @Test func `the ten thousandth drop needs no more stack than the first`() {
        let cache = cache(10)
        let depths = Lock((first: UInt(0), last: UInt(0)))
        cache.observeDrops { _ in
            var here = 0
            let address = unsafe withUnsafePointer(to: &here) { UInt(bitPattern: $0) }
            depths.withLock { $0 = $0.first == 0 ? (address, address) : ($0.first, address) }
        }
        for number in 0...10_000 { cache.insert(number, for: CacheFixture.key(number), cost: 10) }
        let (first, last) = depths.withLock { $0 }
        #expect(first != 0 && first == last, "\(Int(first) - Int(last)) bytes")
    }

    @Test func `counts a replaced value's cost once`() {
        let cache = cache(100)
        cache.insert(1, for: CacheFixture.key(1), cost: 60)
        cache.insert(2, for: CacheFixture.key(1), cost: 30)
        #expect(cache.value(for: CacheFixture.key(1)) == 2)
        #expect(cache.statistics.bytes == 30)
        #expect(cache.statistics.entries == 1)
        #expect(cache.statistics.evictions == 0)
    }

    @Test func `adds the bookkeeping to each cost, so that empty values are bounded too`() {
        let cache = cache(1000, overhead: 100)
        for number in 0..<50 { cache.insert(number, for: CacheFixture.key(number), cost: 0) }
        #expect(cache.statistics.entries == 10)
        #expect(cache.statistics.bytes == 1000)
    }

    @Test(arguments: [(25, true), (26, false)])
    func `accepts a value of a shard's maximum cost and refuses a larger one`(cost: Int, isTaken: Bool) {
        let cache = MemoryCache<Int>(.init(capacity: 200, shards: 2, largestDivisor: 4, overhead: 0))
        #expect(cache.largestCost == 25)
        #expect(cache.insert(1, for: CacheFixture.key(1), cost: cost) == isTaken)
        #expect((cache.value(for: CacheFixture.key(1)) != nil) == isTaken)
        #expect(cache.statistics.refusals == (isTaken ? 0 : 1))
    }

    @Test func `drops the old value when the new one is refused`() {
        let cache = cache(100)
        cache.insert(1, for: CacheFixture.key(1), cost: 10)
        #expect(!cache.insert(2, for: CacheFixture.key(1), cost: 101))
        #expect(cache.value(for: CacheFixture.key(1)) == nil)
        #expect(cache.statistics.bytes == 0)
    }

    @Test func `stores nothing with capacity 0`() {
        let cache = cache(0)
        #expect(!cache.insert(1, for: CacheFixture.key(1), cost: 0))
        #expect(cache.value(for: CacheFixture.key(1)) == nil)
        #expect(cache.statistics.entries == 0)
        #expect(cache.statistics.bytes == 0)
    }

    @Test func `keeps used entries when shrunk, and stores more when grown`() {
        let cache = cache(100)
        for number in 0..<10 { cache.insert(number, for: CacheFixture.key(number), cost: 10) }
        for used in [0, 9] { _ = cache.value(for: CacheFixture.key(used)) }
        cache.resize(capacity: 20)
        #expect(cache.statistics.bytes == 20)
        #expect(cache.value(for: CacheFixture.key(0)) == 0)
        #expect(cache.value(for: CacheFixture.key(9)) == 9)
        #expect(cache.statistics.evictions == 8)
        cache.resize(capacity: 0)
        #expect(cache.statistics.entries == 0)
        #expect(!cache.insert(1, for: CacheFixture.key(1), cost: 0))
        cache.resize(capacity: 30)
        #expect(cache.largestCost == 30)
        #expect(cache.insert(1, for: CacheFixture.key(1), cost: 30))
    }

    @Test func `removes one value, and all that match a condition`() {
        let cache = cache(1000, shards: 4)
        for number in 0..<20 { cache.insert(number, for: CacheFixture.key(number), cost: 10) }
        #expect(cache.remove(CacheFixture.key(3)))
        #expect(!cache.remove(CacheFixture.key(3)))
        #expect(cache.removeAll { _, value in value.isMultiple(of: 2) } == 10)
        #expect(cache.statistics.entries == 9)
        #expect(cache.statistics.bytes == 90)
        #expect(cache.value(for: CacheFixture.key(5)) == 5)
        #expect(cache.removeAll() == 9)
    }

    @Test func `counts hits and misses`() {
        let cache = cache(100)
        cache.insert(1, for: CacheFixture.key(1), cost: 1)
        _ = cache.value(for: CacheFixture.key(1))
        _ = cache.value(for: CacheFixture.key(1))
        _ = cache.value(for: CacheFixture.key(2))
        #expect(cache.statistics.hits == 2)
        #expect(cache.statistics.misses == 1)
    }

    @Test func `frees evicted values outside its lock`() {
        final class Reentrant: Sendable {
            let cache: Lock<MemoryCache<Reentrant>?>
            init(_ cache: MemoryCache<Reentrant>) { self.cache = Lock(cache) }
            // Would take the same lock again.
            deinit { _ = cache.withLock { $0?.statistics.entries } }
        }
        let cache = MemoryCache<Reentrant>(.init(capacity: 1, shards: 1, largestDivisor: 1, overhead: 0))
        for number in 0..<3 { cache.insert(Reentrant(cache), for: CacheFixture.key(number), cost: 1) }
        #expect(cache.removeAll() == 1)
    }

    @Test func `keeps correct totals under concurrent use`() async {
        let cache = cache(2000, shards: 4)
        await withTaskGroup(of: Void.self) { group in
            for seed in 0..<8 {
                group.addTask {
                    for step in 0..<20_000 {
                        let number = (step &* 31 &+ seed &* 17) % 500
                        let key = CacheFixture.shared[number]
                        switch step % 5 {
                        case 0: cache.insert(number, for: key, cost: number % 50)
                        case 1: cache.remove(key)
                        default:
                            if let value = cache.value(for: key), value != number { Issue.record("wrong value") }
                        }
                    }
                }
            }
        }
        let statistics = cache.statistics
        #expect(statistics.bytes <= 2000)
        #expect(statistics.hits + statistics.misses == 8 * 20_000 * 3 / 5)
        var bytes = 0
        let removed = cache.removeAll { _, value in
            bytes += value % 50
            return true
        }
        #expect(removed == statistics.entries)
        #expect(bytes == statistics.bytes)
        #expect(cache.statistics.bytes == 0)
    }
}

extension CacheFixture {
    /// Keys, computed once.
    static let shared = (0..<500).map(key)
}
