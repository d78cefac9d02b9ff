import LinuxSystem
import TestSupport
import Testing

/// What raw sources accept from untrusted clients, and what reaches origins and other clients.
@Suite(.timeLimit(.minutes(1)))
struct RawSafetyTests {
    private static let fresh = "Cache-Control: max-age=60"

    private func send(_ rig: EndToEndRig, _ text: String) throws -> RawHTTPResponse {
        let client = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 20_000)
        try client.send(text)
        return try client.readResponse(toHEAD: text.hasPrefix("HEAD"))
    }

    private static func echo(_ request: ScriptedRequest, _ connection: ScriptedConnection) {
        connection.respond("200 OK", ["Connection: close"], text: request.head)
        connection.close()
    }

    private func refused(_ rig: EndToEndRig, _ method: String, _ target: String, allow: String) throws {
        let answer = try send(rig, "\(method) \(target) HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(answer.status == 405 && answer["Allow"] == allow, "\(method) \(target): \(answer.head)")
        #expect(answer["Content-Type"] == "application/problem+json")
    }

    @Test func `accepts GET, HEAD, OPTIONS and the configured methods`() throws {
        let rig = try EndToEndRig(
            "remote: { allow: [127.0.0.1], allow-private: true, raw: true }",
            source: ", raw: true, headers: { Authorization: own }",
            script: Self.echo
        )
        let fetch = "/fetch?url=\(rig.origin.url)/a"
        for target in ["/photos/a", fetch] {
            for method in ["POST", "PUT", "PATCH", "DELETE", "PURGE", "PROPFIND", "TRACE", "get"] {
                try refused(rig, method, target, allow: "GET, HEAD, OPTIONS")
            }
        }
        #expect(rig.origin.requests == 0)
        for (count, target) in ["/photos/a", fetch].enumerated() {
            for method in ["GET", "HEAD", "OPTIONS"] {
                #expect(try send(rig, "\(method) \(target) HTTP/1.1\r\nHost: x\r\n\r\n").status == 200)
            }
            #expect(rig.origin.requests == 3 * (count + 1))
        }
    }

    @Test func `accepts no other method`() throws {
        let rig = try EndToEndRig(source: ", raw: true, methods: [POST, M-SEARCH]", script: Self.echo)
        for method in ["DELETE", "TRACE", "post"] {
            try refused(rig, method, "/photos/a", allow: "GET, HEAD, OPTIONS, POST, M-SEARCH")
        }
        #expect(rig.origin.requests == 0)
        for method in ["POST", "M-SEARCH", "GET"] {
            let answer = try send(rig, "\(method) /photos/a HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(answer.status == 200 && answer.text.hasPrefix("\(method) /a "), "\(answer.text)")
        }
    }

    @Test func `content in GET and HEAD is refused by image and raw sources`() throws {
        let rig = try EndToEndRig(
            "remote: { allow: [127.0.0.1], allow-private: true }",
            script: ScriptedOrigin.pictures(["a": [1]])
        )
        let raw = try EndToEndRig(source: ", raw: true") { request, connection in
            connection.respond("200 OK", [Self.fresh], text: request.head.contains("abc") ? "poison" : "right")
        }
        for (rig, targets) in [(rig, ["/photos/a", "/fetch?url=x", "/robots.txt", "/none"]), (raw, ["/photos/a"])] {
            for (method, target) in ["GET", "HEAD"].flatMap({ method in targets.map { (method, $0) } }) {
                for content in [
                    "Content-Length: 3\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
                ] {
                    let answer = try send(rig, "\(method) \(target) HTTP/1.1\r\nHost: x\r\n\(content)")
                    #expect(answer.status == 400 && answer["Connection"] == "close", "\(method) \(target)")
                }
            }
            #expect(rig.origin.requests == 0)
        }
        // Neither has content (RFC 9112 §6.3).
        for none in ["Content-Length: 0\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"] {
            let answer = try send(raw, "GET /photos/a HTTP/1.1\r\nHost: x\r\n\(none)")
            #expect(answer.status == 200 && answer.text == "right")
            #expect(try send(rig, "GET /robots.txt HTTP/1.1\r\nHost: x\r\n\(none)").status == 200)
        }
        #expect(raw.origin.requests == 1)
    }

    @Test func `responses with Set-Cookie are forwarded, and stored only if the source allows it`() throws {
        for (keys, isStored) in [("", false), (", set-cookie: refuse", false), (", set-cookie: store", true)] {
            let rig = try EndToEndRig(source: ", raw: true" + keys) { _, connection in
                connection.respond("200 OK", [Self.fresh, "Set-Cookie: id=1", "Set-Cookie: b=2"], text: "x")
            }
            for _ in 0..<2 {
                #expect(try rig.get("/photos/a").values(of: "Set-Cookie") == ["id=1", "b=2"], "\(keys)")
            }
            #expect(rig.origin.requests == (isStored ? 1 : 2), "\(keys)")
        }
    }

    @Test func `fetch forwards no credentials, and sandboxes its content`() throws {
        let rig = try EndToEndRig("remote: { allow: [127.0.0.1], allow-private: true, raw: true }") { _, connection in
            connection.respond(
                "200 OK",
                [
                    Self.fresh, "Content-Type: text/html", "X-Content-Type-Options: whatever",
                    "Content-Security-Policy: script-src *", "Content-Security-Policy: sandbox allow-scripts", "A: 1",
                ],
                text: "<script>"
            )
        }
        let target = "/fetch?url=\(rig.origin.url)/a"
        let fields = [
            ("Cookie", "a=b"), ("Authorization", "Bearer x"), ("Proxy-Authorization", "Basic y"), ("X-Plain", "z"),
        ]
        for result in ["fwd=uri-miss", "hit; detail=memory"] {
            let answer = try rig.get(target, fields)
            #expect(answer["Cache-Status"] == "edgeprint; " + result && answer["A"] == "1")
            #expect(answer.values(of: "X-Content-Type-Options") == ["nosniff"], "\(answer.head)")
            #expect(answer.values(of: "Content-Security-Policy") == ["sandbox"], "\(answer.head)")
        }
        #expect(rig.origin.requests == 1)
        let seen = try #require(rig.origin.heads.first).lowercased()
        #expect(seen.contains("x-plain: z") && !seen.contains("cookie") && !seen.contains("authorization"), "\(seen)")
    }
}
