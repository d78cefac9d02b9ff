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

    /// The failure, and that it came in time: far sooner than any deadline that was not asked for.
    private func promptFailure(_ fetch: OriginFetch) async -> PipelineError? {
        let start = SystemTime().monotonic
        let failure = await engine.failure(fetch)
        #expect(SystemTime().monotonic - start < 3_000_000_000)
        return failure
    }

    private func times(connect: Int = 5_000, firstByte: Int = 10_000, total: Int = 30_000) -> SourceRule {
        .local(timeouts: SourceRule.Timeouts(connect: connect, firstByte: firstByte, total: total))
    }

    @Test func `takes a body shorter than its length for broken`() async throws {
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

    @Test func `takes a head of which one line is too long for broken, and not for want of memory`() async throws {
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

    @Test func `takes contradictory lengths for broken`() async throws {
        let origin = try ScriptedOrigin { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd")
        }
        guard case .originProtocol = await engine.failure(.local(origin)) else {
            Issue.record("took the body")
            return
        }
    }

    @Test func `takes a body of exactly the limit, and no more, with and without a length`() async throws {
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

    @Test func `gives up early on a length over the limit`() async throws {
        let origin = try ScriptedOrigin { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n")
            // Not a byte of the body: only the head can have told.
            connection.waitForPeer()
            connection.close()
        }
        let source = SourceRule.local(limits: SourceRule.Limits(sourceBytes: 1_000))
        #expect(await engine.failure(.local(origin, "/", source)) == .sourceTooLarge(limit: 1_000))
        await origin.openConnections(fallTo: 0)
    }

    @Test func `stops an endless body at the limit`() async throws {
        let origin = try ScriptedOrigin { _, connection in
            connection.send("HTTP/1.1 200 OK\r\n\r\n")
            while connection.send([UInt8](repeating: 65, count: 65_536)) {}
            connection.close()
        }
        let source = SourceRule.local(limits: SourceRule.Limits(sourceBytes: 3 << 20))
        #expect(await engine.failure(.local(origin, "/", source)) == .sourceTooLarge(limit: 3 << 20))
        #expect(engine.statistics.bytesInFlight == 0)
    }

    @Test func `bounds the memory of all incomplete bodies together`() async throws {
        let engine = try TransferEngine(configuration: TransferEngine.Configuration(memory: 1_000))
        let gate = try ScriptedGate()
        let origin = try ScriptedOrigin { request, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 800\r\n\r\n" + String(repeating: "a", count: 600))
            if request.number == 1 { gate.wait() }
            connection.send(String(repeating: "b", count: 200))
        }
        let first = Outcome()
        let handle = engine.load(.local(origin), completion: first.set)
        while handle.received < 600 { await Task.yield() }
        #expect(await engine.failure(.local(origin)) == .overloaded("memory for bodies is used up"))
        gate.open()
        #expect(await first.failure == nil)
        #expect(await engine.failure(.local(origin)) == nil)
    }

    @Test func `gives a silent origin up`() async throws {
        let gate = try ScriptedGate()
        let origin = try ScriptedOrigin { _, connection in
            connection.waitForPeer()
            gate.open()
            connection.close()
        }
        #expect(await promptFailure(.local(origin, "/", times(firstByte: 500))) == .originTimeout("first byte"))
        #expect(gate.wait(milliseconds: 10_000))
    }

    @Test func `gives a stalled body up`() async throws {
        let origin = try ScriptedOrigin { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            connection.waitForPeer()
            connection.close()
        }
        #expect(await promptFailure(.local(origin, "/", times(firstByte: 500))) == .originTimeout("stalled body"))
    }

    @Test func `gives a trickling body up when the time is over`() async throws {
        let origin = try ScriptedOrigin { _, connection in
            connection.send("HTTP/1.1 200 OK\r\n\r\n")
            var entry = pollfd(fd: -1, events: 0, revents: 0)
            while connection.send("x") { unsafe poll(&entry, 1, 20) }
            connection.close()
        }
        #expect(await promptFailure(.local(origin, "/", times(total: 800))) == .originTimeout("total"))
    }

    @Test func `counts the time over all redirects`() async throws {
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

    @Test func `answers with the status when only the rest of an unwanted body stalls`() async throws {
        let origin = try ScriptedOrigin { _, connection in
            connection.send("HTTP/1.1 404 X\r\nContent-Length: 10\r\n\r\nabc")
            connection.waitForPeer()
            connection.close()
        }
        #expect(await promptFailure(.local(origin, "/", times(firstByte: 500))) == .originStatus(404))
    }

    @Test func `gives up a host that does not take connections`() async throws {
        let deaf = try DeafListener()
        let fetch = OriginFetch("http://127.0.0.1:\(deaf.port)/", times(connect: 150))
        #expect(await promptFailure(fetch) == .originTimeout("connect"))
    }

    @Test func `tells a refused connection`() async throws {
        let origin = try ScriptedOrigin { _, _ in }
        origin.stop()
        #expect(await engine.failure(.local(origin)) == .originUnreachable("no connection"))
    }

    @Test(arguments: ["", "HTTP/1.1 200", "garbage\r\n\r\n", "\u{16}\u{3}\u{1}", "HTTP/1.1 999 X\r\n\r\n"])
    func `tells what is no HTTP answer`(_ bytes: String) async throws {
        let origin = try ScriptedOrigin { _, connection in
            connection.send(bytes)
            connection.close()
        }
        guard case .originProtocol = await engine.failure(.local(origin)) else {
            Issue.record("no protocol error for \(bytes.debugDescription)")
            return
        }
    }

    @Test func `bounds the answer's head`() async throws {
        let origin = try ScriptedOrigin { _, connection in
            connection.send("HTTP/1.1 200 OK\r\n")
            while connection.send("X-Filler: " + String(repeating: "a", count: 1_000) + "\r\n") {}
            connection.close()
        }
        #expect(await engine.failure(.local(origin)) == .originProtocol("response head over 64 KiB"))
    }

    @Test func `tells TLS that is none`() async throws {
        let origin = try ScriptedOrigin { _, connection in connection.close() }
        let fetch = OriginFetch("https://127.0.0.1:\(origin.port)/", times(connect: 300))
        switch await engine.failure(fetch) {
        case .originUnreachable, .originTimeout: break
        case let other: Issue.record("\(String(describing: other))")
        }
    }
}

/// A listener whose queue is full: connections to it hang.
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
