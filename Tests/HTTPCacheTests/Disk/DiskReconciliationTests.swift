import CacheTestSupport
import Glibc
import HTTPSemantics
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache

@Suite(.timeLimit(.minutes(1)))
struct DiskReconciliationTests {
    private let folder: TemporaryFolder
    private let layout: DiskFolder
    private let origin = CacheFixture.origin(1, body: CacheFixture.bytes(500, seed: 1))

    init() throws {
        folder = try TemporaryFolder()
        layout = DiskFolder(path: folder.path)
    }

    private func record(_ number: Int) -> VariantRecord {
        CacheFixture.variant(number, of: origin, bytes: CacheFixture.bytes(100, seed: number))
    }

    private func file(_ number: Int) -> String {
        layout.file(.variants, record(number).key, record(number).digest)
    }

    /// A closed folder with an original and six variants.
    private func fill() throws {
        let store = try DiskStore.forTest(folder.path)
        store.store(origin: origin, body: try CacheFixture.body(CacheFixture.bytes(500, seed: 1)))
        for number in 1...6 {
            store.store(variant: record(number), origin: origin, bytes: CacheFixture.bytes(100, seed: number))
        }
        store.close()
    }

    @Test func `a missing, short or long file is a miss, and its row is dropped`() throws {
        try fill()
        TemporaryFolder.delete(file(1))
        try CacheFixture.write(CacheFixture.bytes(99), to: file(2))
        try CacheFixture.write(CacheFixture.bytes(101), to: file(3))
        TemporaryFolder.delete(layout.file(.originals, origin.key, origin.digest))
        let damaged = Lock<[String]>([])
        let store = try DiskStore.forTest(folder.path) {
            $0.fileDamaged = { path in damaged.withLock { $0.append(path) } }
        }
        for number in 1...3 { #expect(store.variant(record(number).key) == nil) }
        for number in 4...6 { #expect(store.variant(record(number).key) != nil) }
        #expect(store.origin(origin.key)?.record == origin)
        #expect(store.origin(origin.key)?.file == nil)
        store.flush()
        // A missing file is not damaged.
        #expect(damaged.withLock { $0 } == [file(2), file(3)] && store.statistics.corruptions == 2)
        #expect(store.statistics.variants.entries == 3)
        #expect(store.statistics.variants.bytes == 300)
        #expect(store.statistics.originals.entries == 0)
        #expect(store.statistics.originals.bytes == 0)
        #expect(CacheFixture.files(.variants, in: folder.path).count == 3)
        #expect(store.health == .healthy)
        store.close()
    }

    @Test func `keeps the row of a file that temporarily cannot be opened`() throws {
        try fill()
        let files = FaultyFiles()
        let store = try DiskStore.forTest(folder.path, files: files)
        files.fail(.open, with: EMFILE)
        #expect(store.variant(record(1).key) == nil)
        store.flush()
        files.fail(.open, with: nil)
        #expect(store.variant(record(1).key) != nil)
        store.close()
    }

    @Test func `removes files without rows, rows without files, and temporary files`() throws {
        try fill()
        TemporaryFolder.delete(file(1))
        try CacheFixture.write(CacheFixture.bytes(3), to: file(2))
        let orphan = DiskFolder.name(CacheFixture.key(1), CacheFixture.key(2))
        let neighbour = file(3).dropLast(81)
        try CacheFixture.write([1], to: neighbour + orphan)
        // A file of another body next to the valid one.
        let stale = DiskFolder.name(record(4).key, CacheFixture.key(9))
        try CacheFixture.write([1], to: file(4).dropLast(81) + stale)
        // Not a name of the cache, so it is kept.
        try CacheFixture.write([1], to: neighbour + "README")
        try CacheFixture.write([1, 2, 3], to: layout.temporary + "/17")
        try SystemFiles().makeFolder(layout.root(of: .originals) + "/zz")
        let store = try DiskStore.forTest(folder.path)
        store.reconcile()
        store.flush()
        #expect(store.statistics.variants.entries == 4)
        #expect(store.statistics.variants.bytes == 400)
        let wanted = ((3...6).map { String(file($0).suffix(81)) } + ["README"]).sorted()
        #expect(CacheFixture.files(.variants, in: folder.path) == wanted)
        #expect(CacheFixture.files(.originals, in: folder.path).count == 1)
        #expect(TemporaryFolder.names(in: layout.temporary).isEmpty)
        for number in 3...6 { #expect(store.variant(record(number).key) != nil) }
        store.close()
    }

    @Test func `removes empty fan-out folders, and no others`() throws {
        try fill()
        let (files, root) = (SystemFiles(), layout.root(of: .variants))
        let names = Set(TemporaryFolder.names(in: root))
        let free = try #require(
            (0..<256).map { String($0 + 256, radix: 16).suffix(2) }.first { !names.contains(String($0)) }
        )
        let outer = "\(root)/\(free)"
        try files.makeFolder(outer)
        for inner in ["00", "01", "zz"] { try files.makeFolder("\(outer)/\(inner)") }
        try CacheFixture.write([1], to: "\(outer)/01/README")
        TemporaryFolder.delete(file(1))
        let store = try DiskStore.forTest(folder.path)
        store.reconcile()
        store.flush()
        #expect(TemporaryFolder.names(in: outer).sorted() == ["01", "zz"])
        #expect((try? files.open(String(file(1).dropLast(82)), flags: O_RDONLY)) == nil)
        for number in 2...6 { #expect(store.variant(record(number).key) != nil) }
        store.close()
    }

    @Test func `reconciles by itself after the start`() throws {
        try fill()
        try CacheFixture.write([1], to: layout.temporary + "/17")
        TemporaryFolder.delete(file(1))
        let store = try DiskStore.forTest(folder.path) { $0.reconciles = true }
        // Background work has no end to wait for: its steps follow the batches.
        try waitWhile(
            !TemporaryFolder.names(in: layout.temporary).isEmpty || store.statistics.variants.entries != 5
        )
        store.flush()
        store.close()
    }

    @Test func `removes invalid rows left by an older release or a crash`() throws {
        try fill()
        do {
            var index = try DiskIndex.writing(layout.index)
            try index.connection.run(
                "UPDATE variants SET origin_digest = ?1 WHERE key = ?2",
                [.key(CacheFixture.key(1)), .key(record(1).key)]
            )
            try index.connection.run("UPDATE variants SET origin = 77 WHERE key = ?1", [.key(record(2).key)])
            _ = try index.putOrigin(
                CacheFixture.origin(5, body: []),
                hasBody: false,
                use: DiskIndex.Use(order: 1, wallSeconds: 1)
            )
        }
        let store = try DiskStore.forTest(folder.path)
        #expect(store.variant(record(1).key) == nil)
        #expect(store.variant(record(2).key) == nil)
        #expect(store.origin(CacheFixture.origin(5, body: []).key) != nil)
        store.reconcile()
        store.flush()
        #expect(store.statistics.variants.entries == 4)
        #expect(CacheFixture.files(.variants, in: folder.path).count == 4)
        #expect(store.origin(CacheFixture.origin(5, body: []).key) == nil)
        store.close()
    }

    @Test func `recounts wrong totals`() throws {
        try fill()
        do {
            let index = try DiskIndex.writing(layout.index)
            try index.connection.execute("UPDATE totals SET entries = 99, bytes = 1")
        }
        let store = try DiskStore.forTest(folder.path)
        #expect(store.statistics.variants.entries == 99)
        store.reconcile()
        store.flush()
        #expect(store.statistics.variants.entries == 6)
        #expect(store.statistics.variants.bytes == 600)
        #expect(store.statistics.originals.bytes == 500)
        store.close()
    }

    @Test func `survives kill -9 during writes, with nothing wrong and little lost`() async throws {
        let path = folder.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let store = try DiskStore.forTest(path)
            KillFixture.write(0..<200, to: store)
            store.flush()
            // At the kill, these are queued, in tmp, renamed, or partly committed.
            KillFixture.write(200..<1500, to: store)
            try waitWhile(store.statistics.variants.entries < 500)
            kill(getpid(), SIGKILL)
        }
        let store = try DiskStore.forTest(path)
        #expect(store.health == .healthy)
        var found = 0
        for number in 0..<1500 {
            guard let stored = store.variant(CacheKey(hashing: "variant \(number)")) else {
                if number < 200 { Issue.record("lost \(number), which was flushed") }
                continue
            }
            found += 1
            #expect(try CacheFixture.read(stored.file) == KillFixture.bytes(number))
            #expect(stored.record.digest == CacheKey(hashing: KillFixture.bytes(number)))
        }
        #expect(found >= 500)
        store.reconcile()
        store.flush()
        #expect(store.statistics.variants.entries == found)
        #expect(CacheFixture.files(.variants, in: path).count == found)
        #expect(TemporaryFolder.names(in: path + "/tmp").isEmpty)
        store.close()
        print("after kill -9: \(found) of 1500 variants")
    }
}

/// The writes of the process that is killed.
enum KillFixture {
    static func bytes(_ number: Int) -> [UInt8] { CacheFixture.bytes(200 + number % 50, seed: number) }

    static func write(_ numbers: Range<Int>, to store: DiskStore) {
        for number in numbers {
            let origin = CacheFixture.origin(number / 4, body: [1])
            let bytes = bytes(number)
            store.store(variant: CacheFixture.variant(number, of: origin, bytes: bytes), origin: origin, bytes: bytes)
        }
    }
}
