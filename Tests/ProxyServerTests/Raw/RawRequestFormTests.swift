import Glibc
import LinuxSystem
import TestSupport
import Testing

/// Signed requests and ranges, through a raw source.
@Suite(.timeLimit(.minutes(1)))
struct RawRequestFormTests {
    private static let signing = "signing: { keys: [\(String(repeating: "ab", count: 32))], required: true }"

    private static func echo(_ request: ScriptedRequest, _ connection: ScriptedConnection) {
        connection.respond("200 OK", ["Connection: close"], text: request.head)
        connection.close()
    }

    /// The output of `edgeprint url` for the rig's configuration.
    private func url(_ rig: EndToEndRig, _ arguments: String...) throws -> String {
        let result = try CommandRun(["url"] + arguments + ["--config", rig.daemon.configurationFile])
        #expect(result.code == 0, "\(result.errors)")
        return String(result.output.dropLast())
    }

    /// Requests a target with `exp`, and returns the answer with the seconds that may have been left.
    private func get(
        _ rig: EndToEndRig,
        expiring target: String
    ) throws -> (answer: RawHTTPResponse, left: ClosedRange<Int64>) {
        let end = try #require(target.split(separator: "exp=").last.flatMap { Int64($0.prefix { $0.isNumber }) })
        let before = SystemTime().wallSeconds
        let answer = try rig.get(target)
        // An event loop reads the clock once per turn, which may have begun before.
        return (answer, end - SystemTime().wallSeconds...end - before + 1)
    }

    /// The seconds for which a response is still fresh, by the `max-age` of a field that has no other directive besides `public`.
    private func lifetime(_ answer: RawHTTPResponse, _ field: String = "Cache-Control") -> Int64? {
        let age = answer["Age"].flatMap { Int64($0) } ?? 0
        return answer[field].flatMap { Int64($0.replacing("public, ", with: "").replacing("max-age=", with: "")) }
            .map { $0 - age }
    }

