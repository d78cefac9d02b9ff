import Foundation
import Glibc
import HTTPCache
import ImagePipeline
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TransferLimitTests {
    private let engine: TransferEngine

    init() throws {
        engine = try TransferEngine()
    }

    /// Returns the failure, which must arrive well before any other deadline.
    private func promptFailure(_ fetch: OriginFetch) async -> PipelineError? {
        let start = SystemTime().monotonic
        let failure = await engine.failure(fetch)
        #expect(SystemTime().monotonic - start < 3_000_000_000)
        return failure
    }

    private func times(connect: Int = 5_000, firstByte: Int = 10_000, total: Int = 30_000) -> SourceRule {
        .local(timeouts: SourceRule.Timeouts(connect: connect, firstByte: firstByte, total: total))
    }

    @Test func `reports a body shorter than its length`() async throws {
        let origin = try ScriptedOrigin { request, connection in
            connection.send(
                request.target == "/chunked"
                    ? "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\nabc"
                    : "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"
            )
            connection.close()
        }
        for path in ["/length", "/chunked"] {
            #expect(await engine.failure(.local(origin, path)) == .originProtocol("body shorter than its length"))
        }
    }

    @Test func `reports an overlong line of a head as a violation, not as lack of memory`() async throws {
        let origin = try ScriptedOrigin { request, connection in
            let count = Int(request.target.dropFirst()) ?? 0
            let line = String(repeating: "x", count: count)
            connection.send("HTTP/1.1 200 OK\r\nX-Long: \(line)\r\nContent-Length: 1\r\n\r\nx")
        }
        for count in [70_000, 200_000] {
            let failure = await engine.failure(.local(origin, "/\(count)"))
            #expect(failure == .originProtocol("response head over 64 KiB"), "\(count)")
        }
    }

    @Test func `reports contradictory lengths`() async throws {
        let origin = try ScriptedOrigin { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd")
        }
        guard case .originProtocol = await engine.failure(.local(origin)) else {
            Issue.record("took the body")
            return
        }
    }

    @Test func `accepts a body of exactly the limit and no more, with and without a length`() async throws {
        let origin = try ScriptedOrigin { request, connection in
            let body = String(repeating: "x", count: Int(request.target.dropFirst(2)) ?? 0)
            guard request.target.hasPrefix("/u") else { return connection.respond(text: body) }
            connection.send("HTTP/1.0 200 OK\r\n\r\n" + body)
            connection.close()
        }
        let source = SourceRule.local(limits: SourceRule.Limits(sourceBytes: 1_000))
        for kind in ["l", "u"] {
            #expect(try await engine.fetched(.local(origin, "/\(kind)1000", source)).body.length == 1_000)
            #expect(await engine.failure(.local(origin, "/\(kind)1001", source)) == .sourceTooLarge(limit: 1_000))
        }
    }

    @Test func `stops at a length over the limit before the body`() async throws {
        let origin = try ScriptedOrigin { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n")
            // Without a byte of the body, only the head can have revealed the length.
            connection.waitForPeer()
            connection.close()
        }
        let source = SourceRule.local(limits: SourceRule.Limits(sourceBytes: 1_000))
        #expect(await engine.failure(.local(origin, "/", source)) == .sourceTooLarge(limit: 1_000))
        await origin.openConnections(fallTo: 0)
    }

    @Test func `stops an endless body at the limit`() async throws {
        let origin = try ScriptedOrigin { _, connection in
            connection.send(Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + TestImages.claimedPNG(width: 9, height: 9))
            while connection.send([UInt8](repeating: 65, count: 65_536)) {}
            connection.close()
        }
        let source = SourceRule.local(limits: SourceRule.Limits(sourceBytes: 3 << 20))
        #expect(await engine.failure(.local(origin, "/", source)) == .sourceTooLarge(limit: 3 << 20))
        #expect(engine.statistics.bytesInFlight == 0)
    }

    @Test func `limits the total memory of bodies that are arriving or in use`() async throws {
        let engine = try TransferEngine(configuration: TransferEngine.Configuration(memory: 1_000))
        let gate = try ScriptedGate()
        let origin = try ScriptedOrigin { request, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 800\r\n\r\n" + String(repeating: "a", count: 600))
            if request.number == 1 { gate.wait() }
            connection.send(String(repeating: "b", count: 200))
        }
        let full = PipelineError.overloaded("the memory limit for bodies is reached")
        do {
            let first = Outcome()
            let handle = engine.load(.local(origin), completion: first.set)
            try await suspendWhile(handle.received < 600)
            #expect(await engine.failure(.local(origin)) == full)
            gate.open()
            #expect(await first.failure == nil)
            // Complete, and still in use.
            #expect(await engine.failure(.local(origin)) == full)
            #expect(engine.statistics.bytesInFlight == 800)
        }
        try await suspendWhile(engine.statistics.bytesInFlight > 0)
        #expect(await engine.failure(.local(origin)) == nil)
    }

    @Test func `receives bodies in the folder once half of the memory for bodies is used`() async throws {
        let folder = try TemporaryFolder()
        var configuration = TransferEngine.Configuration(memory: 1_000)
        configuration.folder = folder.path
        let engine = try TransferEngine(configuration: configuration)
        let origin = try ScriptedOrigin { _, connection in connection.respond(text: String(repeating: "a", count: 600))
        }
        let bodies = [
            try await engine.fetched(.local(origin)).body, try await engine.fetched(.local(origin)).body,
            try await engine.fetched(.local(origin)).body,
        ]
        #expect(engine.ledgers.memory.used == 600 && engine.ledgers.disk.used == 1_200)
        #expect(Set(bodies.map(\.digest)).count == 1)
        engine.ledgers.memory.setLimit(100)
        #expect(try await engine.fetched(.local(origin)).body.length == 600)
        #expect(bodies.allSatisfy { $0.length == 600 })
    }

    /// Whether a body's file is an unnamed one of a folder.
    private func lies(_ body: OriginBody, in folder: TemporaryFolder) -> Bool {
        let target = try? FileManager.default.destinationOfSymbolicLink(
            atPath: "/proc/self/fd/\(body.file.number)"
        )
        return target?.hasPrefix(folder.path + "/") ?? false
    }

    @Test func `receives bodies that will be stored in the folder, while that has room`() async throws {
        let folder = try TemporaryFolder()
        var configuration = TransferEngine.Configuration()
        configuration.folder = folder.path
        configuration.disk = 3 << 20
        let engine = try TransferEngine(configuration: configuration)
        let origin = try ScriptedOrigin { request, connection in
            let length = Int(request.target.dropFirst()) ?? 0
            connection.respond(text: String(repeating: "a", count: length))
        }
        func lands(_ length: Int, cache: CacheTiers) async throws -> Bool {
            var rule = SourceRule.local()
            rule.cache.originals = cache
            let body = try await engine.fetched(.local(origin, "/\(length)", rule)).body
            #expect(body.length == length)
            return lies(body, in: folder)
        }
        #expect(try await lands(65_536, cache: .all))
        #expect(try await lands(1 << 20, cache: .disk))
        #expect(try await !lands(65_535, cache: .all))
        #expect(try await !lands(1 << 20, cache: .memory))
        // More than half of what the folder may take.
        #expect(try await !lands(1 << 21, cache: .all))
        try await suspendWhile(engine.ledgers.disk.used + engine.ledgers.memory.used > 0)
    }

    @Test(.enabled(if: SmallMount.isPossible, "needs the right to mount file systems"))
    func `receives a body that the folder has no room for in memory`() async throws {
        let mount = try SmallMount(bytes: 1 << 16)
        var configuration = TransferEngine.Configuration()
        configuration.folder = mount.path
        let engine = try TransferEngine(configuration: configuration)
        let origin = try ScriptedOrigin { _, connection in
            connection.respond(text: String(repeating: "a", count: 70_000))
        }
        let body = try await engine.fetched(.local(origin)).body
        #expect(body.length == 70_000 && engine.ledgers.memory.used == 70_000)
    }

    @Test func `times out a silent origin`() async throws {
        let gate = try ScriptedGate()
        let origin = try ScriptedOrigin { _, connection in
            connection.waitForPeer()
            gate.open()
            connection.close()
        }
        #expect(await promptFailure(.local(origin, "/", times(firstByte: 500))) == .originTimeout("first byte"))
        #expect(gate.wait(milliseconds: 10_000))
    }

    @Test func `times out a stalled body`() async throws {
        let origin = try ScriptedOrigin { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            connection.waitForPeer()
            connection.close()
        }
        #expect(await promptFailure(.local(origin, "/", times(firstByte: 500))) == .originTimeout("stalled body"))
    }

    @Test func `times out a trickling body`() async throws {
        let origin = try ScriptedOrigin { _, connection in
            connection.send("HTTP/1.1 200 OK\r\n\r\n")
            var entry = pollfd(fd: -1, events: 0, revents: 0)
            while connection.send("x") { unsafe poll(&entry, 1, 20) }
            connection.close()
        }
        #expect(await promptFailure(.local(origin, "/", times(total: 800))) == .originTimeout("total"))
    }

    @Test func `counts the total time over all redirects`() async throws {
        let origin = try ScriptedOrigin { _, connection in
            var entry = pollfd(fd: -1, events: 0, revents: 0)
            unsafe poll(&entry, 1, 60)
            connection.respond("302 Found", ["Location: /again"])
        }
        var source = times(total: 800)
        source.limits.redirects = 1_000
        #expect(await engine.failure(.local(origin, "/", source)) == .originTimeout("total"))
        #expect(origin.requests < 20)
    }

    @Test func `reports the status if only a discarded body stalls`() async throws {
        let origin = try ScriptedOrigin { _, connection in
            connection.send("HTTP/1.1 404 X\r\nContent-Length: 10\r\n\r\nabc")
            connection.waitForPeer()
            connection.close()
        }
        #expect(await promptFailure(.local(origin, "/", times(firstByte: 500))) == .originStatus(404))
    }

    @Test func `times out a host that does not accept connections`() async throws {
        let deaf = try DeafListener()
        let fetch = OriginFetch("http://127.0.0.1:\(deaf.port)/", times(connect: 150))
        #expect(await promptFailure(fetch) == .originTimeout("connect"))
    }

    @Test func `reports a refused connection`() async throws {
        let origin = try ScriptedOrigin { _, _ in }
        origin.stop()
        #expect(await engine.failure(.local(origin)) == .originUnreachable("the connection failed"))
    }

    @Test(arguments: ["", "HTTP/1.1 200", "garbage\r\n\r\n", "\u{16}\u{3}\u{1}", "HTTP/1.1 999 X\r\n\r\n"])
    func `reports a response that is not HTTP`(_ bytes: String) async throws {
        let origin = try ScriptedOrigin { _, connection in
            connection.send(bytes)
            connection.close()
        }
        guard case .originProtocol = await engine.failure(.local(origin)) else {
            Issue.record("no protocol error for \(bytes.debugDescription)")
            return
        }
    }

    @Test func `limits the length of the response head`() async throws {
        let origin = try ScriptedOrigin { _, connection in
            connection.send("HTTP/1.1 200 OK\r\n")
            while connection.send("X-Filler: " + String(repeating: "a", count: 1_000) + "\r\n") {}
            connection.close()
        }
        #expect(await engine.failure(.local(origin)) == .originProtocol("response head over 64 KiB"))
    }

    @Test func `reports a failed TLS handshake`() async throws {
        let origin = try ScriptedOrigin { _, connection in connection.close() }
        let fetch = OriginFetch("https://127.0.0.1:\(origin.port)/", times(connect: 300))
        switch await engine.failure(fetch) {
        case .originUnreachable, .originTimeout: break
        case let other: Issue.record("\(String(describing: other))")
        }
    }
}

/// A listener with a full queue, so that connections to it hang.
final class DeafListener: Sendable {
    let port: UInt16
    private let sockets: [SharedDescriptor]

    init() throws {
        func made() throws -> SharedDescriptor {
            let type = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
            return SharedDescriptor(owning: try checked("socket") { socket(AF_INET, type, 0) })
        }
        let listener = try made()
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let callers = try (0..<4).map { _ in try made() }
        try unsafe withUnsafeMutablePointer(to: &address) { pointer in
            try unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                try checked("bind") { unsafe bind(listener.number, pointer, size) }
                try checked("listen") { listen(listener.number, 0) }
                try checked("getsockname") { unsafe getsockname(listener.number, pointer, &size) }
                for caller in callers { unsafe connect(caller.number, pointer, size) }
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        sockets = [listener] + callers
    }
}
