import CLinux
import Glibc
import HTTPKit
import LinuxSystem
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct GrowingBodyTests {
    /// A body that the test lets arrive.
    private final class Source: Sendable {
        let file: GrowingFile
        private let count = Lock(0)

        init(expected: Int? = nil) throws {
            let memory = SharedDescriptor(owning: try checked("memfd_create") { unsafe edge_memfd_create("test") })
            file = GrowingFile(memory, expected: expected)
        }

        func append(_ bytes: [UInt8]) throws {
            let written = try checked("write") {
                unsafe bytes.withUnsafeBytes { unsafe write(file.file.number, $0.baseAddress, $0.count) }
            }
            file.grow(
                to: count.withLock {
                    $0 += written; return $0
                }
            )
        }

        /// A response with the body as it arrives.
        var response: Reply {
            guard let reader = file.reader() else { return .now(Response(status: 502)) }
            return .now(Response(status: 200, body: .growing(reader, offset: 0, length: file.expected.map(Int64.init))))
        }
    }

    @Test func `sends what has arrived, and the rest when it arrives`() throws {
        let source = try Source(expected: 10)
        try source.append(Array("01".utf8))
        let server = try TestServer(respond: { _, _ in source.response })
        let client = try server.client()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.readHead()["Content-Length"] == "10")
        #expect(try client.read(exactly: 2) == Array("01".utf8))
        try source.append(Array("234".utf8))
        #expect(try client.read(exactly: 3) == Array("234".utf8))
        try source.append(Array("56789".utf8))
        source.file.end(.complete)
        #expect(try client.read(exactly: 5) == Array("56789".utf8))
        #expect(try client.get("/").text == "0123456789")
        #expect(server.handler.finished.first?.summary.isComplete == true)
    }

    @Test func `sends a body of unknown length in chunks, and keeps the connection open`() throws {
        let source = try Source()
        let server = try TestServer(respond: { _, _ in source.response })
        let client = try server.client()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.readHead()["Transfer-Encoding"] == "chunked")
        for text in ["a", "bc", String(repeating: "d", count: 70_000)] {
            try source.append(Array(text.utf8))
            var read = ""
            while read.count < text.count { read += String(decoding: try client.readChunk() ?? [], as: UTF8.self) }
            #expect(read == text)
        }
        source.file.end(.complete)
        #expect(try client.readChunk() == nil)
        #expect(try client.get("/").body.count == 70_003)
    }

    @Test func `sends a body of unknown length to an HTTP 1.0 client until the connection closes`() throws {
        let source = try Source()
        let server = try TestServer(respond: { _, _ in source.response })
        let client = try server.client()
        try client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        let head = try client.readHead()
        #expect(head["Transfer-Encoding"] == nil && head["Content-Length"] == nil)
        try source.append(Array("abc".utf8))
        #expect(try client.read(exactly: 3) == Array("abc".utf8))
        source.file.end(.complete)
        #expect(try client.isAtEnd())
    }

    @Test(arguments: [10, nil])
    func `cuts the connection if the body fails`(_ expected: Int?) throws {
        let source = try Source(expected: expected)
        try source.append(Array("abc".utf8))
        let server = try TestServer(respond: { _, _ in source.response })
        let client = try server.client()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try client.readHead()
        _ = try expected == nil ? client.readChunk() ?? [] : client.read(exactly: 3)
        source.file.end(.failed)
        #expect(try client.isAtEnd())
        #expect(server.handler.finished.map(\.summary.isComplete) == [false])
    }

    @Test func `closes a connection whose body ends before its length`() throws {
        let source = try Source(expected: 10)
        let server = try TestServer(respond: { _, _ in source.response })
        let client = try server.client()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try client.readHead()
        try source.append(Array("abc".utf8))
        source.file.end(.complete)
        #expect(try client.readToEnd() == Array("abc".utf8))
    }

    @Test func `responds to HEAD and to pipelined requests before and after a growing body`() throws {
        let source = try Source()
        let server = try TestServer(respond: { request, _ in
            request.target == "/grow" ? source.response : .now(Response(status: 200, body: .bytes(Array("now".utf8))))
        })
        let client = try server.client()
        try client.send(
            ["GET /a", "HEAD /grow", "GET /grow", "GET /b"].map { "\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined()
        )
        #expect(try client.readResponse().text == "now")
        #expect(try client.readResponse(toHEAD: true).status == 200)
        #expect(try client.readHead().status == 200)
        try source.append([65])
        #expect(try client.readChunk() == [65])
        source.file.end(.complete)
        #expect(try client.readChunk() == nil)
        #expect(try client.readResponse().text == "now")
    }

    @Test func `a client that leaves is no reader any more`() throws {
        let source = try Source()
        let left = Signal(false)
        let server = try TestServer(respond: { _, _ in source.response })
        let client = try server.client()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try client.readHead()
        source.file.onAbandon { left.update { $0 = true } }
        #expect(!left.value)
        client.reset()
        try left.wait { $0 }
        #expect(!source.file.hasReaders)
    }

    @Test func `a client that reads nothing while another waits is cut off after the patience`() throws {
        let source = try Source()
        let time = ManualTime()
        let server = try TestServer(
            {
                $0.loops = 1
                $0.time = time
                $0.timeouts.header = 4_000
                $0.timeouts.write = 60_000
            },
            respond: { _, _ in source.response }
        )
        let slow = try server.client(receiveBuffer: 1 << 16)
        let other = try server.client()
        for client in [slow, other] {
            try client.send("GET / HTTP/1.0\r\n\r\n")
            _ = try client.readHead()
        }
        // More than the sockets on the way to the slow client can hold.
        let part = (0..<100_003).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
        var body: [UInt8] = []
        for _ in 0..<200 { body += part }
        try source.append(body)
        // Like a writer, which is woken when bytes are forgotten, and soon paused again.
        let start = time.monotonic
        source.file.forgetRead { [weak file = source.file] in file?.stall(at: start) }
        source.file.stall(at: start)
        let isWhole = try other.read(exactly: body.count) == body
        #expect(isWhole)

        // A client whose request is late: the end of its connection shows that the others have been checked.
        let late = try server.client()
        try waitWhile(server.server.statistics.openConnections < 3)
        time.advance(seconds: 4)
        #expect(try late.isAtEnd())
        #expect(server.server.statistics.timedOut == 1)

        time.advance(seconds: 1)
        try waitWhile(server.server.statistics.timedOut < 2)
        let read = try slow.readToEnd()
        let isBeginning = read.count < body.count && read.elementsEqual(body.prefix(read.count))
        #expect(isBeginning && source.file.retained < 64 << 10)
        try source.append([65])
        source.file.end(.complete)
        #expect(try other.readToEnd() == [65])
    }

    @Test func `a slow origin does not time a client out, but a client that does not read is cut off`() throws {
        let source = try Source()
        let server = try TestServer({ $0.timeouts.write = 50 }, respond: { _, _ in source.response })
        let waiting = try server.client()
        try waiting.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try waiting.readHead()
        let stalled = try TestServer(
            { $0.timeouts.write = 50 },
            respond: { _, _ in
                .now(Response(status: 200, body: .bytes([UInt8](repeating: 7, count: 40 << 20))))
            }
        )
        let client = try stalled.client()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        // The write timeout has passed for both when this server has cut its client off.
        try waitWhile(stalled.handler.finished.isEmpty)
        try source.append([66])
        #expect(try waiting.readChunk() == [66])
        source.file.end(.complete)
        #expect(try waiting.readChunk() == nil)
    }
}
