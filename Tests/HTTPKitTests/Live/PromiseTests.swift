import HTTPKit
import LinuxSystem
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct PromiseTests {
    private let box = PromiseBox()

    /// Responds to `/later…` when the test completes its promise, to everything else at once.
    private func server(_ change: (inout ServerConfiguration) -> Void = { _ in }) throws -> TestServer {
        try TestServer(change) { [box] request, context in
            guard request.target.hasPrefix("/later") else {
                return .now(Response(status: 200, body: .bytes(Array(request.target.utf8))))
            }
            box.take(request.target, context)
            return .later
        }
    }

    private func text(_ text: String) -> Response { Response(status: 200, body: .bytes(Array(text.utf8))) }

    @Test func `keeps pipelined responses in order if an early one is late`() throws {
        let server = try server()
        let client = try server.client()
        let targets = ["/1", "/later2", "/3", "/later4", "/5"]
        try client.send(targets.map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
        #expect(try client.readResponse().text == "/1")
        #expect(box.taken.wait())
        #expect(server.handler.requests.count == 2)
        box.complete("/later2", text("two"))
        #expect(try client.readResponse().text == "two")
        #expect(try client.readResponse().text == "/3")
        #expect(box.taken.wait())
        box.complete("/later4", text("four"))
        #expect(try client.readResponse().text == "four")
        #expect(try client.readResponse().text == "/5")
        #expect(eventually { server.handler.finished.map(\.target) == targets })
    }

    @Test func `accepts a promise completed before the handler returns`() throws {
        let server = try TestServer(respond: { request, context in
            context.promise().complete(Response(status: 200, body: .bytes(Array(request.target.utf8))))
            return .later
        })
        let client = try server.client()
        try client.send((0..<100).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
        for index in 0..<100 { #expect(try client.readResponse().text == "/\(index)") }
    }

    @Test func `completes from many threads at once`() throws {
        let server = try TestServer(respond: { request, context in
            let promise = context.promise()
            let response = Response(status: 200, body: .bytes(Array(request.target.utf8)))
            try? SystemThread.start(name: "completer") { promise.complete(response) }
            return .later
        })
        let clients = try (0..<20).map { _ in try server.client() }
        for round in 0..<20 {
            for (index, client) in clients.enumerated() {
                try client.send("GET /\(round)/\(index) HTTP/1.1\r\nHost: a\r\n\r\n")
            }
            for (index, client) in clients.enumerated() {
                #expect(try client.readResponse().text == "/\(round)/\(index)")
            }
        }
    }

    @Test func `responds once to a promise completed twice`() throws {
        let server = try TestServer(respond: { request, context in
            let promise = context.promise()
            promise.complete(Response(status: 201))
            promise.complete(Response(status: 202))
            return .later
        })
        let client = try server.client()
        #expect(try client.get("/a").status == 201)
        #expect(try client.get("/b").status == 201)
    }

    @Test func `responds 500 for a dropped promise, and continues`() throws {
        let server = try server()
        let client = try server.client()
        try client.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(box.taken.wait())
        box.drop("/later")
        #expect(try client.readResponse().status == 500)
        #expect(server.handler.rejections == [.abandoned])
        #expect(try client.get("/next").text == "/next")
    }

    @Test func `responds 500 if the handler returns later without a promise`() throws {
        let server = try TestServer(respond: { _, _ in .later })
        #expect(try server.client().get("/").status == 500)
    }

    @Test func `ignores a promise if the handler responds at once`() throws {
        let server = try TestServer(respond: { [box] request, context in
            box.take(request.target, context)
            return .now(Response(status: 200, body: .bytes(Array("now".utf8))))
        })
        let client = try server.client()
        #expect(try client.get("/a").text == "now")
        box.complete("/a", text("late"))
        #expect(try client.get("/b").text == "now")
    }

    @Test func `responds to a half-closed client when the response is ready`() throws {
        let server = try server()
        let client = try server.client()
        try client.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n")
        client.shutdownWrite()
        #expect(box.taken.wait())
        #expect(!box.cancelled.wait(milliseconds: 50))
        box.complete("/later", text("here"))
        #expect(try client.readResponse().text == "here")
        #expect(try client.isAtEnd())
    }

    @Test func `treats a half-closed client as gone if configured`() throws {
        let server = try server { $0.halfClose = .gone }
        let client = try server.client()
        try client.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(box.taken.wait())
        client.shutdownWrite()
        #expect(box.cancelled.wait())
        #expect(try client.isAtEnd())

        let hasty = try server.client()
        try hasty.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n")
        hasty.shutdownWrite()
        #expect(box.cancelled.wait())
    }

    @Test func `gives up a half-closed client while others wait for what it holds`() throws {
        let isContended = Lock(false)
        // Called once in each sweep that finds a half-closed client.
        let sweeps = Signal(0)
        let server = try server {
            $0.isContended = {
                sweeps.update { $0 += 1 }
                return isContended.withLock { $0 }
            }
        }
        func sweep() throws {
            let seen = sweeps.value
            try sweeps.wait { $0 >= seen + 2 }
        }
        let (gone, other) = (try server.client(), try server.client())
        try gone.send("GET /later1 HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(box.taken.wait())
        gone.shutdownWrite()
        isContended.withLock { $0 = true }
        // Nobody else waits.
        try sweep()
        #expect(!box.cancelled.wait(milliseconds: 0))
        isContended.withLock { $0 = false }
        try other.send("GET /later2 HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(box.taken.wait())
        try sweep()
        #expect(!box.cancelled.wait(milliseconds: 0))
        isContended.withLock { $0 = true }
        #expect(box.cancelled.wait())
        #expect(try gone.isAtEnd())
        box.complete("/later2", text("here"))
        #expect(try other.readResponse().text == "here")
    }

    @Test func `cancels when the client resets, and drops the response`() throws {
        let server = try server()
        let client = try server.client()
        try client.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(box.taken.wait())
        client.reset()
        #expect(box.cancelled.wait())
        #expect(server.server.statistics.openConnections == 0)
        #expect(server.handler.finished.map(\.summary.isComplete) == [false])
        // The slot goes to another client, which must not get its predecessor's response.
        let other = try server.client()
        box.complete("/later", text("not yours"))
        #expect(try other.get("/mine").text == "/mine")
    }

    @Test func `stops reading while a response is due`() throws {
        let server = try server()
        let client = try server.client(timeoutMilliseconds: 200)
        try client.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(box.taken.wait())
        let flood = [UInt8](repeating: 65, count: 1 << 20)
        #expect(throws: RawHTTPClient.Failure.timedOut) { for _ in 0..<100 { try client.send(flood) } }
        #expect(server.server.statistics.bytesReceived < 1 << 20)
    }
}
