import HTTPKit
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct ConnectionTests {
    @Test func `serves a thousand open connections`() throws {
        let server = try TestServer()
        var clients: [RawHTTPClient] = []
        for _ in 0..<1000 { clients.append(try server.client()) }
        for round in 0..<2 {
            for (index, client) in clients.enumerated() {
                try client.send("GET /\(round)/\(index) HTTP/1.1\r\nHost: a\r\n\r\n")
            }
            for (index, client) in clients.enumerated() {
                #expect(try client.readResponse().text == "/\(round)/\(index)")
            }
        }
        #expect(server.server.statistics.openConnections == 1000)
        clients = []
        #expect(eventually { server.server.statistics.openConnections == 0 })
    }

    @Test func `rejects connections over the limit, counted over all loops`() throws {
        let server = try TestServer({ $0.maximumConnections = 10 })
        var clients: [RawHTTPClient] = []
        for _ in 0..<10 {
            let client = try server.client()
            #expect(try client.get("/").status == 200)
            clients.append(client)
        }
        for _ in 0..<3 {
            let refused = try server.client()
            try refused.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try refused.readResponse().status == 503)
            #expect(try refused.isAtEnd())
        }
        #expect(server.server.statistics.turnedAway == 3)
        #expect(server.handler.rejections == [.tooManyConnections, .tooManyConnections, .tooManyConnections])
        #expect(try clients[0].get("/").status == 200)
        clients.removeLast()
        #expect(eventually { server.server.statistics.openConnections <= 9 })
        #expect(try server.client().get("/").status == 200)
    }

    @Test func `reuses slots without mixing up connections`() throws {
        let box = PromiseBox()
        let server = try TestServer({ $0.loops = 1 }) { request, context in
            guard request.target.hasPrefix("/later") else { return TestServer.echo(request, context) }
            box.take(request.target, context)
            return .later
        }
        for round in 0..<200 {
            let gone = try server.client()
            try gone.send("GET /later\(round) HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(box.taken.wait())
            gone.reset()
            #expect(box.cancelled.wait())
            let next = try server.client()
            try next.send("GET /mine\(round) HTTP/1.1\r\nHost: a\r\n\r\n")
            box.complete("/later\(round)", Response(status: 500))
            #expect(try next.readResponse().text == "/mine\(round)")
        }
    }
}
