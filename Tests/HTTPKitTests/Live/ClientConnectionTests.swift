import Glibc
import HTTPKit
import LinuxSystem
import TestSupport
import Testing

/// The limit on connections of one client.
@Suite(.timeLimit(.minutes(1)))
struct ClientConnectionTests {
    private func refused(_ client: RawHTTPClient) throws {
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.readResponse().status == 429)
        #expect(try client.isAtEnd())
    }

    /// Loopback has the whole network 127.0.0.0/8: a client of another address connects to it from there.
    private func client(of server: TestServer, from address: String) throws -> RawHTTPClient {
        try RawHTTPClient(port: server.port, from: address)
    }

    @Test func `a client with its maximum of connections gets 429 on the next, and others are served`() throws {
        let server = try TestServer({ $0.maximumConnectionsPerClient = 5 })
        var open: [RawHTTPClient] = []
        for _ in 0..<5 {
            open.append(try server.client())
            #expect(try open.last?.get("/").status == 200)
        }
        try refused(try server.client())
        #expect(try client(of: server, from: "127.0.0.2").get("/").status == 200)
        #expect(try open[0].get("/").status == 200)
        #expect(server.server.statistics.turnedAwayOfClients == 1)
        #expect(server.handler.rejections == [.tooManyConnectionsOfClient])
        open.removeLast()
        #expect(eventually { server.server.accounts.use(of: "127.0.0.1").connections < 5 })
        #expect(try server.client().get("/").status == 200)
        open = []
        #expect(eventually { server.server.accounts.count == 0 })
    }

    @Test func `more than a few connections over a client's maximum are closed without a response`() throws {
        let server = try TestServer({
            $0.loops = 1
            $0.maximumConnectionsPerClient = 1
        })
        let first = try server.client()
        #expect(try first.get("/").status == 200)
        // Those with a response linger until the client has closed them.
        let answered = try (0..<16).map { _ in try server.client() }
        for client in answered { #expect(try client.readResponse().status == 429) }
        #expect(throws: RawHTTPClient.Failure.self) { try server.client().readResponse() }
        #expect(server.server.statistics.turnedAwayOfClients == 17)
        #expect(try first.get("/").status == 200)
    }

    @Test func `idle connections of one client leave room for others`() throws {
        // The numbers of the daemon by default are 1,000 of 10,000; Benchmarks/idle-connections.py opens as many.
        let server = try TestServer({
            $0.maximumConnections = 400
            $0.maximumConnectionsPerClient = 40
        })
        var idle: [RawHTTPClient] = []
        for _ in 0..<416 { idle.append(try server.client()) }
        for _ in 0..<20 { #expect(try client(of: server, from: "127.0.0.2").get("/").status == 200) }
        #expect(server.server.accounts.use(of: "127.0.0.1").connections <= 56)
        #expect(server.server.statistics.turnedAway >= 360)
        #expect(server.server.statistics.turnedAway == server.server.statistics.turnedAwayOfClients)
    }

    @Test func `connections of a trusted proxy are not limited`() throws {
        let server = try TestServer({
            $0.maximumConnectionsPerClient = 2
            $0.proxies = TrustedProxies(usesProxyProtocol: false) { $0.description == "127.0.0.1" }
        })
        let open = try (0..<20).map { _ in try server.client() }
        for client in open { #expect(try client.get("/").status == 200) }
        #expect(server.server.accounts.count == 0)
    }

    @Test func `a client that a PROXY protocol header names is limited`() throws {
        let server = try TestServer({
            $0.maximumConnectionsPerClient = 2
            $0.proxies = TrustedProxies(usesProxyProtocol: true) { $0.description == "127.0.0.1" }
        })
        func connect(_ address: String) throws -> RawHTTPClient {
            let client = try server.client()
            try client.send("PROXY TCP4 \(address) 127.0.0.1 1 2\r\n")
            return client
        }
        let open = try (0..<2).map { _ in try connect("198.51.100.7") }
        for client in open { #expect(try client.get("/").status == 200) }
        try refused(try connect("198.51.100.7"))
        #expect(try connect("198.51.100.8").get("/").status == 200)
        #expect(server.server.accounts.use(of: "198.51.100.7").connections >= 2)
    }

    @Test func `connections over a Unix socket are not limited, and their clients share an account`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/socket"
        let seen = Lock<[String]>([])
        var configuration = ServerConfiguration(addresses: [.unix(path: path)])
        configuration.maximumConnectionsPerClient = 1
        let handler = TestHandler { _, context in
            seen.withLock { $0.append(context.account) }
            return .now(Response(status: 200))
        }
        let server = HTTPServer(configuration: configuration, handler: handler)
        try server.start()
        defer { server.stop(graceMilliseconds: 0) {} }
        let open = try (0..<5).map { _ in try RawHTTPClient(unixPath: path) }
        for client in open { #expect(try client.get("/").status == 200) }
        #expect(seen.withLock { $0 } == [String](repeating: RequestContext.sharedAccount, count: 5))
    }

    @Test func `a request is charged to the client that a trusted proxy names, or to the shared account`() throws {
        let server = try TestServer(
            {
                $0.proxies = TrustedProxies(usesProxyProtocol: false) {
                    ["127.0.0.1", "10.0.0.1"].contains($0.description)
                }
            },
            respond: { _, context in .now(Response(status: 200, body: .bytes(Array(context.account.utf8)))) }
        )
        let client = try server.client()
        #expect(try client.get("/", [("X-Forwarded-For", "198.51.100.7")]).text == "198.51.100.7")
        #expect(try client.get("/", [("X-Forwarded-For", "2001:db8::7")]).text == "2001:db8::/64")
        #expect(try client.get("/", [("X-Forwarded-For", "10.0.0.1")]).text == "10.0.0.1")
        #expect(try client.get("/", [("X-Forwarded-For", "unknown")]).text == RequestContext.sharedAccount)
        #expect(try client.get("/").text == RequestContext.sharedAccount)
        #expect(try self.client(of: server, from: "127.0.0.2").get("/").text == "127.0.0.2")
    }
}
