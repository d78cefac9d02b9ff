import CacheTestSupport
import Foundation
import Glibc
import HTTPSemantics
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache

/// Content files without a trailer at their end, which another program can send whole.
@Suite(.timeLimit(.minutes(1)))
struct BareFileTests {
    private let folder: TemporaryFolder
    private let path: String
    private let layout: DiskFolder
    private let bytes = CacheFixture.bytes(5000, seed: 1)
    private let origin = CacheFixture.origin(1, body: [1])

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path + "/cache"
        layout = DiskFolder(path: path)
    }

    private func open(from length: Int? = 5000, _ files: any FileSystem = SystemFiles()) throws -> DiskStore {
        try DiskStore.forTest(path, files: files) { $0.bareFrom = length }
    }

    private func record(_ number: Int, _ bytes: [UInt8]) -> VariantRecord {
        CacheFixture.variant(number, of: origin, bytes: bytes)
    }

    private func file(_ record: VariantRecord) -> String { layout.file(.variants, record.key, record.digest) }

    private func content(_ record: VariantRecord) throws -> [UInt8] {
        try CacheFixture.readAll(SystemFiles().open(file(record), flags: O_RDONLY))
    }

    private func expectSound() throws {
        #expect(try DiskCheck(path: path, listener: .init(found: { _, _ in })).run(repairs: false).isSound)
    }

    private func loseIndex() {
        for suffix in ["", "-wal", "-shm"] { TemporaryFolder.delete(layout.index + suffix) }
    }

    private func barePath(_ record: VariantRecord, in store: DiskStore) -> String? {
        store.barePath(ofVariant: record.key, digest: record.digest, length: record.length)
    }

    @Test func `a long variant's file is its body, and a shorter one's has a trailer`() throws {
        let store = try open()
        let (long, short) = (record(1, bytes), record(2, Array(bytes.dropLast())))
        store.store(variant: long, origin: origin, bytes: bytes)
        store.store(variant: short, origin: origin, bytes: Array(bytes.dropLast()))
        store.flush()
        #expect(try content(long) == bytes && content(short).count > 5000)
        let relative = try #require(store.variant(long.key)?.barePath)
        #expect("\(path)/\(relative)" == file(long) && relative.hasPrefix("variants/"))
        #expect(barePath(long, in: store) == relative)
        #expect(store.variant(short.key)?.barePath == nil && barePath(short, in: store) == nil)
        #expect(try CacheFixture.read(#require(store.variant(long.key)).file) == bytes)
        store.close()
        try expectSound()
    }

    @Test func `a trailer at the end of a file keeps it from being bare`() throws {
        var store = try open(from: nil)
        let known = record(1, bytes)
        store.store(variant: known, origin: origin, bytes: bytes)
        store.flush()
        store.close()
        store = try open()
        #expect(store.variant(known.key)?.barePath == nil && barePath(known, in: store) == nil)
        // Equal bytes under another key get a file of their own, as those have a trailer.
        let other = record(2, bytes)
        store.store(variant: other, origin: origin, bytes: bytes)
        store.flush()
        #expect(try content(other) == bytes && barePath(other, in: store) != nil && store.statistics.links == 0)
        // Further ones share it.
        let third = record(3, bytes)
        store.store(variant: third, origin: origin, bytes: bytes)
        store.flush()
        #expect(try content(third) == bytes && store.statistics.links == 1)
        // Stored again, the first is bare as well.
        store.store(variant: known, origin: origin, bytes: bytes)
        store.flush()
        #expect(try content(known) == bytes && store.variant(known.key)?.barePath != nil)
        store.close()
        try expectSound()
    }

    @Test func `a path is given only for a sound file that is there`() throws {
        var store = try open()
        let known = record(1, bytes)
        #expect(barePath(known, in: store) == nil)
        store.store(variant: known, origin: origin, bytes: bytes)
        store.flush()
        store.close()
        // Without what the first store has verified.
        store = try open()
        var damaged = bytes
        damaged[7] ^= 1
        try CacheFixture.write(damaged, to: file(known))
        #expect(barePath(known, in: store) == nil)
        try CacheFixture.write(bytes + [0], to: file(known))
        #expect(barePath(known, in: store) == nil)
        try CacheFixture.write(bytes, to: file(known))
        #expect(barePath(known, in: store) != nil)
        TemporaryFolder.delete(file(known))
        #expect(barePath(known, in: store) == nil)
        store.close()
    }

    @Test func `a lost index is rebuilt from the trailers attached to bare files`() throws {
        var store = try open()
        // A body that ends as a content file of another entry does.
        let trailer = ContentTrailer.encode(
            origin: origin.encoded,
            variant: record(9, bytes).encoded,
            bodyLength: bytes.count
        )
        let forged = bytes + trailer
        for (number, body) in [(1, bytes), (2, forged)] {
            store.store(variant: record(number, body), origin: origin, bytes: body)
        }
        store.flush()
        store.close()
        loseIndex()
        store = try open()
        store.reconcile()
        store.flush()
        #expect(store.statistics.adoptions == 2)
        for (number, body) in [(1, bytes), (2, forged)] {
            let found = try #require(store.variant(record(number, body).key))
            #expect(found.record == record(number, body) && found.barePath != nil)
            #expect(try CacheFixture.readAll(found.file) == body)
        }
        store.close()
        try expectSound()
    }

    @Test(arguments: [EOPNOTSUPP, ENOSPC, E2BIG])
    func `without room for the trailer the file is bare, and lost with the index`(code: CInt) throws {
        let files = FaultyFiles()
        files.fail(.attach, with: code)
        var store = try open(files)
        let known = record(1, bytes)
        store.store(variant: known, origin: origin, bytes: bytes)
        store.flush()
        #expect(store.health == .healthy && store.variant(known.key)?.barePath != nil)
        store.close()
        try expectSound()
        loseIndex()
        store = try open(files)
        store.reconcile()
        store.flush()
        #expect(store.statistics.adoptions == 0 && CacheFixture.files(.variants, in: path).isEmpty)
        store.close()
    }

    private func open(_ files: any FileSystem) throws -> DiskStore { try open(from: 5000, files) }

    @Test func `a file whose attached trailer cannot be read survives the rebuild of a lost index`() throws {
        var store = try open()
        store.store(variant: record(1, bytes), origin: origin, bytes: bytes)
        store.flush()
        store.close()
        loseIndex()
        let files = FaultyFiles()
        files.fail(.attachment, with: EIO)
        store = try open(files)
        store.reconcile()
        store.flush()
        #expect(store.statistics.adoptions == 0)
        files.fail(.attachment, with: nil)
        store.reconcile()
        store.flush()
        #expect(store.statistics.adoptions == 1)
        store.close()
    }

    @Test func `a store without bare files reads those of an earlier configuration`() throws {
        var store = try open()
        let known = record(1, bytes)
        store.store(variant: known, origin: origin, bytes: bytes)
        store.flush()
        store.close()
        store = try open(from: nil)
        let found = try #require(store.variant(known.key))
        #expect(try CacheFixture.readAll(found.file) == bytes && found.barePath == nil)
        store.close()
        try expectSound()
    }

    @Test func `files are readable by their group only if the file system is set to`() throws {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("Umask:\t") })
        let mask = try #require(mode_t(line.dropFirst(7), radix: 8))
        for isGroupReadable in [false, true] {
            let root = folder.path + "/\(isGroupReadable)"
            let store = try DiskStore.forTest(root, files: SystemFiles(isGroupReadable: isGroupReadable))
            store.store(variant: record(1, bytes), origin: origin, bytes: bytes)
            store.flush()
            store.close()
            let file = DiskFolder(path: root).file(.variants, record(1, bytes).key, record(1, bytes).digest)
            for path in [file, String(file.dropLast(82)), root + "/variants"] {
                var status = stat()
                try #require(unsafe stat(path, &status) == 0)
                let wanted: mode_t = isGroupReadable ? path == file ? 0o040 : 0o050 : 0
                #expect(status.st_mode & 0o077 == wanted & ~mask, "\(path)")
            }
        }
    }
}
