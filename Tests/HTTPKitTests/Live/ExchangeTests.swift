import HTTPKit
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct ExchangeTests {
    @Test func `serves several requests on one connection`() throws {
        let server = try TestServer()
        let client = try server.client()
        for index in 0..<50 {
            let response = try client.get("/\(index)")
            #expect(response.status == 200)
            #expect(response.text == "/\(index)")
            #expect(response["Date"]?.hasSuffix(" GMT") == true)
            #expect(response["Connection"] == nil)
        }
        #expect(server.server.statistics.accepted == 1)
        #expect(server.server.statistics.requests == 50)
    }

    @Test func `serves pipelined requests in order`() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send((0..<500).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
        for index in 0..<500 { #expect(try client.readResponse().text == "/\(index)") }
    }

    @Test func `sends large pipelined bodies in order`() throws {
        let body = [UInt8](repeating: 7, count: 300_000)
        let server = try TestServer(respond: { request, _ in
            .now(Response(status: 200, fields: FieldBlock(["X-Target": request.target]).bytes, body: .bytes(body)))
        })
        let client = try server.client()
        try client.send((0..<40).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
        for index in 0..<40 {
            let response = try client.readResponse()
            #expect(response["X-Target"] == "/\(index)")
            #expect(response.body == body)
        }
    }

    @Test func `accepts a request byte by byte`() throws {
        let server = try TestServer()
        let client = try server.client()
        for byte in "POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc".utf8 { try client.send([byte]) }
        #expect(try client.readResponse().text == "/slowabc")
        #expect(try client.get("/next").text == "/next")
    }

    @Test func `sends the length without the body for HEAD`() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send("HEAD /abc HTTP/1.1\r\nHost: a\r\n\r\nGET /d HTTP/1.1\r\nHost: a\r\n\r\n")
        let head = try client.readResponse(toHEAD: true)
        #expect(head["Content-Length"] == "4")
        #expect(try client.readResponse().text == "/d")
    }

    @Test func `closes after HTTP 1.0 unless asked to keep alive`() throws {
        let server = try TestServer()
        let keeping = try server.client()
        try keeping.send("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        #expect(try keeping.readResponse()["Connection"] == "keep-alive")
        try keeping.send("GET /b HTTP/1.0\r\n\r\n")
        let last = try keeping.readResponse()
        #expect(last.text == "/b")
        #expect(last["Connection"] == "close")
        #expect(try keeping.isAtEnd())
    }

    @Test func `closes when the client or the handler requests it`() throws {
        let server = try TestServer(respond: { request, _ in
            .now(Response(status: 200, body: .bytes([65]), closesConnection: request.target == "/close"))
        })
        for request in [
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "GET /close HTTP/1.1\r\nHost: a\r\n\r\n",
        ] {
            let client = try server.client()
            // Input after the last request is discarded, and does not cost the client its response.
            try client.send(request + "GET /never HTTP/1.1\r\nHost: a\r\n\r\n")
            let response = try client.readResponse()
            #expect(response.text == "A")
            #expect(response["Connection"] == "close")
            #expect(try client.isAtEnd())
        }
        #expect(server.handler.requests.count == 2)
    }

    @Test func `responds to a client that has shut down its sending side`() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n")
        client.shutdownWrite()
        #expect(try client.readResponse().text == "/a")
        #expect(try client.readResponse().text == "/b")
        #expect(try client.isAtEnd())
        #expect(eventually { server.server.statistics.openConnections == 0 })
    }

    @Test func `closes silently on a client that disconnects during a request`() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send("GET /a HT")
        client.shutdownWrite()
        #expect(try client.isAtEnd())
        #expect(server.handler.requests.isEmpty)
    }

    @Test func `reports the outcome of each exchange to the handler`() throws {
        let server = try TestServer(respond: { request, _ in
            .now(Response(status: 201, body: .bytes(Array(request.target.utf8)), tag: 42))
        })
        let client = try server.client()
        try client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\nHEAD /bb HTTP/1.1\r\nHost: a\r\n\r\n")
        let first = try client.readResponse()
        _ = try client.readResponse(toHEAD: true)
        #expect(eventually { server.handler.finished.count == 2 })
        let finished = server.handler.finished
        #expect(finished.map(\.target) == ["/a", "/bb"])
        #expect(finished.map(\.summary.method) == [.get, .head])
        #expect(finished.allSatisfy { $0.summary.isComplete && $0.summary.tag == 42 && $0.summary.status == 201 })
        #expect(finished.first?.summary.bytesSent == Int64(first.head.utf8.count + 2))
        #expect(finished.first?.summary.peer.description == "127.0.0.1")
        #expect(finished.allSatisfy { $0.summary.duration >= 0 })
    }

    @Test func `reports nothing if completions are not wanted`() throws {
        let server = try TestServer(wantsCompletions: false)
        #expect(try server.client().get("/a").text == "/a")
        #expect(server.handler.finished.isEmpty)
    }

    @Test func `closes after the configured number of requests`() throws {
        let server = try TestServer({ $0.limits.requestsPerConnection = 3 })
        let client = try server.client()
        #expect(try client.get("/1")["Connection"] == nil)
        #expect(try client.get("/2")["Connection"] == nil)
        #expect(try client.get("/3")["Connection"] == "close")
        #expect(try client.isAtEnd())
    }
}
