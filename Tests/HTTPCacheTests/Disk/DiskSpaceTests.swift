import CacheTestSupport
import Glibc
import HTTPSemantics
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache

/// Bounds other than quotas: free space on the file system, and age.
@Suite(.timeLimit(.minutes(1)))
struct DiskSpaceTests {
    private let folder: TemporaryFolder
    private let time = ManualTime()
    private let origin = CacheFixture.origin(1, body: CacheFixture.bytes(50))

    init() throws {
        folder = try TemporaryFolder()
    }

    private func open(_ files: any FileSystem, _ limits: DiskLimits) throws -> DiskStore {
        try DiskStore.forTest(folder.path, time: time, files: files) { $0.limits = limits }
    }

    private func put(_ number: Int, into store: DiskStore) {
        let bytes = CacheFixture.bytes(1000, seed: number)
        store.store(variant: CacheFixture.variant(number, of: origin, bytes: bytes), origin: origin, bytes: bytes)
        store.flush()
    }

    private func has(_ number: Int, _ store: DiskStore) -> Bool {
        store.variant(CacheKey(hashing: "variant \(number)")) != nil
    }

    @Test func `evicts the least recently used entries for free space, and no more than needed`() throws {
        let files = ScriptedFiles()
        let store = try open(files, DiskLimits(originals: 1 << 20, variants: 1 << 20, minimumFree: 10_000))
        for number in 1...5 { put(number, into: store) }
        #expect(has(1, store))
        store.flush()
        // 600 bytes are missing for the minimum of 10,000 and the object's 1000; every eviction frees 1000.
        let entries: @Sendable () -> Int = { store.statistics.variants.entries }
        files.setFree { 10_400 + (5 - entries()) * 1000 }
        put(6, into: store)
        #expect(store.health == .healthy)
        #expect(has(1, store) && !has(2, store) && has(6, store))
        #expect(store.statistics.variants.evictions == 1 && store.statistics.drops == 0)
        store.close()
    }

    @Test func `stores nothing while free space is short, reports it, continues to serve, and recovers`() throws {
        let files = ScriptedFiles()
        let said = Lock<[DiskHealth]>([])
        let store = try DiskStore.forTest(folder.path, time: time, files: files) {
            $0.limits = DiskLimits(originals: 1 << 20, variants: 1 << 20, minimumFree: 10_000)
            $0.healthChanged = { health in said.withLock { $0.append(health) } }
        }
        for number in 1...5 { put(number, into: store) }
        // Others use the space, and evictions free nothing.
        files.setFree { 10_500 }
        for number in 6...8 { put(number, into: store) }
        #expect(said.withLock { $0.count } == 1)
        #expect(store.health.description.contains("less than cache.min-free (10000)"))
        #expect(store.statistics.drops == 3)
        #expect(has(5, store), "entries are not evicted for a write that cannot succeed")
        files.setFree { 1 << 30 }
        time.advance(seconds: 2)
        store.flush()
        store.flush()
        #expect(store.health == .healthy && said.withLock { $0.count } == 2)
        put(9, into: store)
        #expect(has(9, store))
        store.close()
    }

    @Test func `tells which variants' files it has deleted, and that any may be if evictions free nothing`() throws {
        let files = ScriptedFiles()
        let store = try open(files, DiskLimits(originals: 1 << 20, variants: 1 << 20, minimumFree: 10_000))
        let told = Lock<[DeletedFiles]>([])
        store.observeDeletions { [path = folder.path] deleted in
            told.withLock { $0.append(deleted) }
            guard case .variants(let keys) = deleted else { return }
            let names = CacheFixture.files(.variants, in: path)
            #expect(keys.allSatisfy { key in !names.contains { $0.hasPrefix(key.description) } })
        }
        for number in 1...5 { put(number, into: store) }
        #expect(told.withLock { $0 } == [])
        files.setFree { 10_500 }
        put(6, into: store)
        let keys = (1...2).map { CacheKey(hashing: "variant \($0)") }
        #expect(told.withLock { $0 } == [.variants([keys[0]]), .any])
        store.drop(variant: keys[1], digest: CacheKey(hashing: CacheFixture.bytes(1000, seed: 2)))
        store.flush()
        #expect(told.withLock { $0 } == [.variants([keys[0]]), .any, .variants([keys[1]])])
        store.close()
    }

    @Test func `evicts in small steps when others need the space`() throws {
        let files = ScriptedFiles()
        let store = try open(files, DiskLimits(originals: 1 << 20, variants: 1 << 20, minimumFree: 10_000))
        for number in 1...9 { put(number, into: store) }
        let entries: @Sendable () -> Int = { store.statistics.variants.entries }
        files.setFree { 7000 + (9 - entries()) * 1000 }
        time.advance(seconds: 2)
        while entries() > 6 { store.flush() }
        store.flush()
        #expect(entries() == 6)
        #expect((7...9).allSatisfy { has($0, store) })
        store.close()
    }

