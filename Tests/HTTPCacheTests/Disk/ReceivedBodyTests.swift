import CLinux
import CacheTestSupport
import Glibc
import HTTPSemantics
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache

/// Bodies that were received into an unnamed file of the store's folder, which becomes their content file.
@Suite(.timeLimit(.minutes(1)))
struct ReceivedBodyTests {
    private let folder: TemporaryFolder
    private let path: String
    private let layout: DiskFolder
    private let bytes = CacheFixture.bytes(5000, seed: 1)
    private let origin: OriginRecord

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path + "/cache"
        layout = DiskFolder(path: path)
        origin = CacheFixture.origin(1, body: bytes)
    }

    /// A body as delivered by a transfer into the folder: read-only, and its file is readable by its owner alone.
    private func received(in folder: String) throws -> OriginBody {
        let file = SharedDescriptor(owning: try checked("open") { unsafe edge_open_unnamed(folder) })
        try SystemFiles().write(bytes, to: file)
        fchmod(file.number, 0o400)
        let reading = try SystemFiles().open("/proc/self/fd/\(file.number)", flags: O_RDONLY)
        return OriginBody(file: reading, length: bytes.count, digest: origin.digest)
    }

    private func status(_ file: SharedDescriptor) -> stat {
        var status = stat()
        unsafe fstat(file.number, &status)
        return status
    }

    private func content(_ record: OriginRecord) throws -> SharedDescriptor {
        try SystemFiles().open(layout.file(.originals, record.key, record.digest), flags: O_RDONLY)
    }

    @Test func `the file of a received body becomes its content file, with a trailer`() throws {
        let store = try DiskStore.forTest(path)
        let body = try received(in: path + "/tmp")
        store.store(origin: origin, body: body)
        store.flush()
        let stored = try content(origin)
        #expect(status(stored).st_ino == status(body.file).st_ino && status(stored).st_mode & 0o777 == 0o600)
        #expect(try CacheFixture.read(stored) == bytes && CacheFixture.readAll(stored).count > bytes.count)
        #expect(store.origin(origin.key)?.record == origin)
        #expect(TemporaryFolder.names(in: path + "/tmp").isEmpty)
        store.close()
        #expect(try DiskCheck(path: path, listener: .init(found: { _, _ in })).run(repairs: false).isSound)
        for suffix in ["", "-wal", "-shm"] { TemporaryFolder.delete(layout.index + suffix) }
        let rebuilt = try DiskStore.forTest(path) { $0.reconciles = true }
        try waitWhile(rebuilt.origin(origin.key) == nil)
        rebuilt.close()
    }

    @Test func `a body that already has a name is copied`() throws {
        let store = try DiskStore.forTest(path)
        let body = try received(in: path + "/tmp")
        var other = origin
        other.key = CacheKey(hashing: "another")
        // Not to share the first one's file by its digest.
        other.source = "elsewhere/photos"
        store.store(origin: origin, body: body)
        store.store(origin: other, body: body)
        store.flush()
        let (first, second) = (try content(origin), try content(other))
        #expect(status(first).st_ino == status(body.file).st_ino && status(second).st_ino != status(first).st_ino)
        #expect(try CacheFixture.read(first) == bytes && CacheFixture.read(second) == bytes)
        store.close()
    }

    @Test(arguments: ["memory", "another file system", "deleted"])
    func `other bodies are copied`(_ kind: String) throws {
        let store = try DiskStore.forTest(path)
        let body: OriginBody
        switch kind {
        case "memory": body = try CacheFixture.body(bytes)
        case "another file system": body = try received(in: "/dev/shm")
        default:
            try CacheFixture.write(bytes, to: path + "/tmp/x")
            let file = try SystemFiles().open(path + "/tmp/x", flags: O_RDONLY)
            try SystemFiles().remove(path + "/tmp/x")
            body = OriginBody(file: file, length: bytes.count, digest: origin.digest)
        }
        store.store(origin: origin, body: body)
        store.flush()
        let stored = try content(origin)
        #expect(status(stored).st_ino != status(body.file).st_ino || status(stored).st_dev != status(body.file).st_dev)
        #expect(try CacheFixture.read(stored) == bytes)
        store.close()
    }

    @Test(arguments: [FaultyFiles.Call.name, .write, .rename])
    func `a body that cannot be put in place is dropped`(_ call: FaultyFiles.Call) throws {
        let files = FaultyFiles()
        let store = try DiskStore.forTest(path, files: files)
        let body = try received(in: path + "/tmp")
        files.fail(call, with: EIO)
        store.store(origin: origin, body: body)
        store.flush()
        #expect(store.health != .healthy && store.origin(origin.key) == nil)
        #expect(CacheFixture.files(.originals, in: path).isEmpty)
        #expect(TemporaryFolder.names(in: path + "/tmp").isEmpty)
        store.close()
    }
}
