import HTTPKit
import LinuxSystem
import TestSupport
import Testing

/// Interim responses (1xx) ahead of promised responses.
@Suite(.timeLimit(.minutes(1))) struct InterimTests {
    private let box = PromiseBox()

    /// Promises the response to `/later…`, and responds to everything else at once.
    private func server() throws -> TestServer {
        try TestServer(respond: { [box] request, context in
            guard request.target.hasPrefix("/later") else { return .now(Self.response(request.target)) }
            box.take(request.target, context)
            return .later
        })
    }

    private static func response(_ text: String) -> Response {
        Response(status: 200, body: .bytes(Array(text.utf8)))
    }

    private func promise(_ target: String) throws -> ResponsePromise {
        #expect(box.taken.wait())
        return try #require(box.promise(target))
    }

    private static let hint = FieldBlock(["Link": "</a>; rel=preload"]).bytes

    @Test func `an interim response is sent before the response is ready, and leaves it unchanged`() throws {
        let server = try server()
        let client = try server.client()
        try client.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n")
        let promise = try promise("/later")
        promise.interim(status: 103, fields: Self.hint)
        let early = try client.readResponse()
        #expect(early.head == "HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n")
        promise.interim(status: 102, fields: [])
        #expect(try client.readResponse().head == "HTTP/1.1 102 Processing\r\n\r\n")
        promise.complete(Self.response("late"))
        let final = try client.readResponse()
        #expect(final.status == 200 && final.text == "late" && final["Link"] == nil)
        #expect(try client.get("/next").text == "/next")
        // The log has one exchange for each request, with the length of the final response only.
        #expect(eventually { server.handler.finished.count == 2 })
        let summary = try #require(server.handler.finished.first?.summary)
        #expect(summary.status == 200 && summary.isComplete)
        #expect(summary.bytesSent == Int64(final.head.utf8.count + final.body.count))
    }

    @Test func `a client of HTTP 1.0 gets none`() throws {
        let server = try server()
        let client = try server.client()
        try client.send("GET /later HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        let promise = try promise("/later")
        promise.interim(status: 103, fields: Self.hint)
        promise.complete(Self.response("late"))
        #expect(try client.readResponse().status == 200)
    }

    @Test func `after the response there is none, and the next request's order is kept`() throws {
        let server = try server()
        let client = try server.client()
        try client.send("GET /later1 HTTP/1.1\r\nHost: a\r\n\r\nGET /later2 HTTP/1.1\r\nHost: a\r\n\r\n")
        let first = try promise("/later1")
        first.complete(Self.response("one"))
        #expect(try client.readResponse().text == "one")
        let second = try promise("/later2")
        first.interim(status: 103, fields: Self.hint)
        second.complete(Self.response("two"))
        #expect(try client.readResponse().text == "two")
        second.interim(status: 103, fields: Self.hint)
        #expect(try client.get("/next").text == "/next")
    }

    @Test func `pipelined requests get theirs in the order of the responses`() throws {
        let server = try server()
        let client = try server.client()
        let targets = ["/1", "/later2", "/3", "/later4"]
        try client.send(targets.map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
        for (before, target) in [("/1", "/later2"), ("/3", "/later4")] {
            let promise = try promise(target)
            promise.interim(status: 103, fields: FieldBlock(["X": target]).bytes)
            #expect(try client.readResponse().text == before)
            let early = try client.readResponse()
            #expect(early.status == 103 && early["X"] == target)
            promise.complete(Self.response(target))
            #expect(try client.readResponse().text == target)
        }
    }

    @Test func `one follows earlier output that the client has not read yet`() throws {
        let large = [UInt8](repeating: 7, count: 8 << 20)
        let server = try TestServer(respond: { [box] request, context in
            guard request.target == "/later" else { return .now(Response(status: 200, body: .bytes(large))) }
            box.take(request.target, context)
            return .later
        })
        let client = try server.client(receiveBuffer: 4096)
        try client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\nGET /later HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.readResponse().body.count == large.count)
        let promise = try promise("/later")
        promise.interim(status: 103, fields: Self.hint)
        promise.complete(Self.response("late"))
        #expect(try client.readResponse().status == 103)
        #expect(try client.readResponse().text == "late")
    }

    @Test func `a flood is cut off, and other statuses are dropped`() throws {
        let server = try server()
        let client = try server.client()
        try client.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n")
        let promise = try promise("/later")
        for status: UInt16 in [0, 100, 101, 200, 304, 999] { promise.interim(status: status, fields: []) }
        for _ in 0..<1000 { promise.interim(status: 103, fields: Self.hint) }
        promise.complete(Self.response("late"))
        for _ in 0..<ResponsePromise.interimLimit { #expect(try client.readResponse().status == 103) }
        #expect(try client.readResponse().text == "late")
    }

    @Test func `one for a client that has left is dropped`() throws {
        let server = try server()
        let client = try server.client()
        try client.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n")
        let promise = try promise("/later")
        client.reset()
        #expect(eventually { server.server.statistics.openConnections == 0 })
        // The slot goes to another client.
        let other = try server.client()
        try other.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n")
        let own = try self.promise("/later")
        promise.interim(status: 103, fields: Self.hint)
        own.complete(Self.response("own"))
        #expect(try other.readResponse().text == "own")
    }
}
