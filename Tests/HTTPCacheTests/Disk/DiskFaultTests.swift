import CacheTestSupport
import Glibc
import HTTPSemantics
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache

@Suite(.timeLimit(.minutes(1)))
struct DiskFaultTests {
    private let folder: TemporaryFolder
    private let path: String
    private let time = ManualTime()
    private let bytes = CacheFixture.bytes(100)
    private let origin = CacheFixture.origin(1, body: CacheFixture.bytes(100))

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path + "/cache"
    }

    private func put(_ number: Int, into store: DiskStore) {
        // Equal bytes would share a file.
        let bytes = CacheFixture.bytes(bytes.count, seed: number)
        store.store(variant: CacheFixture.variant(number, of: origin, bytes: bytes), origin: origin, bytes: bytes)
        store.flush()
    }

    private func key(_ number: Int) -> CacheKey { CacheKey(hashing: "variant \(number)") }

    @Test func `refuses a folder in use by another store, until that is closed`() throws {
        let first = try DiskStore.forTest(path)
        #expect(throws: DiskStoreError.locked(path: path)) { try DiskStore.forTest(path) }
        // The refusal did not affect the first store.
        put(1, into: first)
        #expect(first.variant(key(1)) != nil)
        first.close()
        let second = try DiskStore.forTest(path)
        #expect(second.variant(key(1)) != nil)
        second.close()
    }

    @Test func `has other files closed, and reads again, if there is no descriptor`() throws {
        let (files, relief) = (FaultyFiles(), DescriptorRelief())
        let store = try DiskStore.forTest(path, files: files) { $0.relief = relief }
        put(1, into: store)
        files.fail(.open, with: EMFILE)
        #expect(store.variant(key(1)) == nil && store.statistics.errors == 1)
        relief.set {
            files.fail(.open, with: nil)
            return 1
        }
        #expect(store.variant(key(1)) != nil && store.statistics.errors == 1)
        store.close()
    }

    @Test func `refuses a folder of a newer version and leaves it unchanged`() throws {
        let first = try DiskStore.forTest(path)
        put(1, into: first)
        first.close()
        do {
            var connection = try SQLiteConnection(path: path + "/index.sqlite", access: .readWrite)
            _ = try connection.run("PRAGMA user_version = 99")
        }
        let before = CacheFixture.files(.variants, in: path)
        let supported = DiskIndex.migrations.count
        let expected = DiskStoreError.newerVersion(path: path, found: 99, supported: supported)
        #expect(throws: expected) { try DiskStore.forTest(path) }
        #expect(expected.description.contains("newer release"))
        #expect(CacheFixture.files(.variants, in: path) == before)
        var connection = try SQLiteConnection(path: path + "/index.sqlite", access: .readWrite)
        #expect(try connection.schemaVersion() == 99)
        #expect(try connection.first("SELECT count(*) FROM variants") { $0.integer(0) } == 1)
    }

    @Test func `refuses a folder with foreign content`() throws {
        try SystemFiles().makeFolder(path)
        try SystemFiles().makeFolder(path + "/originals")
        try CacheFixture.write([1], to: path + "/originals/holiday.jpg")
        #expect(throws: DiskStoreError.foreignFolder(path: path)) { try DiskStore.forTest(path) }
        #expect(TemporaryFolder.names(in: path) == ["originals"])
    }

    @Test(arguments: [[UInt8](repeating: 7, count: 9000), Array("SQLite format 3\u{0}".utf8), []])
    func `replaces an index that is not a database, and rebuilds it from the files`(garbage: [UInt8]) throws {
        let first = try DiskStore.forTest(path)
        put(1, into: first)
        first.close()
        try CacheFixture.write(garbage, to: path + "/index.sqlite")
        let losses = Lock(0)
        let store = try DiskStore.forTest(path) { $0.indexLost = { losses.withLock { $0 += 1 } } }
        #expect(store.health == .healthy && losses.withLock { $0 } == 1)
        #expect(store.variant(key(1)) == nil)
        put(2, into: store)
        #expect(store.variant(key(2)) != nil)
        store.reconcile()
        store.flush()
        #expect(store.variant(key(1)) != nil)
        #expect(CacheFixture.files(.variants, in: path).count == 2)
        #expect(store.statistics.rebuilds == (garbage.isEmpty ? 0 : 1))
        store.close()
        try DiskStore.forTest(path) { $0.indexLost = { losses.withLock { $0 += 1 } } }.close()
        #expect(losses.withLock { $0 } == 1)
    }

    @Test func `replaces an index that a reader finds damaged`() throws {
        let first = try DiskStore.forTest(path) { $0.queueCount = 10_000 }
        for number in 0..<500 {
            first.store(variant: CacheFixture.variant(number, of: origin, bytes: bytes), origin: origin, bytes: bytes)
        }
        first.close()
        // Only bytes that opening does not read, beyond those of an empty index.
        let empty = try TemporaryFolder()
        try DiskStore.forTest(empty.path).close()
        func length(_ path: String) throws -> Int {
            try CacheFixture.readAll(try SystemFiles().open(path, flags: O_RDONLY)).count
        }
        let index = path + "/index.sqlite"
        let start = try length(empty.path + "/index.sqlite")
        let file = try SystemFiles().open(index, flags: O_RDWR)
        let junk = [UInt8](repeating: 0xA5, count: try length(index) - start)
        #expect(unsafe pwrite(file.number, junk, junk.count, off_t(start)) == junk.count)
        let store = try DiskStore.forTest(path)
        for number in 0..<500 { #expect(store.variant(key(number)) == nil) }
        store.flush()
        #expect(store.statistics.errors > 0)
        #expect(store.statistics.rebuilds == 1)
        put(1000, into: store)
        #expect(store.variant(key(1000)) != nil)
        #expect(store.health == .healthy)
        store.close()
    }

    @Test(arguments: [FaultyFiles.Call.create, .write, .rename], [ENOSPC, EROFS, EIO])
    func `drops what it cannot write, reports it, continues to serve, and recovers`(
        call: FaultyFiles.Call,
        code: CInt
    ) throws {
        let files = FaultyFiles()
        let store = try DiskStore.forTest(path, time: time, files: files)
        put(1, into: store)
        files.fail(call, with: code)
        put(2, into: store)
        guard case .degraded(let reason) = store.health else {
            Issue.record("not degraded")
            return
        }
        #expect(reason.contains("injected"))
        #expect(store.statistics.drops == 1)
        #expect(store.variant(key(1)) != nil)
        #expect(store.variant(key(2)) == nil)
        // Too early to retry, although the disk works again.
        files.fail(call, with: nil)
        time.advance(seconds: 4)
        put(3, into: store)
        #expect(store.statistics.drops == 2)
        time.advance(seconds: 2)
        put(4, into: store)
        #expect(store.health == .healthy)
        #expect(store.variant(key(4)) != nil)
        #expect(store.variant(key(1)) != nil)
        #expect(TemporaryFolder.names(in: path + "/tmp").isEmpty)
        store.close()
    }

    @Test func `stays degraded while the disk fails`() throws {
        let files = FaultyFiles()
        let store = try DiskStore.forTest(path, time: time, files: files)
        files.fail(.write, with: ENOSPC)
        for number in 1...5 {
            put(number, into: store)
            time.advance(seconds: 10)
            #expect(store.health != .healthy)
        }
        #expect(store.statistics.drops == 5)
        store.close()
    }

    @Test func `a failed read is a miss without further effect`() throws {
        let files = FaultyFiles()
        let store = try DiskStore.forTest(path, time: time, files: files)
        put(1, into: store)
        for call in [FaultyFiles.Call.open, .size] {
            files.fail(call, with: EIO)
            #expect(store.variant(key(1)) == nil)
            files.fail(call, with: nil)
            store.flush()
            #expect(store.variant(key(1)) != nil)
        }
        #expect(store.statistics.errors == 2)
        store.close()
    }

    @Test func `opens degraded if the folder is not writable, and recovers when it is`() throws {
        let files = FaultyFiles()
        files.fail(.create, with: EROFS)
        let store = try DiskStore.forTest(path, time: time, files: files)
        #expect(store.health != .healthy)
        put(1, into: store)
        #expect(store.variant(key(1)) == nil)
        #expect(store.origin(origin.key) == nil)
        files.fail(.create, with: nil)
        time.advance(seconds: 6)
        put(2, into: store)
        #expect(store.health == .healthy)
        #expect(store.variant(key(2)) != nil)
        store.close()
    }

    @Test func `opens degraded if the folder cannot be created`() throws {
        try CacheFixture.write([1], to: folder.path + "/file")
        let store = try DiskStore.forTest(folder.path + "/file/cache", time: time)
        guard case .degraded(let reason) = store.health else {
            Issue.record("not degraded")
            return
        }
        #expect(reason.hasPrefix(folder.path + "/file/cache: ") && reason.contains("cache.path"), "\(reason)")
        put(1, into: store)
        #expect(store.variant(key(1)) == nil)
        #expect(store.statistics.drops == 1)
        store.close()
    }

    @Test func `recreates a folder that has disappeared`() throws {
        let store = try DiskStore.forTest(path, time: time)
        put(1, into: store)
        #expect(store.variant(key(1)) != nil)
        TemporaryFolder.delete(path)
        #expect(store.variant(key(1)) == nil)
        put(2, into: store)
        // At the latest, after the pause between retries.
        time.advance(seconds: 6)
        put(3, into: store)
        #expect(store.health == .healthy)
        #expect(store.variant(key(3)) != nil)
        #expect(store.variant(key(1)) == nil)
        // The lock is on the new folder.
        #expect(throws: DiskStoreError.locked(path: path)) { try DiskStore.forTest(path) }
        store.close()
    }

    @Test func `keeps removals while the folder is missing`() throws {
        let files = FaultyFiles()
        let store = try DiskStore.forTest(path, time: time, files: files)
        put(1, into: store)
        files.fail(.write, with: ENOSPC)
        put(2, into: store)
        #expect(store.variant(key(1)) != nil)
        store.remove(origin: origin.key)
        store.remove(origin: origin.key)
        store.flush()
        #expect(store.variant(key(1)) == nil)
        files.fail(.write, with: nil)
        time.advance(seconds: 6)
        store.flush()
        #expect(store.health == .healthy)
        #expect(store.variant(key(1)) == nil)
        #expect(CacheFixture.files(.variants, in: path).isEmpty)
        put(3, into: store)
        #expect(store.variant(key(3)) != nil)
        store.close()
    }

    @Test func `calls the completion of a flush even when closed or degraded`() throws {
        let files = FaultyFiles()
        files.fail(.makeFolder, with: EACCES)
        let store = try DiskStore.forTest(path, time: time, files: files)
        store.flush()
        store.close()
        store.flush()
        store.close()
    }
}
