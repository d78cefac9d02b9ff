import HTTPCache
import HTTPSemantics
import ImagePipeline
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TransferResumptionTests {
    private static let body = (0..<4_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    private let engine: TransferEngine

    init() throws {
        var configuration = TransferEngine.Configuration()
        configuration.random = { 0 }
        engine = try TransferEngine(configuration: configuration)
    }

    /// A GET as a raw source sends it.
    private static func raw(_ origin: ScriptedOrigin, _ lines: [(String, String)] = [], retries: Int = 1) -> OriginFetch
    {
        var fetch = OriginFetch.local(origin, "/a", .local(retries: retries))
        var fields = FieldLines()
        for line in lines { fields.append(line.0, line.1) }
        fetch.exchange = OriginFetch.Exchange(method: "GET", fields: fields, body: [])
        return fetch
    }

    @Test(arguments: ["\"v1\"", "Thu, 01 Jan 2026 00:00:00 GMT"])
    func `continues an original with the same digest`(_ validator: String) async throws {
        let body = Self.body
        let origin = try ScriptedOrigin { request, connection in
            let isTag = validator.hasPrefix("\"")
            let fields = isTag ? [] : ["Date: Fri, 02 Jan 2026 00:00:00 GMT", "Last-Modified: \(validator)"]
            if isTag {
                return connection.serve(body, to: request, fields, cutAfter: request.number == 1 ? 1_000 : nil)
            }
            guard let first = request.firstByte, request.field("If-Range") == validator else {
                connection.send(Array(ScriptedConnection.message("200 OK", fields, body: body)[..<1_000]))
                return connection.close()
            }
            connection.respond(
                "206 Partial Content",
                fields + ["Content-Range: bytes \(first)-\(body.count - 1)/\(body.count)"],
                body: Array(body[first...])
            )
        }
        let fetched = try await engine.fetched(.local(origin, "/a", .local(retries: 1)))
        #expect(fetched.bytes == body && fetched.body.digest == CacheKey(hashing: body))
        #expect(fetched.head.status == 200 && fetched.head.fields["content-length"] == "4000")
        #expect(origin.requests == 2 && engine.statistics.resumptions == 1 && engine.statistics.retries == 1)
        #expect(engine.statistics.bytes == body.count)
        #expect(ScriptedRequest.field("If-Range", in: origin.heads[1]) == validator)
    }

    @Test func `continues a body of unknown length`() async throws {
        let body = Self.body
        let origin = try ScriptedOrigin { request, connection in
            guard request.number == 1 else { return connection.serve(body, to: request) }
            connection.send("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nTransfer-Encoding: chunked\r\n\r\n64\r\n")
            connection.send(Array(body[..<100]) + Array("\r\n64\r\n".utf8) + body[100..<150])
            connection.close()
        }
        #expect(try await engine.fetched(.local(origin, "/a", .local(retries: 1))).bytes == body)
        #expect(ScriptedRequest.field("Range", in: origin.heads[1]) == "bytes=150-")
    }

    @Test func `continues after a stall`() async throws {
        let body = Self.body
        let origin = try ScriptedOrigin { request, connection in
            guard request.number == 1 else { return connection.serve(body, to: request) }
            connection.send(Array(ScriptedConnection.message("200 OK", ["ETag: \"v1\""], body: body)[..<500]))
            connection.waitForPeer()
        }
        let source = SourceRule.local(timeouts: SourceRule.Timeouts(firstByte: 150), retries: 1)
        #expect(try await engine.fetched(.local(origin, "/a", source)).bytes == body)
        #expect(engine.statistics.resumptions == 1)
    }

    @Test func `is bounded, and reports why the body was cut off`() async throws {
        let body = Self.body
        let origin = try ScriptedOrigin { request, connection in
            connection.serve(body, to: request, cutAfter: 500)
        }
        let failure = await engine.failure(.local(origin, "/a", .local(retries: 3)))
        #expect(failure == .originProtocol("body shorter than its length"))
        #expect(origin.requests == 4 && engine.statistics.resumptions == 3)
        let firsts = origin.heads.compactMap { ScriptedRequest.field("Range", in: $0) }
        #expect(Set(firsts).count == 3)
    }

    @Test(arguments: [["ETag: W/\"v1\""], [], ["ETag: \"v1\"", "Accept-Ranges: none"], ["Last-Modified: now"]])
    func `starts again without a strong validator, or where the origin accepts no ranges`(_ fields: [String])
        async throws
    {
        let body = Self.body
        let origin = try ScriptedOrigin { request, connection in
            let bytes = ScriptedConnection.message("200 OK", fields, body: body)
            guard request.number == 1 else { return _ = connection.send(bytes) }
            connection.send(Array(bytes[..<1_000]))
            connection.close()
        }
        #expect(try await engine.fetched(.local(origin, "/a", .local(retries: 1))).bytes == body)
        #expect(ScriptedRequest.field("Range", in: origin.heads[1]) == nil)
        #expect(origin.requests == 2 && engine.statistics.resumptions == 0)
    }

    @Test func `starts again with another representation`() async throws {
        let (body, other) = (Self.body, Array(Self.body.reversed()))
        let origin = try ScriptedOrigin { request, connection in
            guard request.number > 1 else { return connection.serve(body, to: request, cutAfter: 1_000) }
            connection.serve(other, to: request, tag: "\"v2\"")
        }
        let fetched = try await engine.fetched(.local(origin, "/a", .local(retries: 1)))
        #expect(fetched.bytes == other && fetched.head.entityTag == "\"v2\"")
        #expect(fetched.body.digest == CacheKey(hashing: other))
        #expect(try await engine.result(Self.raw(origin)).get().entityTag == "\"v2\"")
    }

    /// Second responses that are not the rest of the first.
    static let foreign: [(String, [String])] = [
        ("206 Partial Content", ["ETag: \"v2\"", "Content-Range: bytes 900-3999/4000"]),
        ("206 Partial Content", ["Content-Range: bytes 900-3999/4000"]),
        ("206 Partial Content", ["ETag: W/\"v1\"", "Content-Range: bytes 900-3999/4000"]),
        ("206 Partial Content", ["ETag: \"v1\"", "Content-Range: bytes 899-3998/4000"]),
        ("206 Partial Content", ["ETag: \"v1\"", "Content-Range: bytes 900-3998/4000"]),
        ("206 Partial Content", ["ETag: \"v1\"", "Content-Range: bytes 900-4000/4001"]),
        ("206 Partial Content", ["ETag: \"v1\"", "Content-Range: bytes 900-3999/*"]),
        ("206 Partial Content", ["ETag: \"v1\"", "Content-Type: multipart/byteranges; boundary=a"]),
        ("206 Partial Content", ["ETag: \"v1\"", "Content-Range: bytes 900-3999/4000", "Content-Encoding: gzip"]),
        ("416 Range Not Satisfiable", ["Content-Range: bytes */4000"]),
        ("404 Not Found", []), ("500 Internal Server Error", []), ("302 Found", ["Location: /b"]),
    ]

    @Test(arguments: foreign)
    func `anything but the rest fails`(_ status: String, _ fields: [String]) async throws {
        let body = Self.body
        let head = ScriptedConnection.message("200 OK", ["ETag: \"v1\""], body: body).count - body.count
        let origin = try ScriptedOrigin { request, connection in
            guard request.number > 1 else { return connection.serve(body, to: request, cutAfter: head + 900) }
            connection.respond(status, fields, body: Array(body[900...]))
        }
        let failure = await engine.failure(.local(origin, "/a", .local(retries: 1)))
        #expect(failure == .originProtocol("body shorter than its length"))
        #expect(origin.requests == 2 && engine.statistics.resumptions == 0)
    }

    @Test func `a rest of the wrong length fails`() async throws {
        let body = Self.body
        let origin = try ScriptedOrigin { request, connection in
            guard let first = request.firstByte else { return connection.serve(body, to: request, cutAfter: 1_000) }
            let fields = "ETag: \"v1\"\r\nContent-Range: bytes \(first)-3999/4000\r\nTransfer-Encoding: chunked"
            connection.send("HTTP/1.1 206 Partial Content\r\n\(fields)\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
        }
        let failure = await engine.failure(.local(origin, "/a", .local(retries: 1)))
        #expect(failure == .originProtocol("body shorter than its length"))
    }

    @Test func `continues a raw response, without the conditions of the first request`() async throws {
        let body = Self.body
        let origin = try ScriptedOrigin { request, connection in
            connection.serve(body, to: request, cutAfter: request.number == 1 ? 1_000 : nil)
        }
        let response = try await engine.result(Self.raw(origin, [("If-None-Match", "\"v0\""), ("X-Own", "1")])).get()
        guard case .bytes(let bytes) = response.content else { throw NoBody() }
        #expect(bytes == body && response.status == 200)
        #expect(ScriptedRequest.field("If-None-Match", in: origin.heads[1]) == nil)
        #expect(ScriptedRequest.field("X-Own", in: origin.heads[1]) == "1")
        #expect(engine.statistics.resumptions == 1)
    }

    @Test func `never continues a part that the client has requested`() async throws {
        let body = Self.body
        let origin = try ScriptedOrigin { request, connection in
            connection.serve(body, to: request, cutAfter: 1_000)
        }
        let fetch = Self.raw(origin, [("Range", "bytes=10-"), ("If-Range", "\"v1\"")])
        #expect(await engine.failure(fetch) == .originProtocol("body shorter than its length"))
        #expect(origin.requests == 1)
    }

    @Test(arguments: [true, false], [true, false])
    func `continues an announced body, or aborts it if the representation has changed`(
        _ isRaw: Bool,
        _ isSame: Bool
    ) async throws {
        let body = [UInt8](repeating: 7, count: 3 << 20) + Self.body
        let origin = try ScriptedOrigin { request, connection in
            let tag = isSame || request.number == 1 ? "\"v1\"" : "\"v2\""
            connection.serve(body, to: request, tag: tag, cutAfter: request.number == 1 ? 2 << 20 : nil)
        }
        let fetch = isRaw ? Self.raw(origin) : .local(origin, "/a", .local(retries: 1))
        let announced = Signal<GrowingFile?>(nil)
        let result = await withCheckedContinuation { continuation in
            _ = engine.load(
                fetch,
                arrival: { response in
                    if case .growing(let file) = response.content { announced.update { $0 = file } }
                },
                completion: { continuation.resume(returning: $0) }
            )
        }
        let file = try #require(announced.value)
        let end = await withCheckedContinuation { continuation in file.whenEnded { continuation.resume(returning: $0) }
        }
        guard isSame else {
            #expect(end == .failed && origin.requests == 2)
            guard case .failure(.originProtocol) = result else { throw NoBody() }
            return
        }
        #expect(end == .complete && file.progress.count == body.count)
        guard case .file(let whole) = try result.get().content else { throw NoBody() }
        #expect(whole.digest == CacheKey(hashing: body))
    }

    @Test func `continues a raw body over the limit, which is only passed on`() async throws {
        let body = [UInt8](repeating: 7, count: 200_000) + Self.body
        let origin = try ScriptedOrigin { request, connection in
            connection.serve(body, to: request, cutAfter: request.number == 1 ? 100_000 : nil)
        }
        var fetch = Self.raw(origin)
        fetch.source.limits.sourceBytes = 50_000
        let announced = Signal<GrowingFile?>(nil)
        let result = await withCheckedContinuation { continuation in
            _ = engine.load(
                fetch,
                arrival: { response in
                    if case .growing(let file) = response.content { announced.update { $0 = file } }
                },
                completion: { continuation.resume(returning: $0) }
            )
        }
        #expect(try result.get().status == 200)
        let file = try #require(announced.value)
        let end = await withCheckedContinuation { continuation in file.whenEnded { continuation.resume(returning: $0) }
        }
        #expect(end == .complete && file.file.read(count: body.count) == body)
    }
}
