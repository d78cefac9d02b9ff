import HTTPKit
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ClientAddressTests {
    /// Responds with the client's address.
    private static let tell: TestHandler.Respond = { _, context in
        .now(Response(status: 200, body: .bytes(Array(context.peer.description.utf8))))
    }

    private func server(trust: [String], proxyProtocol: Bool = false) throws -> TestServer {
        try TestServer(
            {
                $0.proxies = TrustedProxies(usesProxyProtocol: proxyProtocol) { trust.contains($0.description) }
            },
            respond: Self.tell
        )
    }

    private func client(_ server: TestServer, _ fields: [(String, String)]) throws -> String {
        try server.client().get("/", fields).text
    }

    @Test(arguments: [
        (["198.51.100.7"], "198.51.100.7"), (["198.51.100.7, 203.0.113.9"], "203.0.113.9"),
        (["198.51.100.7, 10.0.0.1"], "198.51.100.7"), (["6.6.6.6, 198.51.100.7, 10.0.0.1, 127.0.0.1"], "198.51.100.7"),
        (["6.6.6.6", "198.51.100.7", "10.0.0.1"], "198.51.100.7"), (["10.0.0.1"], "10.0.0.1"),
        (["2001:db8::1"], "2001:db8::1"), (["[2001:db8::1]"], "2001:db8::1"), (["[2001:db8::1]:443"], "2001:db8::1"),
        (["198.51.100.7:1234"], "198.51.100.7"), (["::ffff:198.51.100.7"], "198.51.100.7"),
        ([" \t198.51.100.7\t "], "198.51.100.7"),
        (["garbage"], "127.0.0.1"), ([""], "127.0.0.1"), (["198.51.100.7, garbage"], "127.0.0.1"),
        (["garbage, 10.0.0.1"], "10.0.0.1"), (["198.51.100.7,"], "127.0.0.1"), (["unknown"], "127.0.0.1"),
        (["[1.2.3.4]"], "127.0.0.1"),
        (["1.2.3.4:99999"], "127.0.0.1"), (["1.2.3.4:+80"], "127.0.0.1"), (["[::1]:-0"], "127.0.0.1"),
        (["[::1]x"], "127.0.0.1"), (["1.2.3.4 5.6.7.8"], "127.0.0.1"),
    ])
    func `trusts the nearest hop that is not a trusted proxy`(values: [String], expected: String) throws {
        let server = try server(trust: ["127.0.0.1", "10.0.0.1"])
        #expect(try client(server, values.map { ("X-Forwarded-For", $0) }) == expected)
        #expect(server.handler.finished.allSatisfy { $0.summary.peer.description == expected })
    }

    @Test func `trusts no other peer`() throws {
        let server = try server(trust: ["10.0.0.1"])
        #expect(try client(server, [("X-Forwarded-For", "198.51.100.7")]) == "127.0.0.1")
        #expect(try client(server, [("Forwarded", "for=198.51.100.7"), ("X-Real-IP", "198.51.100.7")]) == "127.0.0.1")
    }

    @Test func `takes the client from a PROXY header, and its trust from that client`() throws {
        let server = try server(trust: ["127.0.0.1", "10.0.0.1"], proxyProtocol: true)
        let client = try server.client()
        try client.send(
            "PROXY TCP4 198.51.100.7 127.0.0.1 1 2\r\nGET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 6.6.6.6\r\n\r\n"
        )
        #expect(try client.readResponse().text == "198.51.100.7")
        // Once per connection; what follows is HTTP.
        #expect(try client.get("/").text == "198.51.100.7")
        let nginx = try server.client()
        try nginx.send("PROXY TCP4 10.0.0.1 127.0.0.1 1 2\r\n")
        #expect(try nginx.get("/", [("X-Forwarded-For", "198.51.100.8")]).text == "198.51.100.8")
        let check = try server.client()
        try check.send("PROXY UNKNOWN\r\n")
        #expect(try check.get("/").text == "127.0.0.1")
    }

    @Test func `accepts a PROXY header byte by byte`() throws {
        let server = try server(trust: ["127.0.0.1"], proxyProtocol: true)
        let client = try server.client()
        for byte in Array("PROXY TCP6 2001:db8::7 ::1 1 2\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8) {
            try client.send([byte])
        }
        #expect(try client.readResponse().text == "2001:db8::7")
    }

    @Test func `closes on a trusted proxy without a header, and on a header from any other peer`() throws {
        let trusted = try server(trust: ["127.0.0.1"], proxyProtocol: true).client()
        try trusted.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try trusted.readResponse().status == 400)
        #expect(try trusted.isAtEnd())
        for proxyProtocol in [false, true] {
            let stranger = try server(trust: ["10.0.0.1"], proxyProtocol: proxyProtocol).client()
            try stranger.send("PROXY TCP4 198.51.100.7 127.0.0.1 1 2\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try stranger.readResponse().status == 400)
        }
    }

    @Test func `waits for a PROXY header no longer than for a request head`() throws {
        let server = try TestServer(
            {
                $0.timeouts.header = 50
                $0.proxies = TrustedProxies(usesProxyProtocol: true) { _ in true }
            },
            respond: Self.tell
        )
        let client = try server.client()
        try client.send("PROXY TCP4 ")
        #expect(try client.readResponse().status == 408)
    }
}
