import CacheTestSupport
import Glibc
import TestSupport
import Testing

@testable import HTTPCache

@Suite(.timeLimit(.minutes(1)))
struct DiskFolderTests {
    private let folder = DiskFolder(path: "/var/cache/edgeprint/")
    private let key = CacheKey(hashing: "key")

    @Test func `fans files out over two levels of their key`() {
        let digits = key.description
        let digest = CacheKey(hashing: "body")
        #expect(
            folder.file(.originals, key, digest)
                == "/var/cache/edgeprint/originals/\(digits.prefix(2))/\(digits.dropFirst(2).prefix(2))/\(digits)-"
                + digest.description.prefix(16)
        )
    }

    @Test func `parses the key from its own names and rejects all others`() {
        let name = DiskFolder.name(key, key)
        #expect(DiskFolder.key(inName: name) == key)
        let others = [
            "", "readme", String(name.dropLast()), name + "0", name.uppercased(), name.replacing("-", with: "0"),
        ]
        for other in others {
            #expect(DiskFolder.key(inName: other) == nil, "\(other)")
        }
        #expect(DiskFolder.isFan("0f"))
        #expect(!DiskFolder.isFan("0F") && !DiskFolder.isFan("f") && !DiskFolder.isFan("0ff"))
    }

    /// Files and folders below a path that are accessible to users other than their owner, with their modes.
    private func open(below path: String) -> [String] {
        TemporaryFolder.names(in: path).flatMap { name -> [String] in
            var status = stat()
            guard unsafe lstat("\(path)/\(name)", &status) == 0 else { return [] }
            let mode = status.st_mode & 0o777
            let own = mode & 0o077 == 0 ? [] : ["\(name) \(String(mode, radix: 8))"]
            return own + (status.st_mode & S_IFMT == S_IFDIR ? open(below: "\(path)/\(name)") : [])
        }
    }

    @Test func `only its owner can read it, including files of an older release`() throws {
        let temporary = try TemporaryFolder()
        let path = temporary.path + "/cache"
        let body = CacheFixture.bytes(3_000)
        let origin = CacheFixture.origin(1, body: body)
        do {
            let store = try DiskStore.forTest(path)
            store.store(origin: origin, body: try CacheFixture.body(body))
            store.flush()
            #expect(store.origin(origin.key) != nil)
            #expect(TemporaryFolder.names(in: path).contains("index.sqlite-wal"))
            #expect(open(below: temporary.path) == [])
            store.close()
        }
        for name in ["index.sqlite", "index.sqlite-wal", "index.sqlite-shm"] { unsafe chmod("\(path)/\(name)", 0o644) }
        let store = try DiskStore.forTest(path)
        store.flush()
        #expect(store.origin(origin.key) != nil)
        #expect(open(below: temporary.path) == [])
        store.close()
    }
}
