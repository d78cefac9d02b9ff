import ImagePipeline
import OriginTransfer
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TransferRedirectTests {
    private let engine: TransferEngine
    private let credentials = [
        HeaderField(name: "Authorization", value: "Bearer secret"),
        HeaderField(name: "X-Key", value: "k"),
    ]

    init() throws {
        engine = try TransferEngine()
    }

    /// Redirects `/N` to `/N-1` and answers `/0`.
    private func countdown() throws -> ScriptedOrigin {
        try ScriptedOrigin { request, connection in
            let number = Int(request.target.dropFirst()) ?? 0
            guard number > 0 else { return connection.respond("200 OK", ["ETag: \"end\""], text: "end") }
            connection.respond("302 Found", ["Location: /\(number - 1)", "ETag: \"hop\""], text: "moved")
        }
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `follows every kind of redirect`(_ status: Int) async throws {
        let origin = try ScriptedOrigin { request, connection in
            guard request.target == "/a" else { return connection.respond(text: request.method) }
            connection.respond("\(status) Moved", ["Location: /b"])
        }
        #expect(try await engine.fetched(.local(origin, "/a")).bytes == Array("GET".utf8))
    }

    @Test func `follows a chain over one connection and keeps the heads apart`() async throws {
        let origin = try countdown()
        let answer = try await engine.fetched(.local(origin, "/3"))
        #expect(answer.bytes == Array("end".utf8))
        #expect(answer.head.entityTag == "\"end\"")
        #expect(origin.requests == 4)
        #expect(origin.connections == 1)
        #expect(engine.statistics.redirects == 3)
        #expect(engine.statistics.bytes == "end".utf8.count + 3 * "moved".utf8.count)
    }

    @Test(arguments: [(0, 0), (2, 2), (5, 5)])
    func `follows exactly the limit of redirects`(_ count: Int, _ limit: Int) async throws {
        let origin = try countdown()
        let source = SourceRule.local(limits: SourceRule.Limits(redirects: limit))
        #expect(await engine.failure(.local(origin, "/\(count)", source)) == nil)
        let refusal = PipelineError.originProtocol("too many redirects; limits.redirects is \(limit)")
        #expect(await engine.failure(.local(origin, "/\(count + 1)", source)) == refusal)
        #expect(origin.requests == 2 * (limit + 1))
    }

    @Test func `ends a loop at the limit`() async throws {
        let origin = try ScriptedOrigin { request, connection in
            connection.respond("301 Moved", ["Location: \(request.target)"])
        }
        let refusal = PipelineError.originProtocol("too many redirects; limits.redirects is 5")
        #expect(await engine.failure(.local(origin, "/loop")) == refusal)
        #expect(origin.requests == 6)
    }

    @Test(arguments: [
        ("d/e?f#g", "/a/b/d/e?f"), ("../x", "/a/x"), ("/y/./z", "/y/z"), ("?q", "/a/b/c?q"), ("b c", "/a/b/b%20c"),
        // The server has chosen the spelling, and may have signed it.
        ("/%7e%2f.png?s=%2d", "/%7e%2f.png?s=%2d"),
    ])
    func `resolves a relative location`(_ location: String, _ target: String) async throws {
        let origin = try ScriptedOrigin { request, connection in
            guard request.number == 1 else { return connection.respond(text: "x") }
            connection.respond("302 Found", ["Location: \(location)"])
        }
        #expect(await engine.failure(.local(origin, "/a/b/c")) == nil)
        #expect(origin.heads.last?.hasPrefix("GET \(target) HTTP/1.1\r\n") == true)
    }

    @Test func `percent-encodes a location that is not UTF-8`() async throws {
        let origin = try ScriptedOrigin { request, connection in
            guard request.number == 1 else { return connection.respond(text: "x") }
            let rest = "t%20\u{FC}\r\nContent-Length: 0\r\n\r\n"
            connection.send(Array("HTTP/1.1 302 Found\r\nLocation: /caf".utf8) + [0xE9] + Array(rest.utf8))
        }
        #expect(await engine.failure(.local(origin, "/a")) == nil)
        #expect(origin.heads.last?.hasPrefix("GET /caf%E9t%20%C3%BC HTTP/1.1\r\n") == true)
    }

    @Test(arguments: [
        ("file:///etc/passwd", "scheme"), ("ftp://example.com/", "scheme"), ("gopher://127.0.0.1/x", "scheme"),
        ("http://u:p@127.0.0.1/", "userinfo"), ("http:///", "host"), ("http://127.0.0.1:0/", "port"),
        ("dict:x", "scheme"), ("http:x", "relative"),
    ])
    func `refuses a redirect to an invalid http URL`(_ location: String, _ defect: String) async throws {
        let origin = try ScriptedOrigin { _, connection in
            connection.respond("302 Found", ["Location: \(location)"])
        }
        let expected = PipelineError.originProtocol("redirect to an unusable URL (\(defect))")
        #expect(await engine.failure(.local(origin)) == expected)
        #expect(origin.requests == 1)
    }

    @Test func `reports a redirect without a location`() async throws {
        let origin = try ScriptedOrigin { _, connection in connection.respond("302 Found") }
        #expect(await engine.failure(.local(origin)) == .originProtocol("redirect without a location"))
    }

    @Test func `sends the source's fields to redirects within the origin`() async throws {
        let origin = try countdown()
        #expect(await engine.failure(.local(origin, "/2", .local(headers: credentials))) == nil)
        #expect(origin.heads.allSatisfy { ScriptedRequest.field("Authorization", in: $0) == "Bearer secret" })
    }

    @Test(arguments: [true, false])
    func `withholds the source's fields after a redirect to another host or port, permanently`(_ byName: Bool)
        async throws
    {
        let other = try ScriptedOrigin { request, connection in
            // The query is the port to redirect back to.
            connection.respond("302 Found", ["Location: http://127.0.0.1:\(request.target.dropFirst(2))/end"])
        }
        let host = byName ? "localhost" : "127.0.0.1"
        let origin = try ScriptedOrigin { request, connection in
            guard request.target != "/end" else { return connection.respond(text: "x") }
            let home = request.field("Host")?.split(separator: ":").last ?? ""
            connection.respond("302 Found", ["Location: http://\(host):\(other.port)/?\(home)"])
        }
        #expect(await engine.failure(.local(origin, "/", .local(headers: credentials))) == nil)
        #expect(origin.requests == 2)
        #expect(ScriptedRequest.field("Authorization", in: origin.heads[0]) == "Bearer secret")
        for head in [other.heads[0], origin.heads[1]] {
            #expect(ScriptedRequest.field("Authorization", in: head) == nil)
            #expect(ScriptedRequest.field("X-Key", in: head) == nil)
            #expect(ScriptedRequest.field("User-Agent", in: head) == "Edgeprint")
        }
    }

    @Test func `makes the chain as fresh as its least fresh hop`() async throws {
        let origin = try ScriptedOrigin { request, connection in
            guard request.target == "/end" else {
                return connection.respond("302 Found", ["Location: /end", "Cache-Control: max-age=3"])
            }
            connection.respond("200 OK", ["Cache-Control: max-age=1000", "ETag: \"end\""], text: "x")
        }
        let fields = try await engine.fetched(.local(origin)).head
        #expect(fields.cacheControl == "max-age=3")
        #expect(fields.entityTag == "\"end\"")
    }

    @Test func `sends validators along the chain and accepts the final 304`() async throws {
        let origin = try ScriptedOrigin { request, connection in
            guard request.target == "/end" else { return connection.respond("302 Found", ["Location: /end"]) }
            connection.send("HTTP/1.1 304 Not Modified\r\n\r\n")
        }
        var fetch = OriginFetch.local(origin)
        fetch.entityTag = "\"a\""
        _ = try await engine.confirmed(fetch)
    }
}
