import HTTPCache
import CLinux
import Glibc
import ImagePipeline
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct FileLoaderTests {
    private let folder: TemporaryFolder
    private let loader: FileLoader
    private var root: String { folder.path + "/root" }

    init() throws {
        folder = try TemporaryFolder()
        loader = try FileLoader(configuration: FileLoader.Configuration(recognition: .images))
        for path in ["/root", "/root/sub", "/outside"] {
            try checked("mkdir") { unsafe mkdir(folder.path + path, 0o755) }
        }
        try write("root/a.jpg", "inside")
        try write("root/sub/b c ü.jpg", "deeper")
        try write("outside/secret", "secret")
    }

    private func write(_ path: String, _ text: String) throws {
        let flags = O_WRONLY | O_CREAT | O_TRUNC
        let number = try checked("open") { unsafe edge_open("\(folder.path)/\(path)", flags, 0o644) }
        let file = SharedDescriptor(owning: number)
        let bytes = Array(text.utf8)
        try checked("write") { unsafe Glibc.write(file.number, bytes, bytes.count) }
    }

    private func link(_ path: String, to target: String) throws {
        try checked("symlink") { unsafe symlink(target, "\(root)/\(path)") }
    }

    private func fetch(_ path: String, limit: Int = 1 << 20, tag: String? = nil) -> OriginFetch {
        let limits = SourceRule.Limits(sourceBytes: limit)
        let source = SourceRule(name: "files", location: .file(root: root), limits: limits)
        return OriginFetch(target: .file(path), source: source, entityTag: tag)
    }

    @Test(arguments: [
        ("a.jpg", "inside"), ("sub/b c ü.jpg", "deeper"), ("./sub/../a.jpg", "inside"), ("sub//b c ü.jpg", "deeper"),
    ])
    func `delivers a file with digest and validators`(_ path: String, _ text: String) async throws {
        let answer = try await loader.fetched(fetch(path))
        #expect(answer.bytes == Array(text.utf8))
        #expect(answer.body.length == text.utf8.count)
        #expect(answer.body.digest == CacheKey(hashing: text))
        #expect(edge_memfd_is_sealed(answer.body.file.number) == 1)
        #expect(answer.head.grantedLifetime == 10)
        #expect(answer.head.entityTag?.hasPrefix("\"\(String(text.utf8.count, radix: 16))-") == true)
        #expect(answer.head.cacheControl == nil)
        #expect(answer.head.requestTime > 0 && answer.head.responseTime >= answer.head.requestTime)
    }

    @Test(arguments: [(1 << 20, true, false), ((1 << 20) - 1, true, true), (1 << 20, false, true)])
    func `copies all files except large ones without recent writes`(
        _ length: Int,
        _ isOld: Bool,
        _ isCopied: Bool
    ) async throws {
        let text = String(repeating: "x", count: length)
        try write("root/large.jpg", text)
        if isOld {
            var times = [timespec(tv_sec: 784_111_777, tv_nsec: 0), timespec(tv_sec: 784_111_777, tv_nsec: 0)]
            try checked("utimensat") { unsafe utimensat(AT_FDCWD, root + "/large.jpg", &times, 0) }
        }
        let answer = try await loader.fetched(fetch("large.jpg"))
        #expect((edge_memfd_is_sealed(answer.body.file.number) == 1) == isCopied)
        #expect(answer.body.length == length)
        #expect(answer.body.digest == CacheKey(hashing: text))
        // The descriptor is read-only.
        #expect(unsafe Glibc.write(answer.body.file.number, "y", 1) == -1)
    }

    @Test func `copies a file into a folder if the memory limit has no room for it`() async throws {
        let ledgers = BodyLedgers(memory: 100, disk: 1 << 20)
        var configuration = FileLoader.Configuration(recognition: .images)
        configuration.ledgers = ledgers
        configuration.folder = folder.path
        let loader = try FileLoader(configuration: configuration)
        let text = String(repeating: "x", count: 1_000)
        try write("root/b.jpg", text)
        let answer = try await loader.fetched(fetch("b.jpg"))
        #expect(answer.bytes == Array(text.utf8))
        #expect(ledgers.memory.used == 0 && ledgers.disk.used == 1_000)
        // Small ones stay in memory.
        let small = try await loader.fetched(fetch("a.jpg"))
        #expect(edge_memfd_is_sealed(small.body.file.number) == 1 && ledgers.memory.used == 6)
        withExtendedLifetime((answer, small)) {}
    }

    @Test func `reads a large file without recent writes once`() async throws {
        var times = [timespec(tv_sec: 784_111_777, tv_nsec: 5), timespec(tv_sec: 784_111_777, tv_nsec: 5)]
        func write(_ letter: String, nanoseconds: Int) throws {
            try self.write("root/large.jpg", String(repeating: letter, count: 1 << 20))
            times[1].tv_nsec = nanoseconds
            try checked("utimensat") { unsafe utimensat(AT_FDCWD, root + "/large.jpg", &times, 0) }
        }
        func digest() async throws -> CacheKey { try await loader.fetched(fetch("large.jpg")).body.digest }
        try write("x", nanoseconds: 5)
        let first = try await digest()
        #expect(first == CacheKey(hashing: String(repeating: "x", count: 1 << 20)))
        // Shows that the file is not read again; a forged modification time also keeps the entity tag.
        try write("y", nanoseconds: 5)
        #expect(try await digest() == first)
        try write("y", nanoseconds: 6)
        #expect(try await digest() == CacheKey(hashing: String(repeating: "y", count: 1 << 20)))
    }

    @Test func `reports the modification time`() async throws {
        var times = [timespec(tv_sec: 784_111_777, tv_nsec: 5), timespec(tv_sec: 784_111_777, tv_nsec: 5)]
        try checked("utimensat") { unsafe utimensat(AT_FDCWD, root + "/a.jpg", &times, 0) }
        #expect(try await loader.fetched(fetch("a.jpg")).head.lastModified == "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    @Test func `answers 304 until size, time or inode change`() async throws {
        let tag = try #require(try await loader.fetched(fetch("a.jpg")).head.entityTag)
        let fields = try await loader.confirmed(fetch("a.jpg", tag: tag))
        #expect(fields.entityTag == tag)
        #expect(fields.grantedLifetime == 10)
        // Equal length and times: only the inode differs.
        try write("root/new", "INSIDE")
        var status = stat()
        try checked("stat") { unsafe stat(root + "/a.jpg", &status) }
        var times = [status.st_atim, status.st_mtim]
        try checked("utimensat") { unsafe utimensat(AT_FDCWD, root + "/new", &times, 0) }
        try checked("rename") { unsafe rename(root + "/new", root + "/a.jpg") }
        #expect(try await loader.fetched(fetch("a.jpg", tag: tag)).bytes == Array("INSIDE".utf8))
    }

    @Test(arguments: [
        "missing", "", ".", "sub", "sub/", "a.jpg/", "a.jpg/x", "..", "../outside/secret", "sub/../../outside/secret",
        "sub/../..", "/etc/passwd", "//etc/passwd", "/", "out", "folder/secret", "absolute", "up", "loop", "fifo",
        "socket",
        "forbidden/x", "a.jpg\u{0}.png", "dangling", "/proc/self/environ",
    ])
    func `reports missing, outside and irregular files identically`(_ path: String) async throws {
        try link("out", to: "../outside/secret")
        try link("folder", to: "../outside")
        try link("absolute", to: "/etc/passwd")
        try link("up", to: "..")
        try link("loop", to: "loop")
        try link("dangling", to: "nowhere")
        try checked("mkfifo") { unsafe mkfifo(root + "/fifo", 0o644) }
        try checked("mknod") { unsafe mknod(root + "/socket", S_IFSOCK | 0o644, 0) }
        #expect(await loader.failure(fetch(path)) == .originNotFound)
    }

    @Test func `does not leave the root even by links that lead back in`() async throws {
        try link("back", to: "../root/a.jpg")
        try link("absolute", to: root + "/a.jpg")
        #expect(await loader.failure(fetch("back")) == .originNotFound)
        #expect(await loader.failure(fetch("absolute")) == .originNotFound)
    }

    @Test func `follows links that stay inside`() async throws {
        try link("alias", to: "sub/b c ü.jpg")
        try link("sub/up", to: "../a.jpg")
        try link("s", to: "sub")
        for (path, text) in [("alias", "deeper"), ("sub/up", "inside"), ("s/up", "inside")] {
            #expect(try await loader.fetched(fetch(path)).bytes == Array(text.utf8))
        }
    }

    @Test func `accepts a root that is a link, and a replaced root`() async throws {
        try checked("symlink") { unsafe symlink("root", folder.path + "/current") }
        var request = fetch("a.jpg")
        request.source.location = .file(root: folder.path + "/current")
        #expect(try await loader.fetched(request).bytes == Array("inside".utf8))
        try write("outside/a.jpg", "release 2")
        try checked("symlink") { unsafe symlink("outside", folder.path + "/next") }
        try checked("rename") { unsafe rename(folder.path + "/next", folder.path + "/current") }
        #expect(try await loader.fetched(request).bytes == Array("release 2".utf8))
    }

    @Test func `reports a missing root like a missing file`() async {
        var request = fetch("a.jpg")
        request.source.location = .file(root: folder.path + "/nowhere")
        #expect(await loader.failure(request) == .originNotFound)
    }

    @Test func `accepts exactly the limit, and an empty file`() async throws {
        #expect(await loader.failure(fetch("a.jpg", limit: 6)) == nil)
        try write("root/b.gif", "GIF89a and more")
        #expect(await loader.failure(fetch("b.gif", limit: 5)) == .sourceTooLarge(limit: 5))
        // A file that is not an image is reported as missing, regardless of its size.
        #expect(await loader.failure(fetch("a.jpg", limit: 5)) == .originNotFound)
        try write("root/empty", "")
        let empty = try await loader.fetched(fetch("empty"))
        #expect(empty.body.length == 0)
        #expect(empty.body.digest == CacheKey(hashing: ""))
    }

    @Test func `delivers bytes that a later change does not affect`() async throws {
        let body = try await loader.fetched(fetch("a.jpg")).body
        try write("root/a.jpg", "")
        #expect(try body.bytes() == Array("inside".utf8))
    }

    @Test func `copies files of many chunks`() async throws {
        let text = String(repeating: "0123456789abcdef", count: 50_000)
        try write("root/large", text)
        let answer = try await loader.fetched(fetch("large"))
        #expect(answer.body.length == 800_000)
        #expect(answer.body.digest == CacheKey(hashing: text))
    }

    @Test func `completes many concurrent loads, each once`() async throws {
        let outcomes = (0..<200).map { _ in Outcome() }
        let handles = outcomes.map { loader.load(fetch("a.jpg"), completion: $0.set) }
        for outcome in outcomes { #expect(await outcome.failure == nil) }
        for outcome in outcomes { #expect(await outcome.count == 1) }
        #expect(handles.allSatisfy { $0.received == 6 })
    }

    @Test func `refuses loads over the limit as overload, and cancels waiting ones when it stops`() async throws {
        let gate = try ScriptedGate()
        let loader = try FileLoader(configuration: FileLoader.Configuration(threads: 2, waiting: 1))
        // One thread blocks in a completion; the other refuses loads and then blocks too.
        let held = [Outcome(), Outcome()]
        for outcome in held {
            _ = loader.load(fetch("a.jpg")) { result in
                outcome.set(result)
                gate.wait()
            }
            #expect(await outcome.failure == nil)
        }
        let waiting = Outcome()
        let refused = Outcome()
        _ = loader.load(fetch("a.jpg"), completion: waiting.set)
        _ = loader.load(fetch("a.jpg"), completion: refused.set)
        gate.open()
        #expect(await refused.failure == .overloaded("too many loads are waiting for files"))
        #expect(await waiting.failure == nil)
        loader.stop()
        #expect(await loader.failure(fetch("a.jpg")) == .cancelled)
    }

    @Test func `cancels a waiting load`() async throws {
        let gate = try ScriptedGate()
        let loader = try FileLoader(configuration: FileLoader.Configuration(threads: 1))
        let (held, waiting) = (Outcome(), Outcome())
        _ = loader.load(fetch("a.jpg")) { result in
            held.set(result)
            gate.wait()
        }
        #expect(await held.failure == nil)
        loader.load(fetch("a.jpg"), completion: waiting.set).cancel()
        gate.open()
        #expect(await waiting.failure == .cancelled)
    }
}
