import CacheTestSupport
import Glibc
import HTTPSemantics
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache

@Suite(.timeLimit(.minutes(1)))
struct DiskEvictionTests {
    private let folder: TemporaryFolder
    private let time = ManualTime()
    private let origin = CacheFixture.origin(1, body: [1])

    init() throws {
        folder = try TemporaryFolder()
    }

    private func open(_ quota: Int, lowWater: Double = 1) throws -> DiskStore {
        try DiskStore.forTest(folder.path, time: time) {
            $0.limits.variants = quota
            $0.limits.originals = quota
            $0.lowWater = lowWater
        }
    }

    private func put(_ number: Int, _ count: Int = 100, into store: DiskStore) {
        let bytes = CacheFixture.bytes(count, seed: number)
        store.store(variant: CacheFixture.variant(number, of: origin, bytes: bytes), origin: origin, bytes: bytes)
    }

    private func key(_ number: Int) -> CacheKey { CacheKey(hashing: "variant \(number)") }

    /// The stored variants, determined by their files so that the check does not count as a use.
    private func stored(_ numbers: ClosedRange<Int>) -> [Int] {
        let names = CacheFixture.files(.variants, in: folder.path)
        return numbers.filter { number in names.contains { $0.hasPrefix(key(number).description) } }
    }

    /// The inner fan-out folders of variants, as "ab/cd".
    private var fans: Set<String> {
        let root = DiskFolder(path: folder.path).root(of: .variants)
        return Set(
            TemporaryFolder.names(in: root).flatMap { outer in
                TemporaryFolder.names(in: "\(root)/\(outer)").map { "\(outer)/\($0)" }
            }
        )
    }