    /// A store with one entry on a file system that is full as long as there is any.
    private func filled(_ files: ScriptedFiles, _ said: Signal<[DiskHealth]>) throws -> DiskStore {
        let store = try DiskStore.forTest(folder.path, time: time, files: files) {
            $0.healthChanged = { health in said.update { $0.append(health) } }
        }
        put(1, into: store)
        let isFull: @Sendable () -> Bool = { [path = folder.path] in !CacheFixture.files(.variants, in: path).isEmpty }
        files.setFree { isFull() ? 0 : 1 << 30 }
        files.setScript { _, call throws(Errno) in
            if call == "write", isFull() { throw Errno(ENOSPC, "injected") }
        }
        put(2, into: store)
        time.advance(seconds: 6)
        store.flush()
        #expect(store.health != .healthy && has(1, store))
        return store
    }

    private func purgeAll(_ store: DiskStore) {
        let isPending = Lock<Bool?>(nil)
        #expect(store.tombstone(.all))
        #expect(store.remove(.all) { counts in isPending.withLock { $0 = counts.isDiskPending } })
        store.flush()
        #expect(isPending.withLock { $0 } == true && !has(1, store))
    }

    @Test func `a purge makes room on a file system that the store has filled`() throws {
        let said = Signal<[DiskHealth]>([])
        let store = try filled(ScriptedFiles(), said)
        purgeAll(store)
        time.advance(seconds: 6)
        store.flush()
        #expect(store.health == .healthy && said.value.count == 2)
        put(3, into: store)
        #expect(has(3, store) && !has(1, store))
        store.close()
    }

    @Test func `a purge that makes too little room is carried out, but nothing is stored`() throws {
        let (files, said) = (ScriptedFiles(), Signal<[DiskHealth]>([]))
        let store = try filled(files, said)
        files.setFree { 0 }
        purgeAll(store)
        time.advance(seconds: 6)
        store.flush()
        #expect(store.count(.all) == PurgeCounts() && CacheFixture.files(.variants, in: folder.path).isEmpty)
        put(3, into: store)
        #expect(store.health != .healthy && !has(3, store) && said.value.count == 1)
        files.setFree { 1 << 30 }
        time.advance(seconds: 6)
        put(4, into: store)
        #expect(store.health == .healthy && has(4, store) && said.value.count == 2)
        store.close()
    }

    @Test func `a purge that an earlier process has left on a full file system forgets failures`() throws {
        let failure = KeptFailure(
            key: CacheFixture.key(1),
            origin: origin.key,
            source: "photos",
            identity: "http://origin.test/1",
            url: "http://origin.test/1",
            plan: nil,
            kind: .undecodable,
            word: "broken",
            payload: "bad",
            failures: 1,
            until: 2_000_000_000,
            hasStored: false
        )
        let first = try DiskStore.forTest(folder.path, time: time)
        first.keep(failure)
        first.flush()
        first.close()
        let files = ScriptedFiles()
        let second = try filled(files, Signal<[DiskHealth]>([]))
        #expect(second.keptFailures(limit: 1) == [failure])
        purgeAll(second)
        second.close()
        let third = try DiskStore.forTest(folder.path, time: time, files: files)
        #expect(third.health != .healthy)
        do {
            var index = try DiskIndex.writing(DiskFolder(path: folder.path).index)
            let kept = try index.failures(limit: 1)
            #expect(kept == [failure])
        }
        time.advance(seconds: 6)
        third.flush()
        #expect(third.health == .healthy && third.keptFailures(limit: 1).isEmpty)
        #expect(third.count(.all) == PurgeCounts() && CacheFixture.files(.variants, in: folder.path).isEmpty)
        third.close()
    }

    @Test func `drops entries unused for the maximum age`() throws {
        let store = try open(SystemFiles(), DiskLimits(originals: 1 << 20, variants: 1 << 20, maximumAge: 7200))
        store.flush()
        for number in 1...3 { put(number, into: store) }
        // The clock is trusted after it has run evenly for an hour.
        for _ in 0..<70 {
            time.advance(seconds: 60)
            store.flush()
        }
        #expect(has(3, store))
        store.flush()
        for _ in 0..<60 {
            time.advance(seconds: 60)
            store.flush()
        }
        while store.statistics.variants.entries > 1 { store.flush() }
        #expect(has(3, store) && !has(1, store) && !has(2, store))
        #expect(store.statistics.expirations == 2)
        store.close()
    }

    @Test(arguments: [315_360_000, -315_360_000, -3600] as [Int64])
    func `keeps its entries, their order and its totals when the clock jumps`(seconds: Int64) throws {
        let store = try open(SystemFiles(), DiskLimits(originals: 1 << 20, variants: 5000, maximumAge: 86_400))
        for number in 1...4 { put(number, into: store) }
        time.advance(seconds: 5000)
        store.flush()
        time.set(wallSeconds: time.wallSeconds + seconds)
        for _ in 0..<10 {
            time.advance(seconds: 60)
            store.flush()
        }
        #expect(store.statistics.expirations == 0)
        for number in 1...4 { #expect(has(number, store)) }
        #expect(has(1, store))
        store.flush()
        // Two is the least recently used, regardless of the clock.
        put(5, into: store)
        put(6, into: store)
        #expect(!has(2, store) && has(1, store) && has(6, store))
        #expect(store.health == .healthy)
        store.close()
    }
}
