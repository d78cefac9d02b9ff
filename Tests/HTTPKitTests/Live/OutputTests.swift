import CLinux
import Glibc
import HTTPKit
import LinuxSystem
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct OutputTests {
    private static let content = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }

    /// A file in memory with `content`.
    private func file(_ content: [UInt8] = OutputTests.content) throws -> SharedDescriptor {
        let descriptor = SharedDescriptor(owning: try checked("memfd_create") { unsafe edge_memfd_create("test") })
        var written = 0
        while written < content.count {
            written += try checked("write") {
                unsafe content.withUnsafeBytes { raw in
                    unsafe write(descriptor.number, raw.baseAddress?.advanced(by: written), raw.count - written)
                }
            }
        }
        return descriptor
    }

    @Test(arguments: [0..<3_000_000, 0..<1, 2_999_999..<3_000_000, 4095..<1_000_001, 5..<5])
    func `sends exactly the range of a file`(_ range: Range<Int>) throws {
        let file = try file()
        let server = try TestServer(respond: { _, _ in
            .now(Response(status: 206, body: .file(file, offset: Int64(range.lowerBound), length: Int64(range.count))))
        })
        let client = try server.client()
        for _ in 0..<3 { #expect(try client.get("/").body == Array(Self.content[range])) }
    }

    @Test func `mixes files and bytes in one pipeline`() throws {
        let file = try file()
        let server = try TestServer(respond: { request, _ in
            switch request.target {
            case "/file": .now(Response(status: 200, body: .file(file, offset: 100, length: 200_000)))
            case "/bytes": .now(Response(status: 200, body: .bytes(Self.content, 7..<100_007)))
            default: .now(Response(status: 204))
            }
        })
        let client = try server.client()
        let targets = ["/file", "/bytes", "/none", "/file", "/file", "/none", "/bytes"]
        try client.send(targets.map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
        for target in targets {
            let body = try client.readResponse().body
            switch target {
            case "/file": #expect(body == Array(Self.content[100..<200_100]))
            case "/bytes": #expect(body == Array(Self.content[7..<100_007]))
            default: #expect(body.isEmpty)
            }
        }
    }

    @Test func `sends no part of a file for HEAD`() throws {
        let file = try file()
        let server = try TestServer(respond: { _, _ in
            .now(Response(status: 200, body: .file(file, offset: 0, length: 3_000_000)))
        })
        let client = try server.client()
        try client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.readResponse(toHEAD: true)["Content-Length"] == "3000000")
        #expect(try client.get("/").body.count == 3_000_000)
    }

    @Test func `closes if a file is shorter than announced, and tells the handler`() throws {
        let file = try file([1, 2, 3])
        let server = try TestServer(respond: { _, _ in
            .now(Response(status: 200, body: .file(file, offset: 0, length: 10)))
        })
        let client = try server.client()
        #expect(throws: RawHTTPClient.Failure.self) { try client.get("/") }
        #expect(eventually { server.handler.finished.map(\.summary.isComplete) == [false] })
        #expect(server.handler.failedFiles.map(\.number) == [file.number])
    }

    @Test(arguments: [true, false])
    func `sends everything to a slow reader, in order`(_ usesFile: Bool) throws {
        let file = try file()
        let server = try TestServer(respond: { _, _ in
            let body: ResponseBody =
                usesFile ? .file(file, offset: 0, length: Int64(Self.content.count)) : .bytes(Self.content)
            return .now(Response(status: 200, body: body))
        })
        let client = try server.client(receiveBuffer: 4096)
        try client.send(String(repeating: "GET / HTTP/1.1\r\nHost: a\r\n\r\n", count: 5))
        for _ in 0..<5 { #expect(try client.readResponse().body == Self.content) }
        #expect(eventually { server.handler.finished.count == 5 })
        #expect(server.handler.finished.allSatisfy { $0.summary.isComplete && $0.target == "/" })
    }

    @Test func `survives a client that disconnects during a response`() throws {
        let body = [UInt8](repeating: 1, count: 32 << 20)
        let server = try TestServer(respond: { _, _ in .now(Response(status: 200, body: .bytes(body))) })
        for _ in 0..<5 {
            let client = try server.client(receiveBuffer: 4096)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try client.read(exactly: 1000)
            client.reset()
        }
        #expect(eventually { server.server.statistics.openConnections == 0 })
        #expect(server.handler.finished.count == 5)
        #expect(try server.client().get("/").body.count == body.count)
    }

    @Test func `a late response follows unwritten output of earlier ones`() throws {
        let promises = Lock<[ResponsePromise]>([])
        let asked = Signal(0)
        let server = try TestServer(respond: { request, context in
            guard request.target == "/late" else {
                return .now(Response(status: 200, body: .bytes(Self.content, 0..<1_000_000)))
            }
            promises.withLock { $0.append(context.promise()) }
            asked.update { $0 += 1 }
            return .later
        })
        let client = try server.client()
        try client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\nGET /late HTTP/1.1\r\nHost: a\r\n\r\n")
        try asked.wait { $0 == 1 }
        // The client has read nothing: most of the first response is waiting for the socket.
        promises.withLock { $0.removeFirst() }.complete(Response(status: 200, body: .bytes(Self.content, 5..<900_000)))
        let marker = try server.client()
        _ = try marker.get("/large")
        #expect(try client.readResponse().body == Array(Self.content[0..<1_000_000]))
        #expect(try client.readResponse().body == Array(Self.content[5..<900_000]))
        try client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.readResponse().body.count == 1_000_000)
    }
}
