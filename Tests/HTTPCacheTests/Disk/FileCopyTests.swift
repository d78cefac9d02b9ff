import CacheTestSupport
import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache

@Suite(.timeLimit(.minutes(1)))
struct FileCopyTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func target() throws -> SharedDescriptor {
        try SystemFiles().open(folder.path + "/target", flags: O_RDWR | O_CREAT | O_TRUNC)
    }

    @Test(arguments: [0, 1, 4096, 300_001])
    func `copies from another file system without changing the source's offset`(count: Int) throws {
        let bytes = CacheFixture.bytes(count)
        let source = try CacheFixture.memoryFile(bytes, isSealed: true)
        #expect(lseek(source.number, 0, SEEK_CUR) == count)
        let target = try target()
        #expect(try SystemFiles().copy(source, to: target, length: count) == count)
        #expect(try CacheFixture.read(target) == bytes)
        #expect(lseek(source.number, 0, SEEK_CUR) == count)
    }

    @Test func `copies within a file system`() throws {
        let bytes = CacheFixture.bytes(300_001)
        try CacheFixture.write(bytes, to: folder.path + "/source")
        let source = try SystemFiles().open(folder.path + "/source", flags: O_RDONLY)
        let target = try target()
        #expect(try SystemFiles().copy(source, to: target, length: bytes.count) == bytes.count)
        #expect(try CacheFixture.read(target) == bytes)
    }

    @Test func `copies from files that the kernel cannot copy`() throws {
        // Files in /proc have no length, and not all kernels support either call for them.
        let source = try SystemFiles().open("/proc/self/limits", flags: O_RDONLY)
        let target = try target()
        #expect(try SystemFiles().copy(source, to: target, length: 100) == 100)
        #expect(String(decoding: try CacheFixture.read(target), as: UTF8.self).hasPrefix("Limit "))
    }

    @Test func `reports the length of a source that is too short`() throws {
        let source = try CacheFixture.memoryFile(CacheFixture.bytes(10), isSealed: true)
        #expect(try SystemFiles().copy(source, to: try target(), length: 11) == 10)
    }

    @Test func `takes only the first bytes of a longer source`() throws {
        let bytes = CacheFixture.bytes(10)
        let source = try CacheFixture.memoryFile(bytes, isSealed: true)
        let target = try target()
        #expect(try SystemFiles().copy(source, to: target, length: 4) == 4)
        #expect(try CacheFixture.read(target) == Array(bytes.prefix(4)))
    }

    @Test func `hashes a file like an array of its bytes`() throws {
        let bytes = CacheFixture.bytes(600_000)
        let file = try CacheFixture.memoryFile(bytes, isSealed: true)
        #expect(try BodyDigest.of(file, length: bytes.count) == CacheKey(hashing: bytes))
        #expect(try BodyDigest.of(file, length: bytes.count + 1) == nil)
    }
}
