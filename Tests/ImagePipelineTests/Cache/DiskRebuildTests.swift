import CacheTestSupport
import Glibc
import HTTPSemantics
import ImagePlan
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache
@testable import ImagePipeline

@Suite(.timeLimit(.minutes(1)))
struct DiskRebuildTests {
    private let folder: TemporaryFolder
    private let path: String
    private let layout: DiskFolder
    private let body = CacheFixture.bytes(500, seed: 1)
    private let origin = CacheFixture.origin(1, body: CacheFixture.bytes(500, seed: 1))

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path + "/cache"
        layout = DiskFolder(path: path)
    }

    private func bytes(_ number: Int) -> [UInt8] { CacheFixture.bytes(100, seed: number) }

    private func record(_ number: Int, of origin: OriginRecord? = nil) -> VariantRecord {
        CacheFixture.variant(number, of: origin ?? self.origin, bytes: bytes(number))
    }

    private func file(_ number: Int) -> String {
        layout.file(.variants, record(number).key, record(number).digest)
    }

    /// A closed folder with an original and three variants, whose index is missing.
    private func fillAndLose() throws {
        let store = try DiskStore.forTest(path)
        store.store(origin: origin, body: try CacheFixture.body(body))
        for number in 1...3 { store.store(variant: record(number), origin: origin, bytes: bytes(number)) }
        store.close()
        loseIndex()
    }

    private func loseIndex() {
        for suffix in ["", "-wal", "-shm"] { TemporaryFolder.delete(layout.index + suffix) }
    }

    @Test func `rebuilds a lost index from the files, with all originals stale`() throws {
        try fillAndLose()
        let store = try DiskStore.forTest(path)
        #expect(store.variant(record(1).key) == nil)
        store.reconcile()
        store.flush()
        var stale = origin
        stale.freshness.lifetime = 0
        #expect(!stale.freshness.isFresh(at: 0))
        for number in 1...3 {
            let stored = try #require(store.variant(record(number).key))
            #expect(stored.record == record(number))
            #expect(stored.origin == stale)
            #expect(try CacheFixture.read(stored.file) == bytes(number))
        }
        let original = try #require(store.origin(origin.key))
        #expect(original.record == stale)
        #expect(try CacheFixture.read(#require(original.file)) == body)
        #expect(store.statistics.adoptions == 4)
        #expect(store.statistics.variants.bytes == 300 && store.statistics.originals.bytes == 500)
        store.close()
        // Only once: from now on a file without a row is an orphan again.
        var index = try DiskIndex.writing(layout.index)
        let isRebuilding = try index.isRebuilding()
        #expect(!isRebuilding)
    }

    @Test func `rebuilds the index by itself in the background`() throws {
        try fillAndLose()
        let store = try DiskStore.forTest(path) { $0.reconciles = true }
        while store.statistics.adoptions < 4 { store.flush() }
        #expect(store.health == .healthy)
        store.close()
    }

    @Test func `continues an interrupted rebuild`() throws {
        try fillAndLose()
        // Opened and closed before anything could be adopted.
        try DiskStore.forTest(path).close()
        let store = try DiskStore.forTest(path)
        store.reconcile()
        store.flush()
        #expect(store.statistics.adoptions == 4)
        store.close()
    }

    @Test(arguments: [
        PurgeSelection.originals([CacheFixture.origin(1, body: []).key]), .source("photos"), .all,
        .confirmedBefore(.max), .prefixes([OriginPrefix(source: "photos", url: "https://photos.example.com/")]),
    ])
    func `does not adopt files that were purged meanwhile`(selection: PurgeSelection) throws {
        try fillAndLose()
        var store = try DiskStore.forTest(path)
        #expect(store.tombstone(selection))
        #expect(store.remove(selection, completion: nil))
        store.flush()
        // Nor after a restart.
        store.close()
        store = try DiskStore.forTest(path)
        store.reconcile()
        store.flush()
        #expect(store.statistics.adoptions == 0)
        #expect(store.origin(origin.key) == nil)
        #expect(CacheFixture.files(.variants, in: path).isEmpty)
        #expect(CacheFixture.files(.originals, in: path).isEmpty)
        store.close()
    }

    @Test func `prefers an existing row to a trailer`() throws {
        try fillAndLose()
        let store = try DiskStore.forTest(path)
        let newBody = CacheFixture.bytes(400, seed: 9)
        let newer = CacheFixture.origin(1, body: newBody, responseTime: 2000)
        store.store(origin: newer, body: try CacheFixture.body(newBody))
        store.reconcile()
        store.flush()
        #expect(store.origin(origin.key)?.record == newer)
        for number in 1...3 { #expect(store.variant(record(number).key) == nil) }
        #expect(CacheFixture.files(.variants, in: path).isEmpty)
        #expect(CacheFixture.files(.originals, in: path).count == 1)
        store.close()
    }

    @Test func `adopts no file whose trailer is damaged, truncated, or of another name`() throws {
        try fillAndLose()
        let whole = try CacheFixture.readAll(try SystemFiles().open(file(1), flags: O_RDONLY))
        for position in 100..<whole.count {
            var damaged = whole
            damaged[position] ^= 0x40
            try CacheFixture.write(damaged, to: file(1))
            let found = try ContentTrailer.read(SystemFiles().open(file(1), flags: O_RDONLY), SystemFiles())
            // One bit can make it a later release's; two bytes of the footer mean nothing.
            switch found {
            case .none: break
            case .newer: #expect([whole.count - 16, whole.count - 15].contains(position))
            case .trailer: Issue.record("byte \(position)")
            }
        }
        for length in 0..<whole.count {
            try CacheFixture.write(Array(whole.prefix(length)), to: file(1))
            let found = try ContentTrailer.read(SystemFiles().open(file(1), flags: O_RDONLY), SystemFiles())
            guard case .none = found else {
                Issue.record("cut to \(length)")
                continue
            }
        }
        // A whole file under another's name.
        try CacheFixture.write(whole, to: file(2))
        let store = try DiskStore.forTest(path)
        store.reconcile()
        store.flush()
        #expect(store.statistics.adoptions == 2)
        #expect(store.variant(record(1).key) == nil && store.variant(record(2).key) == nil)
        #expect(CacheFixture.files(.variants, in: path).count == 1)
        store.close()
    }

    @Test func `reads a record with unknown fields, and keeps them`() throws {
        var fields = TaggedFields()
        fields.put(60_000, [1, 2, 3])
        let bytes = origin.encoded + fields.bytes
        var record = try #require(OriginRecord(encoded: bytes[...]))
        #expect(record.encoded == bytes)
        record.unknown = TaggedFields()
        #expect(record == origin)
        #expect(OriginRecord(encoded: origin.encoded.dropLast()) == nil)
    }

    @Test func `unknown metadata is kept when known fields change`() throws {
        var fields = TaggedFields()
        fields.put(60_000, [1, 2, 3])
        var record = origin
        record.metadata += fields.bytes
        record.header.width = 7
        #expect(record.header.width == 7 && record.metadata.suffix(fields.bytes.count) == fields.bytes[...])
        var variant = self.record(1)
        variant.metadata += fields.bytes
        variant.isStandIn = true
        #expect(variant.isStandIn && variant.metadata.suffix(fields.bytes.count) == fields.bytes[...])
    }

    @Test func `does not change files of a newer release`() throws {
        try fillAndLose()
        let tag = Array("Signature: 8a477f597d28d172789f06886806bc55\n# Edgeprint\n# Layout: 99\n".utf8)
        try CacheFixture.write(tag, to: layout.tag)
        let expected = DiskStoreError.newerVersion(path: path, found: 99, supported: DiskIndex.migrations.count)
        #expect(throws: expected) { try DiskStore.forTest(path) }
        #expect(CacheFixture.files(.variants, in: path).count == 3)
    }

    @Test func `keeps a folder of the first layout, whose files have no trailers`() throws {
        try CacheFixture.copyTree(CacheFixture.oldFolder, to: path)
        let rows: [(key: CacheKey, digest: CacheKey)]
        do {
            var index = try SQLiteConnection(path: layout.index, access: .readWrite)
            rows = try index.all("SELECT key, digest FROM variants") { row in
                row.key(0).flatMap { key in row.key(1).map { (key, $0) } }
            }.compactMap(\.self)
            try index.execute(
                """
                \(CacheFixture.undoPurgeColumns)
                ALTER TABLE origins DROP COLUMN trailer; ALTER TABLE variants DROP COLUMN trailer;
                DROP TABLE rebuilding; DROP TABLE removed; PRAGMA user_version = 1;
                """
            )
        }
        #expect(rows.count == 6)
        for row in rows {
            let file = layout.file(.variants, row.key, row.digest)
            try CacheFixture.write(CacheFixture.read(SystemFiles().open(file, flags: O_RDONLY)), to: file)
        }
        let later = try DiskStore.forTest(path)
        for row in rows {
            let stored = try #require(later.variant(row.key))
            #expect(stored.record.digest == row.digest && stored.origin.header.format == .png)
        }
        later.reconcile()
        later.flush()
        for row in rows { #expect(later.variant(row.key) != nil) }
        later.close()
    }

    @Test func `detects a corrupt body on its first read after the start, and removes it`() throws {
        let first = try DiskStore.forTest(path)
        first.store(origin: origin, body: try CacheFixture.body(body))
        for number in 1...3 { first.store(variant: record(number), origin: origin, bytes: bytes(number)) }
        first.close()
        let original = layout.file(.originals, origin.key, origin.digest)
        for name in [file(1), file(2), original] {
            var content = try CacheFixture.readAll(try SystemFiles().open(name, flags: O_RDONLY))
            content[50] ^= 1
            try CacheFixture.write(content, to: name)
        }
        let store = try DiskStore.forTest(path)
        #expect(store.variant(record(1).key) == nil && store.variant(record(2).key) == nil)
        #expect(store.variant(record(3).key) != nil)
        #expect(store.origin(origin.key)?.record == origin && store.origin(origin.key)?.file == nil)
        store.flush()
        #expect(store.statistics.corruptions >= 3)
        #expect(store.statistics.variants.entries == 1 && store.statistics.originals.entries == 0)
        #expect(CacheFixture.files(.variants, in: path).count == 1)
        #expect(CacheFixture.files(.originals, in: path).isEmpty)
        // Stored again, it is valid.
        store.store(variant: record(1), origin: origin, bytes: bytes(1))
        store.flush()
        #expect(store.variant(record(1).key) != nil)
        store.close()
    }

    @Test func `an unreadable body is a miss, and is kept`() throws {
        let first = try DiskStore.forTest(path)
        first.store(variant: record(1), origin: origin, bytes: bytes(1))
        first.close()
        let files = FaultyFiles()
        let store = try DiskStore.forTest(path, files: files)
        files.fail(.read, with: EIO)
        #expect(store.variant(record(1).key) == nil)
        store.flush()
        files.fail(.read, with: nil)
        #expect(store.variant(record(1).key) != nil)
        #expect(store.statistics.corruptions == 0 && store.statistics.errors == 1)
        store.close()
    }

    @Test func `records verified bodies, within its bound`() {
        let table = VerifiedBodies(capacity: 64)
        let keys = (0..<1000).map { CacheFixture.key($0) }
        #expect(!table.contains(keys[0], keys[1]))
        table.insert(keys[0], keys[1])
        #expect(table.contains(keys[0], keys[1]) && !table.contains(keys[0], keys[2]))
        for key in keys { table.insert(key, key) }
        #expect(keys.count { table.contains($0, $0) } <= 64)
        #expect(table.contains(keys[999], keys[999]))
    }

    @Test func `forgets next to none of the verified bodies while it grows`() {
        let table = VerifiedBodies(capacity: 1 << 16)
        let keys = (0..<10_000).map { CacheFixture.key($0) }
        for key in keys { table.insert(key, key) }
        #expect(keys.count { table.contains($0, $0) } > 9_900)
        #expect(!keys.contains { table.contains($0, CacheFixture.key(10_000)) })
    }
}
