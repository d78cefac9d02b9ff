import HTTPCache
import HTTPSemantics
import ImagePipeline
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TransferMirrorTests {
    private let engine: TransferEngine

    init() throws {
        var configuration = TransferEngine.Configuration()
        configuration.random = { 0 }
        engine = try TransferEngine(configuration: configuration)
    }

    /// A source with mirrors, all of them below `/base/`.
    private static func source(_ origins: [String], retries: Int = 0, allowPrivate: Bool = true) -> SourceRule {
        var rule = SourceRule(name: "test", location: .http(prefix: origins[0] + "/base/"), allowPrivate: allowPrivate)
        rule.mirrors = origins.dropFirst().map { .http(prefix: $0 + "/mirror/") }
        rule.limits.retries = retries
        return rule
    }

    /// A fetch of an original with a path and a query in an unusual spelling.
    private static func fetch(_ source: SourceRule) -> OriginFetch {
        OriginFetch((source.location.urlPrefix ?? "") + "%61%2fb.png?v=%31", source)
    }

    /// The URL of an origin that refuses connections.
    private static let dead = "http://127.0.0.1:1"

    private func origin(_ status: String = "200 OK", text: String = "x") throws -> ScriptedOrigin {
        try ScriptedOrigin { $1.respond(status, text: text) }
    }

    @Test(arguments: ["500 Internal Server Error", "503 Service Unavailable", "599 Own", ""])
    func `answers for an origin that fails`(_ status: String) async throws {
        let own = try ScriptedOrigin { _, connection in
            if status.isEmpty { connection.close() } else { connection.respond(status, text: "no") }
        }
        let mirror = try origin(text: "from the mirror")
        let fetched = try await engine.fetched(Self.fetch(Self.source([own.url, mirror.url])))
        #expect(fetched.bytes == Array("from the mirror".utf8) && fetched.head.phases.mirror == 1)
        #expect(own.requests == 1)
        #expect(mirror.heads.first?.hasPrefix("GET /mirror/a%2Fb.png?v=1 HTTP/1.1\r\n") == true)
        #expect(engine.statistics.mirrored == 1 && engine.statistics.retries == 0)
    }

    @Test func `answers for an origin that cannot be reached or is too slow`() async throws {
        let mirror = try origin()
        #expect(await engine.failure(Self.fetch(Self.source([Self.dead, mirror.url]))) == nil)
        let unknown = Self.source(["http://nobody.invalid", mirror.url])
        #expect(await engine.failure(Self.fetch(unknown)) == nil)
        let silent = try ScriptedOrigin { $1.waitForPeer() }
        var slow = Self.source([silent.url, mirror.url])
        slow.timeouts.firstByte = 150
        #expect(await engine.failure(Self.fetch(slow)) == nil)
        #expect(mirror.requests == 3)
    }

    @Test(arguments: [
        "200 OK", "304 Not Modified", "404 Not Found", "403 Forbidden", "410 Gone", "429 Too Many Requests",
    ])
    func `is not asked for what the origin answers`(_ status: String) async throws {
        let (own, mirror) = (try origin(status), try origin())
        _ = await engine.result(Self.fetch(Self.source([own.url, mirror.url])))
        #expect(own.requests == 1 && mirror.requests == 0)
    }

    @Test func `whose redirect leads nowhere is followed by the next mirror`() async throws {
        let own = try origin("503 Service Unavailable")
        let lost = try ScriptedOrigin { $1.respond("302 Found", text: "") }
        let second = try origin(text: "second")
        let fetched = try await engine.fetched(Self.fetch(Self.source([own.url, lost.url, second.url])))
        #expect(fetched.bytes == Array("second".utf8) && lost.requests == 1)
    }

    @Test(arguments: ["404 Not Found", "403 Forbidden", "500 Internal Server Error"])
    func `whose failure is never an answer`(_ status: String) async throws {
        let (own, lacking) = (try origin("503 Service Unavailable"), try origin(status))
        #expect(await engine.failure(Self.fetch(Self.source([own.url, lacking.url]))) == .originStatus(503))
        let second = try origin()
        let fetched = try await engine.fetched(Self.fetch(Self.source([own.url, lacking.url, second.url])))
        #expect(fetched.head.phases.mirror == 2 && lacking.requests == 2)
        let dead = Self.source([Self.dead, lacking.url])
        #expect(await engine.failure(Self.fetch(dead)) == .originUnreachable("the connection failed"))
    }

    @Test func `a raw source passes on its own failure if its mirrors fail, too`() async throws {
        let (own, mirror) = (try origin("503 Service Unavailable", text: "own"), try origin("404 Not Found"))
        var fetch = Self.fetch(Self.source([own.url, mirror.url]))
        fetch.exchange = OriginFetch.Exchange(method: "GET", fields: FieldLines(), body: [])
        let response = try await engine.result(fetch).get()
        guard case .bytes(let bytes) = response.content else { throw NoBody() }
        #expect(response.status == 503 && bytes == Array("own".utf8) && response.phases.mirror == 0)
        fetch.exchange?.method = "POST"
        #expect(try await engine.result(fetch).get().status == 503)
        #expect(own.requests == 2 && mirror.requests == 1)
    }

    @Test func `is asked in each round`() async throws {
        let own = try origin("503 Service Unavailable")
        let mirror = try ScriptedOrigin { request, connection in
            connection.respond(request.number < 3 ? "503 Service Unavailable" : "200 OK", text: "x")
        }
        let fetched = try await engine.fetched(Self.fetch(Self.source([own.url, mirror.url], retries: 2)))
        #expect(fetched.head.phases.mirror == 1)
        #expect(own.requests == 3 && mirror.requests == 3 && engine.statistics.retries == 2)
    }

    @Test func `is asked at once while the breaker of the origin is open`() async throws {
        var configuration = TransferEngine.Configuration()
        configuration.breaker = BreakerPolicy(failures: 1)
        let engine = try TransferEngine(configuration: configuration)
        let (own, mirror) = (try origin("503 Service Unavailable"), try origin())
        let source = Self.source([own.url, mirror.url])
        for _ in 0..<3 { #expect(await engine.failure(Self.fetch(source)) == nil) }
        #expect(own.requests == 1 && mirror.requests == 3)
        mirror.stop()
        await mirror.openConnections(fallTo: 0)
        guard case .circuitOpen = await engine.failure(Self.fetch(source)) else { throw NoBody() }
    }

    @Test func `receives fields and credentials, its redirects to other hosts do not`() async throws {
        let other = try origin()
        let target = other.url
        let mirror = try ScriptedOrigin { $1.respond("302 Found", ["Location: \(target)/c"], text: "") }
        var source = Self.source([Self.dead, mirror.url])
        source.headers = [HeaderField(name: "X-Own", value: "1")]
        source.credentials = .bearer(Secret("token"))
        #expect(await engine.failure(Self.fetch(source)) == nil)
        let (first, second) = (try #require(mirror.heads.first), try #require(other.heads.first))
        #expect(ScriptedRequest.field("X-Own", in: first) == "1")
        #expect(ScriptedRequest.field("Authorization", in: first) == "Bearer token")
        #expect(ScriptedRequest.field("Host", in: first) == "127.0.0.1:\(mirror.port)")
        #expect(!second.contains("X-Own") && !second.contains("token"))
    }

    @Test func `is signed for its own bucket`() async throws {
        let mirror = try ScriptedOrigin { request, connection in
            connection.respond(request.target.hasPrefix("/first/") ? "503 Service Unavailable" : "200 OK", text: "x")
        }
        var source = SourceRule.local()
        source.location = .bucket(ObjectBucket(name: "first", prefix: "", endpoint: mirror.url))
        source.mirrors = [.bucket(ObjectBucket(name: "second", prefix: "copy/", endpoint: mirror.url))]
        source.credentials = .accessKey(id: "id", secret: Secret("secret"), session: nil)
        #expect(await engine.failure(OriginFetch(mirror.url + "/first/a.png", source)) == nil)
        #expect(mirror.heads.last?.hasPrefix("GET /second/copy/a.png ") == true)
        let signatures = mirror.heads.compactMap { ScriptedRequest.field("Authorization", in: $0) }
        #expect(signatures.count == 2 && Set(signatures).count == 2)
    }

    @Test func `must have a public address unless the source allows others`() async throws {
        let mirror = try origin()
        let source = Self.source(["http://nobody.invalid", mirror.url], allowPrivate: false)
        #expect(await engine.failure(Self.fetch(source)) == .originUnreachable("the host's name does not resolve"))
        #expect(mirror.connections == 0)
    }

    @Test func `delivers the whole of a body that was cut off and cannot be resumed`() async throws {
        let own = try ScriptedOrigin { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Length: 10\r\n\r\nabc")
            connection.close()
        }
        let mirror = try origin(text: "0123456789")
        let fetched = try await engine.fetched(Self.fetch(Self.source([own.url, mirror.url])))
        #expect(fetched.bytes == Array("0123456789".utf8))
        #expect(ScriptedRequest.field("Range", in: mirror.heads[0]) == nil)
    }
}