    @Test func `a signed request is forwarded without its signature`() throws {
        let rig = try EndToEndRig(Self.signing, source: ", raw: true", script: Self.echo)
        let target = try url(rig, "photos/a b/c", "w=x", "url=1&2", "--expires", "1h")
        #expect(target.hasPrefix("/photos/a%20b/c?w=x&url=1%262&exp="))
        let answer = try rig.get(target)
        #expect(
            answer.status == 200 && answer.text.hasPrefix("GET /a%20b/c?w=x&url=1%262 HTTP/1.1\r\n"),
            "\(answer.text)"
        )
        let bare = try url(rig, "photos/plain")
        #expect(try rig.get(bare).text.hasPrefix("GET /plain HTTP/1.1\r\n"))
        for wrong in [target.replacing("w=x", with: "w=y"), bare + "&x=1", bare.replacing("plain", with: "other")] {
            #expect(try rig.get(wrong).status == 403, "\(wrong)")
        }
    }

    @Test func `a signed response's lifetime ends with exp, in every field`() throws {
        let rig = try EndToEndRig(Self.signing, source: ", raw: true") { request, connection in
            let fields = [
                "Cache-Control: max-age=9999, stale-if-error=9999", "CDN-Cache-Control: max-age=9999",
                "Expires: Sun, 01 Jan 2034 00:00:00 GMT",
            ]
            connection.respond(request.target == "/none" ? "418 x" : "200 OK", fields, text: "x")
        }
        for name in ["some", "none"] {
            let target = try url(rig, "photos/\(name)", "--expires", "100s")
            for result in ["fwd=uri-miss", "hit; detail=memory"] {
                let (answer, left) = try get(rig, expiring: target)
                #expect(answer["Cache-Status"]?.contains(result) == true, "\(answer.head)")
                for field in ["Cache-Control", "CDN-Cache-Control"] {
                    #expect(lifetime(answer, field).map { left.contains($0) } == true, "\(left): \(answer.head)")
                }
                #expect(answer["Expires"]?.contains(" 2034 ") == false, "\(answer.head)")
            }
        }
        let endless = try rig.get(try url(rig, "photos/some"))
        #expect(endless["Cache-Control"] == "max-age=9999, stale-if-error=9999" && endless["CDN-Cache-Control"] != nil)
    }

    @Test func `the lifetime of a cached failure ends with exp`() throws {
        let rig = try EndToEndRig(
            Self.signing + "\nnegative: { failing: 1h, failing-max: 1h }",
            // A port that refuses connections.
            sources: "\n  dead: { url: \"http://127.0.0.1:1/\", allow-private: true, raw: true }",
            script: Self.echo
        )
        let first = try rig.get(try url(rig, "dead/a", "--expires", "100s"))
        #expect(first.status == 502 && first["Cache-Control"] == "no-store", "\(first.head)")
        let (failure, left) = try get(rig, expiring: try url(rig, "dead/a", "--expires", "100s"))
        #expect(failure.status == 502 && failure["Cache-Status"] == "edgeprint; hit; detail=negative")
        #expect(lifetime(failure).map { left.contains($0) } == true, "\(left): \(failure.head)")
        let endless = try rig.get(try url(rig, "dead/a"))
        #expect(lifetime(endless).map { $0 > 1_000 } == true, "\(endless.head)")
    }

    @Test func `a lifetime that a rule states ends with exp`() throws {
        let rig = try EndToEndRig(
            Self.signing + "\nrules: [{ set: { response-headers: { Cache-Control: max-age=9999, X-Rule: a } } }]",
            source: ", raw: true"
        ) { _, connection in connection.respond("200 OK", ["Cache-Control: max-age=8888"], text: "x") }
        let target = try url(rig, "photos/a", "--expires", "100s")
        for result in ["fwd=uri-miss", "hit; detail=memory"] {
            let (answer, left) = try get(rig, expiring: target)
            #expect(answer["Cache-Status"]?.contains(result) == true && answer["X-Rule"] == "a", "\(answer.head)")
            #expect(lifetime(answer).map { left.contains($0) } == true, "\(left): \(answer.head)")
        }
        #expect(try rig.get(try url(rig, "photos/a"))["Cache-Control"] == "max-age=9999")
    }

    @Test func `a signature is valid for its method, and one for GET also for HEAD`() throws {
        let rig = try EndToEndRig(Self.signing, source: ", raw: true, methods: [POST, DELETE]", script: Self.echo)
        func status(_ method: String, _ target: String) throws -> Int {
            let client = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 20_000)
            try client.send("\(method) \(target) HTTP/1.1\r\nHost: x\r\n\r\n")
            return try client.readResponse(toHEAD: method == "HEAD").status
        }
        let link = try url(rig, "photos/plain", "x=y")
        for method in ["POST", "DELETE", "OPTIONS"] { #expect(try status(method, link) == 403, "\(method)") }
        #expect(rig.origin.requests == 0)
        for method in ["GET", "HEAD"] { #expect(try status(method, link) == 200, "\(method)") }
        let asked = rig.origin.requests
        let order = try url(rig, "photos/plain", "x=y", "--method", "POST")
        #expect(order != link && order.hasPrefix("/photos/plain?x=y&sig="))
        #expect(try status("DELETE", order) == 403 && status("GET", order) == 403 && rig.origin.requests == asked)
        #expect(try status("POST", order) == 200 && rig.origin.heads.last?.hasPrefix("POST /plain?x=y ") == true)
        let file = rig.daemon.configurationFile
        let wrong = try CommandRun(["url", "photos/plain", "--method", "post", "--config", file])
        #expect(wrong.code == 1 && wrong.errors.contains("did you mean POST?"), "\(wrong.errors)")
    }

    @Test func `a signed /fetch request is forwarded with a valid signature, until it expires`() throws {
        let rig = try EndToEndRig(
            Self.signing + "\nremote: { allow-private: true, raw: true }",
            script: { _, connection in connection.respond("418 x", ["Cache-Control: max-age=60"], text: "tea") }
        )
        let target = try url(rig, "http://127.0.0.1:\(rig.origin.port)/a?b=c&sig=theirs", "--expires", "1h")
        for _ in 0..<2 { #expect(try rig.get(target).status == 418) }
        #expect(rig.origin.requests == 1 && rig.origin.heads[0].hasPrefix("GET /a?b=c&sig=theirs HTTP/1.1\r\n"))
        #expect(try rig.cacheStatus(target) == "edgeprint; hit; detail=memory")
        #expect(try rig.get(String(target.prefix { $0 != "&" })).status == 403)
        #expect(try rig.get(target.replacing("%2Fa", with: "%2Fb")).status == 403)
        let old = try url(rig, "http://127.0.0.1:\(rig.origin.port)/a", "--expires", "1000000001")
        #expect(try rig.get(old).status == 403)
        #expect(rig.origin.requests == 1)
    }

    @Test func `ranges are served from a stored response or part, in memory or on disk`() throws {
        let rig = try EndToEndRig(source: ", raw: true") { request, connection in
            let fields = ["Cache-Control: max-age=600", "ETag: \"1\"", "Content-Type: a/b"]
            if request.field("Range") != nil {
                connection.respond("206 Partial Content", fields + ["Content-Range: bytes 2-3/8388609"], text: "23")
            } else if request.target == "/large" {
                connection.respond("200 OK", fields, text: String(repeating: "x", count: 8 << 20 | 1))
            } else {
                connection.respond("200 OK", fields, text: "0123456789")
            }
        }
        // The whole response is fetched and stored for its ranges.
        for result in ["fwd=uri-miss", "hit; detail=memory"] {
            let part = try rig.get("/photos/part", [("Range", "bytes=2-3")])
            #expect(part.status == 206 && part.text == "23" && part["Content-Range"] == "bytes 2-3/10")
            #expect(part["Cache-Status"] == "edgeprint; \(result)")
        }
        // If the whole is too large for that, the origin sends the part, which is stored.
        for (range, result) in [
            ("2-3", "fwd=uri-miss; fwd-status=206"), ("2-3", "hit; detail=memory"), ("3-3", "hit; detail=memory"),
        ] {
            let part = try rig.get("/photos/large", [("Range", "bytes=\(range)")])
            #expect(part.status == 206 && part.text == "23".suffix(range == "3-3" ? 1 : 2))
            #expect(part["Content-Range"] == "bytes \(range)/8388609")
            #expect(part["Cache-Status"] == "edgeprint; \(result)")
        }
        #expect(try rig.get("/photos/whole").status == 200)
        try rig.waitUntil("edgeprint_disk_stores_total", is: 3)
        let asked = rig.origin.requests
        for _ in 0..<2 {
            for (range, status, text, content) in [
                ("bytes=2-3", 206, "23", "bytes 2-3/10"), ("bytes=-1", 206, "9", "bytes 9-9/10"),
                ("bytes=8-", 206, "89", "bytes 8-9/10"), ("bytes=10-", 416, "", "bytes */10"),
            ] {
                let part = try rig.get("/photos/whole", [("Range", range)])
                #expect(part.status == status && part.text == text && part["Content-Range"] == content, "\(range)")
            }
            #expect(try rig.get("/photos/whole", [("Range", "bytes=2-3"), ("If-Range", "\"1\"")]).status == 206)
            let whole = try rig.get("/photos/whole", [("Range", "bytes=2-3"), ("If-Range", "\"2\"")])
            #expect(whole.status == 200 && whole.text == "0123456789")
            try rig.restartAfterKill(source: ", raw: true")
        }
        #expect(rig.origin.requests == asked)
    }

    @Test func `explain and url support it`() throws {
        let rig = try EndToEndRig(source: ", raw: true, cache: disk", script: Self.echo)
        let target = try url(rig, "photos/a", "w=x", "sig=theirs")
        #expect(target == "/photos/a?w=x&sig=theirs")
        let admin = try RawHTTPClient(port: rig.daemon.admin)
        let answer = try admin.get("/explain?path=%2Fphotos%2Fa%3Fw%3Dx%26sig%3Dtheirs")
        #expect(answer.status == 200 && answer.text.contains("\(rig.origin.url)/a?w=x&sig=theirs"), "\(answer.text)")
        #expect(answer.text.contains("\"tiers\"") && !answer.text.contains("\"problem\":{"), "\(answer.text)")
        let command = try CommandRun(["explain", target, "--config", rig.daemon.configurationFile])
        #expect(command.code == 0 && command.output.contains("raw"), "\(command.output)\(command.errors)")
    }
}
