import HTTPCache
import CLinux
import Glibc
import ImagePipeline
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TransferEngineTests {
    private let engine: TransferEngine

    init() throws {
        engine = try TransferEngine(configuration: TransferEngine.Configuration(userAgent: "Edgeprint/9"))
    }

    @Test func `delivers body, digest, fields and times`() async throws {
        let body =
            TestImages.claimedPNG(width: 9, height: 9) + (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let origin = try ScriptedOrigin { _, connection in
            connection.respond(
                "200 OK",
                [
                    "Content-Type: image/png", "Cache-Control: max-age=5", "cache-control: public", "ETag: \"e\"",
                    "Age: 2",
                ],
                body: body
            )
        }
        let before = SystemTime().wallSeconds
        let answer = try await engine.fetched(.local(origin, "/a%20b?c=d"))
        #expect(answer.bytes == body)
        #expect(answer.body.length == body.count)
        #expect(answer.body.digest == CacheKey(hashing: body))
        #expect(edge_memfd_is_sealed(answer.body.file.number) == 1)
        #expect(answer.head.contentType == "image/png")
        #expect(answer.head.cacheControl == "max-age=5, public")
        #expect(answer.head.entityTag == "\"e\"")
        #expect(answer.head.age == "2")
        #expect(answer.head.grantedLifetime == nil)
        #expect((before...before + 30).contains(answer.head.requestTime))
        #expect((answer.head.requestTime...before + 30).contains(answer.head.responseTime))
        let head = try #require(origin.heads.first)
        #expect(head.hasPrefix("GET /a%20b?c=d HTTP/1.1\r\n"))
        #expect(ScriptedRequest.field("Host", in: head) == "127.0.0.1:\(origin.port)")
        #expect(ScriptedRequest.field("User-Agent", in: head) == "Edgeprint/9")
        #expect(ScriptedRequest.field("Via", in: head) == "1.1 edgeprint")
        #expect(ScriptedRequest.field("Accept-Encoding", in: head) == "identity")
        #expect(ScriptedRequest.field("Cookie", in: head) == nil)
        let statistics = engine.statistics
        #expect(statistics.outcomes == [.fetched: 1])
        #expect(statistics.bytes == body.count)
        #expect(statistics.timing.total >= statistics.timing.firstByte && statistics.timing.firstByte > 0)
    }

    @Test func `sends paths in their normal form`() async throws {
        let origin = try ScriptedOrigin { _, connection in connection.respond(text: "x") }
        _ = try await engine.fetched(.local(origin, "/a//b/../c/%2f%2E./[x]?q=%7a[y]&&"))
        #expect(origin.heads.first?.hasPrefix("GET /a//c/%2F../[x]?q=z[y]&& HTTP/1.1\r\n") == true)
    }

    @Test func `reuses the connection for the next request`() async throws {
        let origin = try ScriptedOrigin { request, connection in connection.respond(text: "\(request.number)") }
        for number in 1...5 { #expect(try await engine.fetched(.local(origin)).bytes == Array("\(number)".utf8)) }
        #expect(origin.connections == 1)
        #expect(engine.statistics.newConnections == 1)
        #expect(engine.statistics.reusedConnections == 4)
    }

    @Test func `reuses the connection after responses without an image too`() async throws {
        let origin = try ScriptedOrigin { request, connection in
            connection.respond(
                request.number < 3 ? "404 Not Found" : "200 OK",
                text: String(repeating: "x", count: 20_000)
            )
        }
        #expect(await engine.failure(.local(origin)) == .originStatus(404))
        #expect(await engine.failure(.local(origin)) == .originStatus(404))
        #expect(await engine.failure(.local(origin)) == nil)
        #expect(origin.connections == 1)
    }

    @Test func `opens a new connection if the old one was closed`() async throws {
        let origin = try ScriptedOrigin { _, connection in
            connection.respond(text: "x")
            connection.close()
        }
        for _ in 1...3 { #expect(await engine.failure(.local(origin)) == nil) }
        #expect(origin.connections == 3)
    }

    @Test func `sends validators and accepts a 304`() async throws {
        let origin = try ScriptedOrigin { _, connection in
            connection.send("HTTP/1.1 304 Not Modified\r\nETag: \"b\"\r\nCache-Control: max-age=7\r\n\r\n")
        }
        var fetch = OriginFetch.local(origin)
        #expect(await engine.failure(fetch) == .originStatus(304))
        fetch.entityTag = "\"a\""
        fetch.lastModified = "Thu, 01 Jan 1970 00:00:00 GMT"
        let fields = try await engine.confirmed(fetch)
        #expect(fields.entityTag == "\"b\"")
        #expect(fields.cacheControl == "max-age=7")
        let head = try #require(origin.heads.last)
        #expect(ScriptedRequest.field("If-None-Match", in: head) == "\"a\"")
        #expect(ScriptedRequest.field("If-Modified-Since", in: head) == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(ScriptedRequest.field("If-None-Match", in: try #require(origin.heads.first)) == nil)
    }

    @Test(arguments: [201, 204, 206, 300, 400, 401, 403, 404, 410, 429, 451, 500, 502, 503])
    func `reports the status`(_ status: Int) async throws {
        let origin = try ScriptedOrigin { _, connection in
            status == 204
                ? _ = connection.send("HTTP/1.1 204 No Content\r\n\r\n")
                : connection.respond("\(status) X", text: "body")
        }
        #expect(await engine.failure(.local(origin)) == .originStatus(status))
        #expect(engine.statistics.outcomes == [status < 500 ? .status : .serverError: 1])
    }

    @Test func `reports the status even if the discarded body is endless`() async throws {
        let origin = try ScriptedOrigin { _, connection in
            connection.send("HTTP/1.1 500 X\r\n\r\n")
            while connection.send([UInt8](repeating: 65, count: 65_536)) {}
            connection.close()
        }
        #expect(await engine.failure(.local(origin)) == .originStatus(500))
    }

    @Test func `accepts chunked, close-delimited and empty bodies`() async throws {
        let origin = try ScriptedOrigin { request, connection in
            switch request.target {
            case "/chunked":
                connection.send(
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nETag: \"t\"\r\n\r\n"
                )
            case "/close":
                connection.send("HTTP/1.0 200 OK\r\n\r\nabcde")
                connection.close()
            default: connection.respond()
            }
        }
        let chunked = try await engine.fetched(.local(origin, "/chunked"))
        #expect(chunked.bytes == Array("abcde".utf8))
        #expect(chunked.head.entityTag == nil)
        #expect(try await engine.fetched(.local(origin, "/close")).bytes == Array("abcde".utf8))
        let empty = try await engine.fetched(.local(origin, "/empty"))
        #expect(empty.body.length == 0)
        #expect(empty.body.digest == CacheKey(hashing: ""))
    }

    @Test func `ignores interim responses`() async throws {
        let origin = try ScriptedOrigin { _, connection in
            connection.send("HTTP/1.1 103 Early Hints\r\nETag: \"early\"\r\n\r\n")
            connection.respond("200 OK", ["Content-Type: image/gif"], text: "x")
        }
        let answer = try await engine.fetched(.local(origin))
        #expect(answer.head.entityTag == nil)
        #expect(answer.head.contentType == "image/gif")
    }

    @Test func `decodes unrequested content codings, and refuses unknown ones`() async throws {
        // gzip of 100,000 zero bytes would be over the limit decoded; this one is "hello".
        let hello: [UInt8] = [
            0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 7, 0, 0x86, 0xA6, 0x10, 0x36, 5, 0, 0, 0,
        ]
        let origin = try ScriptedOrigin { request, connection in
            connection.respond("200 OK", ["Content-Encoding: \(request.target.dropFirst())"], body: hello)
        }
        #expect(try await engine.fetched(.local(origin, "/gzip")).bytes == Array("hello".utf8))
        let source = SourceRule.local(limits: SourceRule.Limits(sourceBytes: 4))
        #expect(await engine.failure(.local(origin, "/gzip", source)) == .sourceTooLarge(limit: 4))
        guard case .originProtocol = await engine.failure(.local(origin, "/rot13")) else {
            Issue.record("took an unknown coding")
            return
        }
    }

    @Test func `ignores the environment's proxies`() async {
        await #expect(processExitsWith: .success) {
            let proxy = try ScriptedOrigin { _, connection in connection.respond(text: "proxied") }
            let origin = try ScriptedOrigin { _, connection in connection.respond(text: "direct") }
            for name in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] { unsafe setenv(name, proxy.url, 1) }
            let answer = try await TransferEngine().fetched(.local(origin))
            guard answer.bytes == Array("direct".utf8), proxy.requests == 0 else { exit(1) }
        }
    }

    @Test func `cancels running and later loads when it stops`() async throws {
        let gate = try ScriptedGate()
        let origin = try ScriptedOrigin { _, _ in gate.wait() }
        let outcomes = [Outcome(), Outcome(), Outcome()]
        let source = SourceRule.local(connections: 1)
        for outcome in outcomes { _ = engine.load(.local(origin, "/", source), completion: outcome.set) }
        await origin.arrival(of: 1)
        engine.stop()
        for outcome in outcomes { #expect(await outcome.failure == .cancelled) }
        // Once the thread has ended, the mailbox refuses.
        #expect(await engine.failure(.local(origin)) == .cancelled)
        gate.open()
    }
}
