import CacheTestSupport
import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache

@Suite(.timeLimit(.minutes(1)))
struct DiskCheckTests {
    let folder: TemporaryFolder
    let layout: DiskFolder
    private let body = CacheFixture.bytes(500, seed: 1)
    let origin: OriginRecord

    init() throws {
        folder = try TemporaryFolder()
        layout = DiskFolder(path: folder.path)
        origin = CacheFixture.origin(1, body: body)
    }

    func record(_ number: Int) -> VariantRecord {
        CacheFixture.variant(number, of: origin, bytes: CacheFixture.bytes(100, seed: number))
    }

    private func file(_ number: Int) -> String {
        layout.file(.variants, record(number).key, record(number).digest)
    }

    private var originFile: String { layout.file(.originals, origin.key, origin.digest) }

    /// A closed folder with an original and four variants.
    func fill() throws {
        let store = try DiskStore.forTest(folder.path)
        store.store(origin: origin, body: try CacheFixture.body(body))
        for number in 1...4 {
            store.store(variant: record(number), origin: origin, bytes: CacheFixture.bytes(100, seed: number))
        }
        store.close()
    }

    /// The findings of a check, as sorted "kind path" lines, and its result.
    func check(
        repairs: Bool = false,
        files: any FileSystem = SystemFiles(),
        isReadable: @escaping @Sendable (DiskClass, [UInt8]) -> Bool = { _, _ in true }
    ) throws(DiskCheckError) -> (found: [String], result: DiskCheckResult) {
        var found: [String] = []
        let listener = DiskCheck.Listener(found: { damage, _ in found.append("\(damage.kind) \(damage.path)") })
        let check = DiskCheck(path: folder.path, files: files, isReadable: isReadable, listener: listener)
        let result = try check.run(repairs: repairs)
        return (found.sorted(), result)
    }

    /// Expects exactly these findings without changes, repairs them, and expects no more findings.
    private func expect(_ wanted: [String], entries: Int, comment: Comment? = nil) throws {
        let before = Self.tree(folder.path)
        let report = try check()
        #expect(report.found == wanted.sorted(), comment)
        #expect(!report.result.isSound)
        #expect(report.result.repaired == 0)
        #expect(Self.tree(folder.path) == before, "a report changes nothing")
        let repair = try check(repairs: true)
        #expect(repair.found == wanted.sorted())
        #expect(repair.result.isSound)
        #expect(repair.result.repaired == wanted.count)
        #expect(repair.result.variants.entries == entries)
        let again = try check()
        #expect(again.found.isEmpty)
        #expect(again.result.isSound)
        #expect(again.result.variants.entries == entries)
        // Remaining entries are served.
        let store = try DiskStore.forTest(folder.path)
        #expect(store.statistics.variants.entries == entries)
        #expect((1...4).count { store.variant(record($0).key) != nil } == entries)
        store.close()
    }

    private static func tree(_ path: String) -> [String] {
        TemporaryFolder.names(in: path).flatMap { name -> [String] in
            let inner = tree("\(path)/\(name)")
            return inner.isEmpty ? [name] : inner.map { "\(name)/\($0)" }
        }
    }

    @Test func `reports the folder of a stopped daemon as sound`() throws {
        try fill()
        var last = DiskCheckProgress()
        let listener = DiskCheck.Listener(found: { damage, _ in Issue.record("\(damage)") }, progress: { last = $0 })
        let before = Self.tree(folder.path)
        let result = try DiskCheck(path: folder.path, listener: listener).run(repairs: false)
        #expect(Self.tree(folder.path) == before)
        #expect(result.isSound)
        #expect(result.originals.entries == 1)
        #expect(result.originals.bytes == 500)
        #expect(result.variants.entries == 4)
        #expect(result.variants.bytes == 400)
        #expect(last.entries == 5)
        #expect(last.total == 5)
        #expect(last.bytes == 900)
        #expect(try check(repairs: true).found.isEmpty)
    }

    @Test func `finds bodies that are corrupt, too short, too long and missing`() throws {
        try fill()
        var flipped = try CacheFixture.readAll(SystemFiles().open(file(1), flags: O_RDONLY))
        flipped[50] ^= 1
        try CacheFixture.write(flipped, to: file(1))
        try CacheFixture.write(CacheFixture.bytes(99, seed: 2), to: file(2))
        try CacheFixture.write(CacheFixture.bytes(101, seed: 3), to: file(3))
        TemporaryFolder.delete(originFile)
        try expect(
            [
                "checksum " + layout.relative(file(1)), "length " + layout.relative(file(2)),
                "length " + layout.relative(file(3)), "missing " + layout.relative(originFile),
            ],
            entries: 1
        )
        // The remaining variant needs its original's row.
        #expect(CacheFixture.files(.variants, in: folder.path) == [String(file(4).suffix(81))])
    }

