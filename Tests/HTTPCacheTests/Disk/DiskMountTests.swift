import CacheTestSupport
import Glibc
import HTTPSemantics
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache

/// A real file system that is too small or read-only, instead of injected errors.
@Suite(.timeLimit(.minutes(1)), .enabled(if: SmallMount.isPossible, "mounting a tmpfs needs root"))
struct DiskMountTests {
    private let mount: SmallMount
    private let time = ManualTime()
    private let origin = CacheFixture.origin(1, body: CacheFixture.bytes(50))

    init() throws {
        mount = try SmallMount(bytes: 1 << 20)
    }

    private var path: String { mount.path + "/cache" }

    private func bytes(_ number: Int) -> [UInt8] { CacheFixture.bytes(50_000, seed: number) }

    private func put(_ number: Int, into store: DiskStore) {
        let bytes = bytes(number)
        store.store(variant: CacheFixture.variant(number, of: origin, bytes: bytes), origin: origin, bytes: bytes)
        store.flush()
    }

    /// The numbers of the variants found, whose bytes must be correct.
    private func found(_ numbers: ClosedRange<Int>, _ store: DiskStore) throws -> [Int] {
        try numbers.filter { number in
            guard let stored = store.variant(CacheKey(hashing: "variant \(number)")) else { return false }
            let isRight = try CacheFixture.read(stored.file) == bytes(number)
            #expect(isRight)
            return true
        }
    }

    @Test func `fills a file system, serves its content, and continues when space is free again`() throws {
        let said = Lock<[DiskHealth]>([])
        let store = try DiskStore.forTest(path, time: time) {
            $0.healthChanged = { health in said.withLock { $0.append(health) } }
        }
        for number in 1...40 { put(number, into: store) }
        #expect(store.health != .healthy)
        #expect(said.withLock { $0.count } == 1, "once, not with every object")
        let before = try found(1...40, store)
        #expect(before.count > 5 && before.count < 21)
        // Still full: every attempt to recover fails, and stored entries are served.
        for number in 41...43 {
            time.advance(seconds: 6)
            put(number, into: store)
        }
        #expect(try found(1...40, store) == before)
        try mount.resize(bytes: 8 << 20)
        time.advance(seconds: 6)
        for number in 44...60 { put(number, into: store) }
        #expect(store.health == .healthy)
        #expect(try found(44...60, store).count == 17)
        store.reconcile()
        store.flush()
        #expect(try found(1...40, store) == before)
        store.close()
        var damages: [DiskDamage] = []
        _ = try DiskCheck(path: path, listener: .init(found: { damage, _ in damages.append(damage) }))
            .run(repairs: false)
        #expect(damages.isEmpty)
    }

    @Test(arguments: [false, true])
    func `a purge makes room on a file system without a free block, also if one waits that makes none`(
        isSecond: Bool
    ) throws {
        // Large enough for SQLite's log, which takes up to 4 MiB.
        try mount.resize(bytes: 12 << 20)
        let store = try DiskStore.forTest(path, time: time)
        put(1, into: store)
        if isSecond {
            // More originals than one step of a purge, which is a commit of its own, for which there is no room yet.
            for number in 2...80 {
                let body = CacheFixture.bytes(50, seed: number)
                store.store(origin: CacheFixture.origin(number, body: body), body: try CacheFixture.body(body))
            }
            store.flush()
        }
        var last = 1
        while store.health == .healthy {
            last += 1
            put(last, into: store)
        }
        // Else the log has room for the purge.
        do {
            let index = try DiskIndex.writing(DiskFolder(path: path).index)
            try index.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        }
        let files = SystemFiles()
        let filler = try files.open(mount.path + "/filler", flags: O_WRONLY | O_CREAT | O_APPEND)
        while (try? files.write([UInt8](repeating: 1, count: 4096), to: filler)) != nil {}
        #expect(try files.freeBytes(mount.path) == 0)
        time.advance(seconds: 6)
        put(last + 1, into: store)
        #expect(store.health != .healthy)
        #expect(try found(1...1, store) == [1])
        if isSecond {
            let soft = Purge(.source("photos"), staleFrom: time.wallSeconds)
            #expect(store.tombstone(soft))
            #expect(store.remove(soft) { _ in })
        }
        let isPending = Lock<Bool?>(nil)
        #expect(store.tombstone(.all))
        #expect(store.remove(.all) { counts in isPending.withLock { $0 = counts.isDiskPending } })
        store.flush()
        #expect(isPending.withLock { $0 } == true)
        time.advance(seconds: 6)
        put(last + 2, into: store)
        #expect(store.health == .healthy)
        #expect(try found(1...last + 2, store) == [last + 2])
        store.close()
        #expect(CacheFixture.files(.variants, in: path).count == 1)
        #expect(try DiskCheck(path: path, listener: .init(found: { _, _ in })).run(repairs: false).isSound)
    }

