import CacheTestSupport
import Testing

@testable import HTTPCache

@Suite(.timeLimit(.minutes(1)))
struct MemoryBoundTests {
    /// A value's own facts, to compare with the cache's totals.
    private struct Told: Sendable, Equatable {
        var version: Int
        var cost: Int
    }

    @Test(arguments: [(1, UInt64(1)), (1, 2), (4, 3), (8, 4)])
    func `stays within its bound with correct totals, and never returns an old value`(
        shards: Int,
        seed: UInt64
    ) {
        var random = SeededNumbers(seed)
        var capacity = 40_000
        let cache = MemoryCache<Told>(
            .init(capacity: capacity, shards: shards, largestDivisor: 2, overhead: 10)
        )
        var latest: [Int: Told] = [:]
        for step in 0..<30_000 {
            let number = random.below(400)
            let key = CacheFixture.shared[number]
            switch random.below(100) {
            case 0:
                capacity = random.below(5) * 20_000
                cache.resize(capacity: capacity)
            case 1: cache.removeAll { key, _ in key.words.1.isMultiple(of: 16) }
            case 2..<10:
                let isThere = cache.value(for: key) != nil
                #expect(cache.remove(key) == isThere)
                latest[number] = nil
            case 10..<50:
                let told = Told(version: step, cost: random.below(3000))
                latest[number] = told
                if !cache.insert(told, for: key, cost: told.cost) { #expect(cache.value(for: key) == nil) }
            default:
                if let told = cache.value(for: key) { #expect(told == latest[number]) }
            }
            #expect(cache.statistics.bytes <= capacity)
            guard step.isMultiple(of: 100) else { continue }
            var (bytes, entries) = (0, 0)
            _ = cache.count { _, told in
                bytes += told.cost + 10
                entries += 1
                return true
            }
            #expect(cache.statistics.bytes == bytes && cache.statistics.entries == entries)
        }
        #expect(cache.statistics.evictions > 100 && cache.statistics.hits > 100)
    }

    @Test func `a hot set survives one-time writes of ten times the quota`() {
        // 200 hot images in a cache for 500.
        let cache = MemoryCache<Int>(.init(capacity: 5000, shards: 1, largestDivisor: 4, overhead: 0))
        for _ in 0..<3 {
            for number in 0..<200 where cache.value(for: CacheFixture.shared[number]) == nil {
                cache.insert(number, for: CacheFixture.shared[number], cost: 10)
            }
        }
        for number in 1000..<6000 { cache.insert(number, for: CacheFixture.key(number), cost: 10) }
        let hot = (0..<200).count { cache.value(for: CacheFixture.shared[$0]) != nil }
        #expect(hot == 200)
        #expect(cache.statistics.bytes <= 5000)
    }

    @Test func `a key that returns soon after its eviction is kept`() {
        var shard = MemoryShard<Int, S3FIFO>(capacity: 1000, largest: 100)
        var dropped: [Int] = []
        func insert(_ number: Int) {
            _ = shard.insert(number, for: CacheFixture.key(number), cost: 10, dropped: &dropped)
        }
        for number in 0...100 { insert(number) }
        #expect(dropped == [0])
        insert(0)
        for number in 101..<600 { insert(number) }
        let (back, gone) = (shard.value(for: CacheFixture.key(0)), shard.value(for: CacheFixture.key(2)))
        #expect(back == 0 && gone == nil)
    }

    @Test func `a replaced value keeps its rank`() {
        let cache = MemoryCache<Int>(.init(capacity: 1000, shards: 1, largestDivisor: 4, overhead: 0))
        cache.insert(1, for: CacheFixture.key(1), cost: 10)
        _ = cache.value(for: CacheFixture.key(1))
        cache.insert(2, for: CacheFixture.key(1), cost: 20)
        for number in 10..<200 { cache.insert(number, for: CacheFixture.key(number), cost: 10) }
        #expect(cache.value(for: CacheFixture.key(1)) == 2)
    }

    @Test func `keeps no more ghosts than entries`() {
        var shard = MemoryShard<Int, S3FIFO>(capacity: 1000, largest: 100)
        var dropped: [Int] = []
        for number in 0..<20_000 {
            _ = shard.insert(number, for: CacheFixture.key(number), cost: 10, dropped: &dropped)
        }
        #expect(shard.policy.ghosts.capacity == 128)
        #expect(shard.policy.ghosts.count <= 128 && shard.policy.ghosts.count > 64)
    }

    @Test func `a ghost expires after a number of others`() {
        var ghosts = GhostTable()
        ghosts.insert(1 << 40)
        for number in UInt64(1)...20 { ghosts.insert(number << 33 | 5) }
        let isKnownLate = ghosts.remove(1 << 40, limit: 10)
        ghosts.insert(1 << 40)
        ghosts.reserve(5000)
        let isKnown = ghosts.remove(1 << 40, limit: 10)
        let isKnownTwice = ghosts.remove(1 << 40, limit: 10)
        #expect(!isKnownLate && isKnown && !isKnownTwice)
    }

    @Test func `one eviction is bounded however often entries were used`() {
        var policy = S3FIFO()
        for slot in Int32(0)..<20_000 { policy.insert(slot, fingerprint: UInt64(slot), cost: 1) }
        for _ in 0..<3 { for slot in Int32(0)..<20_000 { policy.use(slot) } }
        let start = ContinuousClock.now
        let victim = policy.evict()
        #expect(victim == 255)
        #expect(start.duration(to: .now) < .milliseconds(50))
    }

    @Test func `spreads keys evenly over its shards`() {
        let cache = MemoryCache<Int>(.init(capacity: 8 * 100_000, shards: 8, largestDivisor: 4, overhead: 0))
        // 90 % of the quota: unevenly filled shards would evict.
        for number in 0..<7200 { cache.insert(number, for: CacheFixture.key(number), cost: 100) }
        #expect(cache.statistics.evictions < 72)
    }
}

/// Deterministic random numbers from a seed (SplitMix64).
struct SeededNumbers {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    /// At least 0, less than `bound`.
    mutating func below(_ bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ mixed >> 31) % UInt64(bound))
    }
}