    @Test func `finds bodies without rows, bodies in the wrong folder, and temporary files`() throws {
        try fill()
        let leaf = String(file(1).dropLast(82))
        let orphan = leaf + "/" + DiskFolder.name(CacheFixture.key(1), CacheFixture.key(2))
        try CacheFixture.write([1], to: orphan)
        try SystemFiles().makeFolder(layout.root(of: .variants) + "/ff")
        try SystemFiles().makeFolder(layout.root(of: .variants) + "/ff/ee")
        let astray = layout.root(of: .variants) + "/ff/ee/" + String(file(2).suffix(81))
        try CacheFixture.write(CacheFixture.bytes(100, seed: 2), to: astray)
        try CacheFixture.write([1, 2, 3], to: layout.temporary + "/17")
        try expect(
            [
                "orphan " + layout.relative(orphan), "orphan " + layout.relative(astray), "leftover tmp/17",
            ],
            entries: 4
        )
    }

    @Test func `reports foreign files without counting them as damage, and keeps them`() throws {
        try fill()
        let strangers = [
            "README", "originals/notes.txt", "variants/zz", layout.relative(String(file(1).dropLast(81))) + "x",
        ]
        for name in strangers { try CacheFixture.write([1], to: "\(folder.path)/\(name)") }
        for repairs in [false, true] {
            let run = try check(repairs: repairs)
            #expect(run.found == strangers.map { "unknown \($0)" }.sorted())
            #expect(run.result.isSound)
        }
        for name in strangers { #expect(Self.tree(folder.path).contains(name)) }
    }

    @Test func `finds invalid, unused and malformed rows, and wrong totals`() throws {
        try fill()
        do {
            var index = try DiskIndex.writing(layout.index)
            try index.connection.run(
                "UPDATE variants SET origin_digest = ?1 WHERE key = ?2",
                [.key(CacheFixture.key(1)), .key(record(1).key)]
            )
            _ = try index.putOrigin(
                CacheFixture.origin(5, body: []),
                hasBody: false,
                use: DiskIndex.Use(order: 1, wallSeconds: 1)
            )
            try index.connection.execute("UPDATE totals SET entries = 99 WHERE class = 0")
        }
        try expect(["void " + layout.relative(file(1)), "unused originals row 2", "totals originals"], entries: 3)
        do {
            var index = try DiskIndex.writing(layout.index)
            try index.connection.run("UPDATE variants SET digest = x'00' WHERE key = ?1", [.key(record(2).key)])
        }
        let found = try check(repairs: true).found
        #expect(found.contains("row variants row 2"))
        #expect(try check().found.isEmpty)
    }

    @Test(arguments: [[], [UInt8](repeating: 0x55, count: 8192)])
    func `rebuilds an invalid index from the files, and keeps the old one for inspection`(_ garbage: [UInt8]) throws {
        try fill()
        try CacheFixture.write(garbage, to: layout.index)
        try expect(["index index.sqlite"], entries: 4)
        // An empty index is not kept for inspection.
        #expect(TemporaryFolder.names(in: folder.path).contains("index.sqlite.damaged") == !garbage.isEmpty)
    }

    @Test func `reports a missing index`() throws {
        try fill()
        TemporaryFolder.delete(layout.index)
        let report = try check()
        #expect(report.found == ["index index.sqlite"])
        let repaired = try check(repairs: true).result
        #expect(repaired.isSound && repaired.variants.entries == 4 && repaired.originals.entries == 1)
    }

    @Test func `repairs SQLite's indexes without losing an entry`() throws {
        try fill()
        do {
            let index = try DiskIndex.writing(layout.index)
            // The b-tree of recency is unchanged, but its definition is different now.
            try index.connection.execute(
                """
                PRAGMA writable_schema = 1;
                UPDATE sqlite_schema SET sql = 'CREATE INDEX variants_by_use ON variants (length, used)'
                WHERE name = 'variants_by_use';
                """
            )
        }
        let report = try check()
        #expect(report.found.first == "index index.sqlite", "\(report.found)")
        let repair = try check(repairs: true)
        #expect(repair.found == ["index index.sqlite"])
        #expect(repair.result.isSound)
        #expect(repair.result.variants.entries == 4)
        #expect(!TemporaryFolder.names(in: folder.path).contains("index.sqlite.damaged"))
    }

    @Test func `reads the log of a killed daemon`() throws {
        try fill()
        let copy = try TemporaryFolder()
        let store = try DiskStore.forTest(folder.path)
        let late = CacheFixture.variant(9, of: origin, bytes: CacheFixture.bytes(100, seed: 9))
        store.store(variant: late, origin: origin, bytes: CacheFixture.bytes(100, seed: 9))
        store.flush()
        // The disk at this moment, with the log not yet in the database.
        let files = try CommandCopy.run(from: folder.path, to: copy.path)
        store.close()
        #expect(files.contains("index.sqlite-wal"))
        let listener = DiskCheck.Listener(found: { damage, _ in Issue.record("\(damage)") })
        let result = try DiskCheck(path: copy.path, listener: listener).run(repairs: false)
        #expect(result.variants.entries == 5)
    }

    @Test func `reports what it could not repair in a read-only folder`() throws {
        try fill()
        try CacheFixture.write([1], to: layout.temporary + "/17")
        let files = FaultyFiles()
        files.fail(.remove, with: EROFS)
        files.fail(.create, with: EROFS)
        files.fail(.write, with: EROFS)
        #expect(try check(files: files).found == ["leftover tmp/17"])
        #expect(throws: DiskCheckError.self) { try check(repairs: true, files: files) }
        files.fail(.create, with: nil)
        files.fail(.write, with: nil)
        // The folder can be opened, but its files cannot be removed.
        do {
            let run = try check(repairs: true, files: files)
            #expect(!run.result.isSound)
        } catch {
            #expect("\(error)".contains("cannot be repaired"))
        }
        #expect(try check().found.contains("leftover tmp/17"))
    }

    @Test func `reports an unreadable body as neither sound nor missing`() throws {
        try fill()
        let files = FaultyFiles()
        files.fail(.size, with: EIO)
        let index = DiskIndexCheck(folder: layout, files: SystemFiles())
        #expect(try index.problem() == nil)
        #expect(throws: DiskCheckError.self) { try check(files: files) }
        // A folder in place of a body opens, but cannot be read.
        TemporaryFolder.delete(file(1))
        try SystemFiles().makeFolder(file(1))
        let run = try check()
        #expect(!run.result.isSound)
        #expect(run.found.count == 1)
    }

    @Test func `refuses a folder that is not a cache, and changes nothing`() throws {
        #expect(throws: DiskCheckError.noCache(path: folder.path)) { try check(repairs: true) }
        for name in ["originals", "tmp"] { try SystemFiles().makeFolder("\(folder.path)/\(name)") }
        try CacheFixture.write([1], to: folder.path + "/tmp/thesis.txt")
        try CacheFixture.write(Array("Signature: 8a477f597d28d172789f06886806bc55\n# cargo".utf8), to: layout.tag)
        try CacheFixture.write([1, 2, 3], to: layout.index)
        let before = Self.tree(folder.path)
        #expect(throws: DiskCheckError.noCache(path: folder.path)) { try check(repairs: true) }
        #expect(Self.tree(folder.path) == before)
        #expect(DiskFolderState(path: folder.path) == .foreign)
        let nowhere = folder.path + "/nowhere"
        let listener = DiskCheck.Listener(found: { _, _ in })
        #expect(throws: DiskCheckError.absent(path: nowhere)) {
            try DiskCheck(path: nowhere, listener: listener).run(repairs: true)
        }
        #expect(throws: DiskCheckError.notFolder(path: layout.tag)) {
            try DiskCheck(path: layout.tag, listener: listener).run(repairs: true)
        }
    }

    @Test func `refuses a folder in use, and one written by a newer release`() throws {
        try fill()
        let store = try DiskStore.forTest(folder.path)
        for repairs in [false, true] {
            #expect(throws: DiskCheckError.locked(path: folder.path)) { try check(repairs: repairs) }
        }
        guard case .cache(let held) = DiskFolderState(path: folder.path) else { return #expect(Bool(false)) }
        #expect(held.isLocked)
        #expect(held.statistics?.variants.entries == 4)
        store.close()
        do {
            let index = try DiskIndex.writing(layout.index)
            try index.connection.execute("PRAGMA user_version = 99")
        }
        let before = Self.tree(folder.path)
        #expect(
            throws: DiskCheckError.newerVersion(path: folder.path, found: 99, supported: DiskIndex.migrations.count)
        ) {
            try check(repairs: true)
        }
        #expect(Self.tree(folder.path) == before)
    }
}

/// Copies a folder's files at one moment.
private enum CommandCopy {
    static func run(from source: String, to target: String) throws -> [String] {
        for name in TemporaryFolder.names(in: source) {
            let (from, to) = ("\(source)/\(name)", "\(target)/\(name)")
            if let file = try? SystemFiles().open(from, flags: O_RDONLY),
                (try? SystemFiles().open(from, flags: O_RDONLY | O_DIRECTORY)) == nil
            {
                try CacheFixture.write(try CacheFixture.readAll(file), to: to)
            } else {
                try SystemFiles().makeFolder(to)
                _ = try run(from: from, to: to)
            }
        }
        return TemporaryFolder.names(in: target)
    }
}
