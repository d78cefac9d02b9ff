import Glibc
import LinuxSystem
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct RawSourceTests {
    private func send(_ rig: EndToEndRig, _ text: String) throws -> RawHTTPResponse {
        let client = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 20_000)
        try client.send(text)
        return try client.readResponse()
    }

    private static func echo(_ request: ScriptedRequest, _ connection: ScriptedConnection) {
        connection.respond("200 OK", ["Connection: close"], text: request.head)
        connection.close()
    }

    @Test(arguments: ["PUT", "POST", "PATCH", "DELETE", "OPTIONS", "PROPFIND"])
    func `forwards accepted methods with the whole query and fields`(method: String) throws {
        let rig = try EndToEndRig(
            source: ", raw: true, methods: [\(method)], headers: { X-Own: edge }",
            script: Self.echo
        )
        let answer = try send(
            rig,
            "\(method) /photos/a//b%2Fc?w=1&x=%20&sig=y& HTTP/1.1\r\nHost: edge.test\r\nAccept-Encoding: zip\r\nAuthorization: a\r\n"
                + "Cookie: b=c\r\nConnection: X-Hop\r\nX-Hop: 1\r\nTE: trailers\r\nX-Own: client\r\nVia: 1.0 before\r\n\r\n"
        )
        #expect(answer.status == 200)
        let lines = answer.text.split(separator: "\r\n").map(String.init)
        #expect(lines.first == "\(method) /a//b%2Fc?w=1&x=%20&sig=y& HTTP/1.1")
        for line in [
            "Host: 127.0.0.1:\(rig.origin.port)", "Accept-Encoding: zip", "Authorization: a", "Cookie: b=c",
            "X-Own: edge",
        ] { #expect(lines.contains(line), "\(answer.text)") }
        #expect(lines.contains { $0.wholeMatch(of: /Via: 1\.1 edgeprint-[0-9a-f]{16}/) != nil }, "\(answer.text)")
        #expect(answer["Via"]?.hasPrefix("1.1 edgeprint-") == true)
        #expect(
            !answer.text.contains("X-Hop") && !answer.text.contains("TE:") && !answer.text.contains("client")
                && !answer.text.contains("before")
        )
        #expect(!answer.text.contains("User-Agent") && !answer.text.contains("Accept:"))
    }

    @Test func `a request's content is forwarded completely or not at all`() throws {
        let received = Collected()
        let rig = try EndToEndRig("limits: { request-body: 1KiB }", source: ", raw: true, methods: [POST, PUT]") {
            request,
            connection in
            received.add(request.head)
            connection.respond("201 Created", ["Connection: close"], text: "made")
            connection.waitForPeer()
            connection.close()
        }
        let answer = try send(
            rig,
            "POST /photos/a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Type: a/b\r\n\r\nabc"
        )
        #expect(answer.status == 201 && answer.text == "made")
        #expect(received.all.first?.contains("Content-Length: 3\r\n") == true)
        #expect(received.all.first?.contains("Content-Type: a/b\r\n") == true)
        let chunked = try send(
            rig,
            "PUT /photos/a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n"
        )
        #expect(chunked.status == 201)
        #expect(received.all.last?.contains("Content-Length: 3\r\n") == true)
        #expect(try send(rig, "POST /photos/a HTTP/1.1\r\nHost: x\r\nContent-Length: 2000\r\n\r\n").status == 413)
        #expect(received.all.count == 2)
    }

    @Test func `redirects, codings and any type are forwarded unchanged`() throws {
        let rig = try EndToEndRig(source: ", raw: true") { request, connection in
            if request.target == "/moved" {
                connection.respond("302 Found", ["Location: /other", "Set-Cookie: a=b", "Set-Cookie: c=d"])
            } else {
                connection.respond("200 OK", ["Content-Encoding: gzip", "Content-Type: x/y"], body: [31, 139, 0, 255])
            }
        }
        let moved = try rig.get("/photos/moved")
        #expect(moved.status == 302 && moved["Location"] == "/other")
        #expect(moved.values(of: "Set-Cookie") == ["a=b", "c=d"])
        let other = try rig.get("/photos/other")
        #expect(
            other.body == [31, 139, 0, 255] && other["Content-Encoding"] == "gzip" && other["Content-Type"] == "x/y"
        )
        #expect(other["Cache-Status"] == "edgeprint; fwd=uri-miss")
        #expect(rig.origin.requests == 2)
    }

    @Test func `equal requests share one response if possible`() async throws {
        let gate = try ScriptedGate()
        let rig = try EndToEndRig(source: ", raw: true") { _, connection in
            gate.wait()
            connection.respond("200 OK", ["Cache-Control: max-age=60"], text: "shared")
        }
        let clients = try (0..<4).map { _ in try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 20_000) }
        for client in clients { try client.send("GET /photos/a HTTP/1.1\r\nHost: x\r\n\r\n") }
        await rig.origin.arrival(of: 1)
        gate.open()
        for client in clients { #expect(try client.readResponse().text == "shared") }
        #expect(rig.origin.requests == 1)
    }

    @Test func `a private address is contacted only if allowed`() throws {
        let rig = try EndToEndRig(script: ScriptedOrigin.pictures([:]))
        try rig.daemon.rewrite(rig.yaml().replacing("allow-private: true", with: "raw: true"))
        rig.daemon.signal(SIGHUP)
        try rig.daemon.waitForLog("configuration reloaded")
        let answer = try rig.get("/photos/a")
        #expect(answer.status == 403 && answer.text.contains("This origin is not allowed"))
        try rig.daemon.waitForLog("\"rule\":\"loopback\"")
        #expect(rig.origin.requests == 0)
    }

    @Test func `fetch forwards complete responses, for allowed hosts only`() throws {
        let rig = try EndToEndRig(
            "remote: { allow: [127.0.0.1], allow-private: true, raw: true }",
            script: { _, connection in connection.respond("418 x", ["Cache-Control: max-age=60"], text: "tea") }
        )
        let target = "/fetch?url=http://127.0.0.1:\(rig.origin.port)/a?b=c"
        #expect(try rig.get(target).text == "tea")
        #expect(try rig.cacheStatus(target) == "edgeprint; hit; detail=memory")
        #expect(rig.origin.heads == rig.origin.heads.filter { $0.hasPrefix("GET /a?b=c ") } && rig.origin.requests == 1)
        #expect(try rig.get("/fetch?url=http://localhost:\(rig.origin.port)/a").status == 403)
        #expect(try rig.get(target + "&w=5").status == 400)
    }

    @Test func `signatures can be required, and are not forwarded`() throws {
        let key = String(repeating: "ab", count: 32)
        let rig = try EndToEndRig(
            "signing: { keys: [\(key)], required: true }",
            source: ", raw: true",
            script: Self.echo
        )
        #expect(try rig.get("/photos/a?x=1").status == 403)
        #expect(try rig.get("/photos/a?x=1&sig=AAAA").status == 403)
        #expect(rig.origin.requests == 0)
    }

    @Test func `is purged by its path and with its source`() throws {
        let rig = try EndToEndRig("purge: { allow: [127.0.0.1] }", source: ", raw: true") { _, connection in
            connection.respond("200 OK", ["Cache-Control: max-age=60"], text: "x")
        }
        for target in ["/photos/a?w=x&w=y", "/photos/b"] {
            #expect(try rig.cacheStatus(target)?.contains("fwd=uri-miss") == true)
            #expect(try rig.cacheStatus(target)?.contains("hit") == true)
        }
        let client = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 20_000)
        #expect(try client.request("PURGE", "/photos/a?w=x&w=y").status == 200)
        #expect(try rig.cacheStatus("/photos/a?w=x&w=y")?.contains("fwd=uri-miss") == true)
        #expect(try rig.cacheStatus("/photos/b")?.contains("hit") == true)
    }
}

/// The texts that an origin has received.
private final class Collected: Sendable {
    private let texts = Lock<[String]>([])

    func add(_ text: String) { texts.withLock { $0.append(text) } }
    var all: [String] { texts.withLock { $0 } }
}