    @Test func `a fan-out folder leaves with its last file, and is created again for another one`() throws {
        let store = try open(1000)
        for number in 1...40 { put(number, into: store) }
        store.flush()
        let wanted = (31...40).map { key($0).description }.map { "\($0.prefix(2))/\($0.dropFirst(2).prefix(2))" }
        #expect(stored(1...40) == Array(31...40) && fans == Set(wanted))
        // The folders of these were there before.
        for number in 1...10 { put(number, into: store) }
        store.flush()
        #expect(stored(1...40) == Array(1...10) && fans.count <= 10)
        for number in 1...10 { #expect(store.variant(key(number)) != nil) }
        #expect(store.health == .healthy && store.statistics.drops == 0)
        store.close()
    }

    @Test func `a fan-out folder stays while it has a file, and if it cannot be removed`() throws {
        let files = FaultyFiles()
        let store = try DiskStore.forTest(folder.path, time: time, files: files)
        put(1, into: store)
        store.flush()
        let name = key(1).description
        let fan = "\(name.prefix(2))/\(name.dropFirst(2).prefix(2))"
        let neighbour = "\(DiskFolder(path: folder.path).root(of: .variants))/\(fan)/README"
        try CacheFixture.write([1], to: neighbour)
        store.drop(variant: key(1), digest: CacheKey(hashing: CacheFixture.bytes(100, seed: 1)))
        store.flush()
        #expect(stored(1...1) == [] && fans == [fan])
        TemporaryFolder.delete(neighbour)
        put(1, into: store)
        store.flush()
        files.fail(.removeFolder, with: EIO)
        store.drop(variant: key(1), digest: CacheKey(hashing: CacheFixture.bytes(100, seed: 1)))
        store.flush()
        #expect(stored(1...1) == [] && fans == [fan] && store.health == .healthy && store.statistics.errors == 0)
        store.close()
    }

    @Test func `evicts in the order of last use, including reads and touches, across a restart`() throws {
        var store = try open(1000)
        for number in 1...10 {
            time.advance(seconds: 1)
            put(number, into: store)
        }
        store.flush()
        time.advance(seconds: 1)
        #expect(store.variant(key(2)) != nil)
        time.advance(seconds: 1)
        #expect(store.variant(key(1)) != nil)
        store.touch(.variants, key(4))
        // Uses that wait for the writer survive a normal stop.
        store.close()
        store = try open(1000)
        // The order is now 3 5 6 7 8 9 10 2 1 4.
        var remaining = [3, 5, 6, 7, 8, 9, 10, 2, 1, 4]
        for number in 11...20 {
            put(number, into: store)
            store.flush()
            remaining.removeFirst()
            #expect(stored(1...10) == remaining.sorted())
        }
        #expect(store.statistics.variants.evictions == 10)
        #expect(store.statistics.variants.bytes == 1000)
        store.close()
    }

    @Test(arguments: [-315_360_000, 315_360_000, 0, 1_700_000_000])
    func `keeps the order of use when the wall clock changes`(seconds: Int64) throws {
        let store = try open(300)
        put(1, into: store)
        put(2, into: store)
        time.set(wallSeconds: max(0, time.wallSeconds + seconds))
        put(3, into: store)
        store.flush()
        time.set(wallSeconds: 1_700_000_000 - seconds)
        #expect(store.variant(key(1)) != nil)
        put(4, into: store)
        store.flush()
        #expect(stored(1...4) == [1, 3, 4])
        store.close()
    }

    @Test func `evicts down to the low-water mark once it exceeds the quota`() throws {
        let store = try open(1000, lowWater: 0.7)
        for number in 1...10 { put(number, into: store) }
        store.flush()
        #expect(store.statistics.variants.bytes == 1000)
        #expect(store.statistics.variants.evictions == 0)
        put(11, into: store)
        store.flush()
        #expect(store.statistics.variants.bytes == 700)
        #expect(stored(1...11) == Array(5...11))
        for number in 12...14 { put(number, into: store) }
        store.flush()
        #expect(store.statistics.variants.bytes == 1000)
        #expect(store.statistics.variants.evictions == 4)
        store.close()
    }

    @Test func `never exceeds the quota, even between two writes`() throws {
        let store = try open(10_000, lowWater: 0.9)
        for number in 1...400 {
            put(number, number * 7 % 900, into: store)
            if number.isMultiple(of: 20) { store.flush() }
            #expect(store.statistics.variants.bytes <= 10_000)
        }
        store.flush()
        #expect(CacheFixture.files(.variants, in: folder.path).count == store.statistics.variants.entries)
        store.close()
    }

    @Test func `stores an object as large as the quota and drops a larger one`() throws {
        let store = try open(1000, lowWater: 0.5)
        put(1, into: store)
        put(2, 1000, into: store)
        put(3, 1001, into: store)
        store.flush()
        #expect(stored(1...3) == [2])
        #expect(store.statistics.drops == 1 && store.statistics.variants.drops == 1)
        #expect(store.statistics.variants.bytes == 1000)
        store.close()
    }

    @Test func `keeps the quotas of originals and variants apart`() throws {
        let store = try open(1000)
        for number in 1...10 { put(number, into: store) }
        for number in 2...21 {
            let body = CacheFixture.bytes(100, seed: number)
            store.store(origin: CacheFixture.origin(number, body: body), body: try CacheFixture.body(body))
        }
        store.flush()
        #expect(store.statistics.variants.entries == 10)
        #expect(store.statistics.variants.evictions == 0)
        #expect(store.statistics.originals.entries == 10)
        #expect(store.statistics.originals.evictions == 10)
        store.close()
    }

    @Test func `stores nothing in a class with a quota of 0`() throws {
        let store = try DiskStore.forTest(folder.path) { $0.limits.variants = 0 }
        put(1, into: store)
        store.flush()
        #expect(store.variant(key(1)) == nil)
        #expect(store.statistics.variants.entries == 0)
        store.close()
    }

    @Test func `shrinks to a lowered quota`() throws {
        var store = try open(2000)
        for number in 1...20 { put(number, into: store) }
        store.close()
        store = try open(500)
        store.flush()
        #expect(stored(1...20) == Array(16...20))
        store.close()
    }

    @Test func `replaces an object without counting it twice`() throws {
        let store = try open(1000)
        for count in [100, 300, 200] { put(1, count, into: store) }
        store.flush()
        #expect(store.statistics.variants.bytes == 200)
        #expect(store.statistics.variants.entries == 1)
        #expect(CacheFixture.files(.variants, in: folder.path).count == 1)
        store.close()
    }
}
