import HTTPKit
import LinuxSystem
import Synchronization
import TestSupport
import Testing

/// A clock that only tests advance.
final class SteppedTime: TimeSource {
    private let nanoseconds = Atomic<Int64>(1_000_000_000)

    var monotonic: Int64 { nanoseconds.load(ordering: .relaxed) }
    var wallSeconds: Int64 { 784_111_777 + monotonic / 1_000_000_000 }

    func advance(milliseconds: Int64) { nanoseconds.add(milliseconds * 1_000_000, ordering: .relaxed) }
}

@Suite(.timeLimit(.minutes(1))) struct TimeoutTests {
    private let time = SteppedTime()

    private func server(respond: @escaping TestHandler.Respond = TestServer.echo) throws -> TestServer {
        try TestServer({ [time] in $0.time = time }, respond: respond)
    }

    @Test func `responds 408 to an incomplete head after the timeout`() throws {
        let server = try server()
        let client = try server.client()
        try client.send("GET / HTTP/1.1\r\nHo")
        #expect(eventually { server.server.statistics.bytesReceived > 0 })
        time.advance(milliseconds: 10_001)
        #expect(try client.readResponse().status == 408)
        #expect(try client.isAtEnd())
        #expect(server.handler.rejections == [.timeout])
        #expect(server.server.statistics.timedOut == 1)
    }

    @Test func `does not extend the timeout with each byte of a head`() throws {
        let server = try server()
        let client = try server.client()
        for byte in "GET / HTTP".utf8 {
            let before = server.server.statistics.bytesReceived
            try client.send([byte])
            #expect(eventually { server.server.statistics.bytesReceived > before })
            time.advance(milliseconds: 1_100)
        }
        #expect(try client.readResponse().status == 408)
    }

    @Test func `responds 408 to an incomplete body after the timeout`() throws {
        let server = try server()
        let client = try server.client()
        try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab")
        #expect(eventually { server.server.statistics.bytesReceived > 0 })
        time.advance(milliseconds: 10_001)
        #expect(try client.readResponse().status == 408)
    }

    @Test func `closes silently if nothing was received`() throws {
        let server = try server()
        let client = try server.client()
        #expect(eventually { server.server.statistics.accepted == 1 })
        time.advance(milliseconds: 10_001)
        #expect(try client.isAtEnd())
        #expect(server.handler.rejections.isEmpty)
    }

    @Test func `closes idle connections silently, and not too early`() throws {
        let server = try server()
        let client = try server.client()
        #expect(try client.get("/a").text == "/a")
        time.advance(milliseconds: 59_000)
        #expect(try client.get("/b").text == "/b")
        time.advance(milliseconds: 59_000)
        #expect(try client.get("/c").text == "/c")
        time.advance(milliseconds: 60_001)
        #expect(try client.isAtEnd())
    }

    @Test func `waits for a promised response without limit`() throws {
        let box = PromiseBox()
        let server = try server { request, context in
            box.take(request.target, context)
            return .later
        }
        let client = try server.client()
        try client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(box.taken.wait())
        time.advance(milliseconds: 1_000_000)
        #expect(!box.cancelled.wait(milliseconds: 50))
        box.complete("/a", Response(status: 204))
        #expect(try client.readResponse().status == 204)
    }

    @Test func `counts a connection that times out once, and none that waits for its response`() throws {
        let box = PromiseBox()
        let server = try TestServer {
            $0.time = time
            $0.loops = 1
        } respond: { request, context in
            box.take(request.target, context)
            return .later
        }
        let waiting = try server.client()
        try waiting.send("GET /a HTTP/1.1\r\nHo")
        #expect(eventually { server.server.statistics.bytesReceived > 0 })
        try waiting.send("st: a\r\n\r\n")
        #expect(box.taken.wait())
        let silent = try server.client()
        #expect(eventually { server.server.statistics.accepted == 2 })
        time.advance(milliseconds: 10_001)
        // Swept in one turn, after the one that waits.
        #expect(try silent.isAtEnd())
        #expect(server.server.statistics.timedOut == 1)
        box.complete("/a", Response(status: 204))
        #expect(try waiting.readResponse().status == 204)
    }

    @Test func `closes the connection of a response without progress`() throws {
        let body = [UInt8](repeating: 1, count: 64 << 20)
        let server = try server { _, _ in .now(Response(status: 200, body: .bytes(body))) }
        let client = try server.client(receiveBuffer: 4096)
        try client.send("GET /big HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(eventually { server.server.statistics.bytesSent > 0 })
        time.advance(milliseconds: 29_000)
        _ = try client.read(exactly: 20_000_000)
        #expect(server.server.statistics.openConnections == 1)
        #expect(
            eventually {
                time.advance(milliseconds: 31_000)
                return server.server.statistics.openConnections == 0
            }
        )
        #expect(server.handler.finished.map(\.summary.isComplete) == [false])
        #expect(server.handler.finished.allSatisfy { (20_000_000..<(64 << 20)).contains(Int($0.summary.bytesSent)) })
    }

    @Test func `closes the connection of a rejected client that does not close it`() throws {
        let server = try server()
        let client = try server.client()
        try client.send("broken\r\n\r\n")
        #expect(try client.readResponse().status == 400)
        #expect(try client.isAtEnd())
        #expect(server.server.statistics.openConnections == 1)
        time.advance(milliseconds: 2_001)
        #expect(eventually { server.server.statistics.openConnections == 0 })
    }

    @Test func `writes the date from its clock`() throws {
        let server = try server()
        let client = try server.client()
        #expect(try client.get("/")["Date"] == "Sun, 06 Nov 1994 08:49:38 GMT")
        time.advance(milliseconds: 1000)
        #expect(try client.get("/")["Date"] == "Sun, 06 Nov 1994 08:49:39 GMT")
    }
}
