import HTTPCache
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct SimulatedPoolTests {
    @Test func `evicts the least recently used objects down to the low-water mark`() {
        var pool = SimulatedPool(quota: 1_000)
        for object in 0..<10 { pool.store(Int32(object), length: 100) }
        #expect(pool.bytes == 1_000 && pool.evictions == 0)
        pool.use(0)
        pool.store(10, length: 100)
        // Down to 900 bytes with the new object.
        #expect(pool.bytes == 900 && pool.entries == 9 && pool.evictions == 2)
        #expect(pool.contains(0) && !pool.contains(1) && !pool.contains(2) && pool.contains(3) && pool.contains(10))
    }

    @Test func `evicts no more in one step than a transaction of the disk cache`() {
        var pool = SimulatedPool(quota: 1_000)
        for object in 0..<1_000 { pool.store(Int32(object), length: 1) }
        pool.store(1_000, length: 1)
        // One step makes room; the rest follows down to the mark.
        #expect(pool.bytes == 900 && pool.evictions == 101)
        #expect(!pool.contains(100) && pool.contains(101))
    }

    @Test func `refuses what is larger than the quota, and replaces what it has`() {
        var pool = SimulatedPool(quota: 1_000)
        pool.store(0, length: 1_001)
        #expect(pool.entries == 0)
        pool.store(0, length: 600)
        pool.store(0, length: 700)
        #expect(pool.bytes == 700 && pool.entries == 1)
        // Larger than the low-water mark: stays until another one comes.
        pool.store(1, length: 950)
        #expect(pool.contains(1) && !pool.contains(0) && pool.bytes == 950)
        var none = SimulatedPool(quota: 0)
        none.store(0, length: 1)
        #expect(!none.contains(0) && none.allocated() == 0)
    }

    @Test func `only folders of the first level stay when their files are evicted, and there are at most 65,792`() {
        var pool = SimulatedPool(quota: 1)
        pool.store(0, length: 1)
        // A file, a row, and a folder in a folder.
        #expect(pool.allocated() == 4_096 + 1_200 + 2 * 4_096)
        for object in 1..<1_000 { pool.store(Int32(object), length: 1) }
        let folders = (pool.allocated() - 4_096 - 1_200) / 4_096
        #expect(pool.entries == 1 && folders > 245 && folders <= 257, "\(folders)")
        #expect(pool.allocated(times: 10_000) < (65_536 + 256) * 4_096 + 10_000 * (4_096 + 1_200) + 1)
    }

    @Test func `the order survives uses and removals at both ends`() {
        var pool = SimulatedPool(quota: 3)
        for object in [0, 1, 2] as [Int32] { pool.store(object, length: 1) }
        for object in [2, 0, 0, 1] as [Int32] { pool.use(object) }
        pool.use(7)
        pool.store(3, length: 1)
        #expect(!pool.contains(2) && pool.contains(3))
        pool.store(1, length: 1)
        pool.store(4, length: 1)
        #expect(pool.contains(4) && pool.contains(1) && pool.bytes <= 3)
    }
}