    @Test func `leaves the minimum of free space on the file system`() throws {
        // Large enough for SQLite's log, which takes up to 4 MiB.
        try mount.resize(bytes: 12 << 20)
        let store = try DiskStore.forTest(path, time: time) { $0.limits.minimumFree = 2 << 20 }
        for number in 1...300 {
            put(number, into: store)
            #expect(try SystemFiles().freeBytes(mount.path) > 3 << 19, "the log is not counted beforehand")
        }
        #expect(store.statistics.variants.evictions > 100)
        // SQLite's log may have used the last space temporarily; then the store pauses, and recovers by itself.
        time.advance(seconds: 6)
        for number in 301...303 { put(number, into: store) }
        #expect(store.health == .healthy)
        #expect(try found(1...303, store).contains(303))
        store.close()
    }

    @Test func `keeps most entries when others need space while its files are open`() throws {
        // Large enough for SQLite's log, which takes up to 4 MiB.
        try mount.resize(bytes: 16 << 20)
        let store = try DiskStore.forTest(path, time: time) { $0.limits.minimumFree = 2 << 20 }
        let open = Lock<[CacheKey: SharedDescriptor]>([:])
        store.observeDeletions { deleted in
            switch deleted {
            case .variants(let keys): open.withLock { open in for key in keys { open[key] = nil } }
            case .any: open.withLock { $0 = [:] }
            }
        }
        for number in 1...120 {
            put(number, into: store)
            let key = CacheKey(hashing: "variant \(number)")
            let file = try #require(store.variant(key)?.file)
            open.withLock { $0[key] = file }
        }
        store.flush()
        let files = SystemFiles()
        let filler = try files.open(mount.path + "/filler", flags: O_WRONLY | O_CREAT | O_APPEND)
        while try files.freeBytes(mount.path) > 3 << 19 {
            try files.write([UInt8](repeating: 1, count: 65_536), to: filler)
        }
        for number in 121...140 {
            time.advance(seconds: 1)
            put(number, into: store)
            store.flush()
        }
        // 0.5 MiB are missing.
        #expect(store.statistics.variants.entries > 90, "\(store.statistics)")
        #expect(try files.freeBytes(mount.path) > 7 << 18)
        #expect(store.health == .healthy)
        store.close()
    }

    @Test func `misses on a read-only file system, and works once it is writable`() throws {
        let first = try DiskStore.forTest(path)
        put(1, into: first)
        first.close()
        try mount.setReadOnly(true)
        let store = try DiskStore.forTest(path, time: time)
        #expect(store.health != .healthy)
        put(2, into: store)
        #expect(try found(1...2, store) == [])
        try mount.setReadOnly(false)
        time.advance(seconds: 6)
        put(3, into: store)
        #expect(store.health == .healthy)
        #expect(try found(1...3, store) == [1, 3])
        store.close()
    }

    @Test func `misses while the file system is hidden, and finds its entries afterwards`() throws {
        let store = try DiskStore.forTest(path, time: time)
        put(1, into: store)
        try mount.hide()
        #expect(try found(1...1, store) == [])
        put(2, into: store)
        #expect(store.health != .healthy)
        time.advance(seconds: 6)
        put(3, into: store)
        try mount.unhide()
        time.advance(seconds: 6)
        put(4, into: store)
        time.advance(seconds: 6)
        put(5, into: store)
        #expect(store.health == .healthy)
        #expect(try found(5...5, store) == [5])
        store.close()
    }
}
