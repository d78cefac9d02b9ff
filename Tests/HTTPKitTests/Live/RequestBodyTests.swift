import HTTPKit
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct RequestBodyTests {
    @Test func `passes on a body of known length, however it arrives`() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send(
            "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhelloPOST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nwo"
        )
        #expect(try client.readResponse().text == "/ahello")
        try client.send("rk")
        #expect(try client.readResponse().text == "/bwork")
        #expect(try client.get("/c").text == "/c")
    }

    @Test func `decodes a chunked body`() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send("POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4;x\r\nde")
        try client.send("fg\r\n0\r\nT: v\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.readResponse().text == "/aabcdefg")
        #expect(try client.readResponse().text == "/b")
    }

    @Test func `decodes a body in chunks of one byte`() throws {
        let server = try TestServer()
        let client = try server.client()
        let chunks = String(repeating: "1\r\nx\r\n", count: 65_000)
        try client.send("POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)0\r\n\r\n")
        #expect(try client.readResponse().body.count == 65_002)
    }

    @Test func `sends 100 Continue to a client that waits for it`() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send("PUT /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        #expect(try client.readResponse().status == 100)
        try client.send("xy")
        #expect(try client.readResponse().text == "/axy")
    }

    @Test func `sends no 100 Continue if the body has already arrived`() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send("PUT /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\nxy")
        #expect(try client.readResponse().status == 200)
    }

    @Test func `accepts a body at the limit and responds 413 to one over, without 100 Continue`() throws {
        let server = try TestServer({ $0.limits.body = 1000 })
        let fitting = try server.client()
        let body = String(repeating: "b", count: 1000)
        try fitting.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n" + body)
        #expect(try fitting.readResponse().body.count == 1001)
        // The two connections may belong to different loops, whose reports have no order.
        #expect(eventually { server.handler.finished.map(\.summary.status) == [200] })

        let expecting = try server.client()
        try expecting.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\nExpect: 100-continue\r\n\r\n")
        let refusal = try expecting.readResponse()
        #expect(refusal.status == 413)
        #expect(refusal["Connection"] == "close")
        #expect(try expecting.isAtEnd())
        #expect(server.handler.rejections == [.malformed(.bodyTooLong)])
        #expect(eventually { server.handler.finished.map(\.summary.status) == [200, 413] })
        #expect(server.handler.finished.map(\.summary.method) == [.post, .post])
        #expect(server.handler.finished.map(\.target) == ["/", "/"])
    }

    @Test(arguments: ["Content-Length: 200000", "Transfer-Encoding: chunked"])
    func `lets a client that sends too much read the rejection`(_ framing: String) throws {
        let server = try TestServer({ $0.limits.body = 1000 })
        let client = try server.client()
        try client.send("POST / HTTP/1.1\r\nHost: a\r\n\(framing)\r\n\r\n30000\r\n")
        for _ in 0..<20 { try client.send([UInt8](repeating: 65, count: 10_000)) }
        #expect(try client.readResponse().status == 413)
        #expect(try client.isAtEnd())
    }

    @Test func `stops reading a rejected body at a limit`() throws {
        let server = try TestServer({
            $0.limits.body = 10
            $0.limits.lingeringDrain = 100_000
            $0.timeouts.linger = 60_000
        })
        let client = try server.client()
        try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n")
        #expect(try client.readResponse().status == 413)
        #expect(throws: RawHTTPClient.Failure.self) {
            for _ in 0..<10_000 { try client.send([UInt8](repeating: 65, count: 65_536)) }
        }
        #expect(eventually { server.server.statistics.openConnections == 0 })
    }

    @Test func `rejects an unknown expectation`() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\n\r\n")
        #expect(try client.readResponse().status == 417)
        #expect(server.handler.rejections == [.unknownExpectation])
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/3.0\r\n\r\n", 505), ("GET / HTTP/1.1\nHost: a\n\n", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: , chunked\r\n\r\n0\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;\r\nhello\r\n0\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;bad[=x\r\nhello\r\n0\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost:\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a:80:90\r\n\r\n", 400),
        (String(repeating: "A", count: 33) + " / HTTP/1.1\r\nHost: a\r\n\r\n", 501),
        (String(repeating: "A", count: 100_000) + " / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        ("GET /" + String(repeating: "a", count: 9000) + " HTTP/1.1\r\nHost: a\r\n\r\n", 414),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "a", count: 17_000) + "\r\n\r\n", 431),
        ("GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: y\r\n", count: 100) + "\r\n", 431),
    ])
    func `rejects, closes, and serves what came before`(_ request: String, _ status: Int) throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send("GET /before HTTP/1.1\r\nHost: a\r\n\r\n" + request + "GET /after HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.readResponse().text == "/before")
        let refusal = try client.readResponse()
        #expect(refusal.status == status)
        #expect(refusal["Connection"] == "close")
        #expect(refusal.text == "refused\n")
        #expect(try client.isAtEnd())
        #expect(server.handler.requests.map(\.target) == ["/before"])
    }
}
