import Foundation
import Glibc
import TestSupport
import Testing

@testable import ProxyServer

/// Rules in a running daemon.
@Suite(.timeLimit(.minutes(1)))
struct RuleAnswerTests {
    private static let picture = TestImages.gradient(width: 24, height: 16)
    private static let fresh = ["Cache-Control: max-age=3600"]

    private func rig(
        _ rules: String,
        _ extra: String = "",
        source: String = "",
        sources: String = "",
        script: @escaping ScriptedOrigin.Script = { _, connection in
            connection.respond("200 OK", RuleAnswerTests.fresh, body: RuleAnswerTests.picture)
        }
    ) throws -> EndToEndRig {
        let list = rules.split(separator: "\n").map { "  - \($0)\n" }.joined()
        return try EndToEndRig("rules:\n\(list)\(extra)", source: source, sources: sources, script: script)
    }

    private func size(_ answer: RawHTTPResponse) -> [Int]? { PictureHeader.size(ofPNG: answer.body) }

    @Test func `a preset by path, and a hit from memory`() throws {
        let rig = try rig(
            "{ match: { path: \"avatars/**\" }, set: { preset: small } }",
            "presets: { small: \"w=12&format=png\" }"
        )
        #expect(try size(rig.get("/photos/avatars/a.png")) == [12, 8])
        #expect(try size(rig.get("/photos/b.png")) == [24, 16])
        #expect(try rig.cacheStatus("/photos/avatars/a.png") == "edgeprint; hit; detail=memory")
    }

    @Test func `fields reach the origin, and only where the rule matches`() throws {
        let rig = try rig(
            """
            { set: { request-headers: { X-All: "1", User-Agent: "Rules/1" } } }
            { match: { path: "b/**" }, set: { request-headers: { X-All: null, X-Own: "2" } } }
            """,
            source: ", headers: { X-Source: s }"
        )
        _ = try rig.get("/photos/a.png")
        _ = try rig.get("/photos/b/a.png")
        let heads = rig.origin.heads
        #expect(ScriptedRequest.field("X-All", in: heads[0]) == "1")
        #expect(ScriptedRequest.field("User-Agent", in: heads[0]) == "Rules/1")
        #expect(ScriptedRequest.field("X-Source", in: heads[1]) == "s")
        #expect(
            ScriptedRequest.field("X-All", in: heads[1]) == nil && ScriptedRequest.field("X-Own", in: heads[1]) == "2"
        )
    }

    @Test func `fields for clients are set, replaced and removed, in hits, 304 and ranges, not in errors`() throws {
        let rig = try rig(
            """
            { match: { path: "a.png" }, set: { response-headers: { X-New: "1", Cache-Control: "public, max-age=7", Timing-Allow-Origin: null } } }
            """,
            script: { request, connection in
                guard request.target.contains("a.png") else { return connection.respond("404 Not Found", text: "no") }
                connection.respond("200 OK", RuleAnswerTests.fresh, body: RuleAnswerTests.picture)
            }
        )
        var tag = ""
        for fields in [[], [], [("Range", "bytes=0-9")]] {
            let answer = try rig.get("/photos/a.png?w=12&format=png", fields)
            #expect(answer["X-New"] == "1" && answer["Cache-Control"] == "public, max-age=7")
            #expect(answer["Timing-Allow-Origin"] == nil && answer["X-Content-Type-Options"] == "nosniff")
            tag = answer["ETag"] ?? tag
        }
        let validated = try rig.get("/photos/a.png?w=12&format=png", [("If-None-Match", tag)])
        #expect(
            validated.status == 304 && validated["X-New"] == "1" && validated["Cache-Control"] == "public, max-age=7"
        )
        let error = try rig.get("/photos/a.png?w=0")
        #expect(error.status == 400 && error["X-New"] == nil)
        #expect(try rig.get("/photos/b.png")["X-New"] == nil)
    }

    @Test func `a status is treated as another one, also as success`() throws {
        let rig = try rig(
            """
            { match: { path: "gone/**" }, set: { status: { 403: 410 } } }
            { match: { path: "soft/**", response-header: { X-Placeholder: "*" } }, set: { status: { 200: 404 } } }
            { match: { path: "odd/**" }, set: { status: { 404: 200 } } }
            """,
            script: { request, connection in
                let path = request.target.dropFirst().prefix { $0 != "/" }
                switch path {
                case "gone": connection.respond("403 Forbidden", text: "no")
                case "soft": connection.respond("200 OK", ["X-Placeholder: yes"], body: RuleAnswerTests.picture)
                default: connection.respond("404 Not Found", RuleAnswerTests.fresh, body: RuleAnswerTests.picture)
                }
            }
        )
        #expect(try rig.get("/photos/gone/a.png").status == 410)
        #expect(try rig.get("/photos/soft/a.png").status == 404)
        let odd = try rig.get("/photos/odd/a.png?w=12&format=png")
        #expect(odd.status == 200 && size(odd) == [12, 8])
        #expect(try rig.get("/photos/plain/a.png").status == 404)
    }

    @Test func `path and query are rewritten towards the origin, with one original for both paths`() throws {
        let rig = try rig(
            "{ match: { path: \"old/**\" }, set: { path: \"new/$1\", query: { v: \"2\" } } }",
            source: ", forward-query: [v]"
        )
        _ = try rig.get("/photos/old/x/a.png")
        #expect(rig.origin.heads[0].hasPrefix("GET /new/x/a.png?v=2 "))
        #expect(try rig.cacheStatus("/photos/new/x/a.png?v=2")?.contains("hit") == true)
        #expect(rig.origin.requests == 1)
        let order = "{\"url\":\"/photos/old/x/a.png\"}"
        let admin = try RawHTTPClient(port: rig.daemon.admin)
        try admin.send("POST /purge HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(order.utf8.count)\r\n\r\n\(order)")
        let answer = try admin.readResponse()
        #expect(answer.status == 200 && answer.text.contains("\"originals\":1"), "\(answer.text)")
    }

    @Test func `a lifetime by type and size is known after the download`() throws {
        let rig = try rig(
            """
            { match: { type: png }, set: { ttl: 100s } }
            { match: { type: png, size: { min: 1MiB } }, set: { ttl: 300s } }
            { match: { type: svg }, set: { ttl: 200s } }
            """,
            script: { request, connection in
                let svg = Array("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"4\" height=\"4\"/>".utf8)
                connection.respond("200 OK", body: request.target.contains("svg") ? svg : RuleAnswerTests.picture)
            }
        )
        #expect(try rig.get("/photos/a.png")["Cache-Control"] == "public, max-age=100")
        #expect(try rig.get("/photos/a.svg")["Cache-Control"] == "public, max-age=200")
    }

    @Test func `a lifetime by type and response field holds after a 304, too`() throws {
        let key = String(repeating: "ab", count: 32)
        let rig = try rig(
            """
            { match: { type: png }, set: { ttl: 100s } }
            { match: { type: png, response-header: { X-Kind: short } }, set: { ttl: 50s } }
            """,
            "signing: { keys: [\(key)] }",
            script: { request, connection in
                guard request.field("If-None-Match") == nil else {
                    return connection.respond("304 Not Modified", ["ETag: \"1\""])
                }
                let kind = request.target.contains("short") ? "short" : "long"
                connection.respond("200 OK", ["ETag: \"1\"", "X-Kind: \(kind)"], body: RuleAnswerTests.picture)
            }
        )
        for (name, expected) in [("short.png", 50), ("long.png", 100)] {
            #expect(try rig.get("/photos/\(name)")["Cache-Control"] == "public, max-age=\(expected)")
            let arguments = ["url", "photos/\(name)", "refresh=1", "--config", rig.daemon.configurationFile]
            let refreshed = try rig.get(String(try CommandRun(arguments).output.dropLast()))
            #expect(refreshed["Cache-Status"]?.contains("fwd-status=304") == true, "\(refreshed["Cache-Status"] ?? "")")
            #expect(refreshed["Cache-Control"] == "public, max-age=\(expected)")
        }
    }

    @Test func `deny is a clear 403 that asks nothing, also through a watermark`() throws {
        let rig = try rig("{ match: { path: \"internal/**\" }, set: { deny: true } }")
        let answer = try rig.get("/photos/internal/a.png")
        #expect(answer.status == 403 && answer.text.contains("A rule of this server denies requests for this image."))
        #expect(answer["Cache-Control"] == "no-store")
        let marked = try rig.get("/photos/a.png?watermark=/photos/internal/a.png")
        #expect(marked.status == 403 && marked.text.contains("watermark"))
        for spelling in ["/photos/internal%2Fa.png", "/photos//internal/a.png", "/photos/internal%5Ca.png"] {
            #expect(try rig.get(spelling).status == 403, "\(spelling)")
        }
        #expect(rig.origin.requests == 0)
    }

    @Test func `a data: URL is a request of /fetch to rules`() throws {
        let rig = try rig("{ match: { source: fetch }, set: { deny: true } }", "remote: { data: any }")
        let answer = try rig.get("/fetch?url=data%3Aimage%2Fpng%3Bbase64%2CiVBORw0KGgo%3D")
        #expect(answer.status == 403 && answer.text.contains("A rule of this server denies"), "\(answer.text)")
    }

    @Test func `a rule by Host takes no spelling of it`() throws {
        let rig = try rig("{ match: { request-header: { Host: \"no.example\" } }, set: { deny: true } }")
        for host in ["no.example", "no.example.", "NO.example:80"] {
            #expect(try rig.get("http://\(host)/photos/a.png").status == 403, "\(host)")
        }
    }

    @Test func `raw responses vary by the fields of rules, errors included, and keep errors uncached`() throws {
        let rig = try rig(
            """
            { match: { request-header: { X-Tenant: a } }, set: { path: "tenants/a" } }
            { set: { response-headers: { Cache-Control: "public, max-age=86400" } } }
            """,
            source: ", raw: true",
            script: { request, connection in
                guard !request.target.contains("bad") else { return connection.respond("500 Error", text: "no") }
                connection.respond("200 OK", RuleAnswerTests.fresh, text: request.target)
            }
        )
        let own = try rig.get("/photos/x", [("X-Tenant", "a")])
        #expect(
            own.text == "/tenants/a" && own["Vary"] == "x-tenant" && own["Cache-Control"] == "public, max-age=86400"
        )
        let other = try rig.get("/photos/x")
        #expect(other.text == "/x" && other["Vary"] == "x-tenant")
        let bad = try rig.get("/photos/bad")
        #expect(bad.status == 500 && bad["Vary"] == "x-tenant" && bad["Cache-Control"]?.contains("86400") != true)
    }

    @Test func `a rule by request field varies, and one client's field changes nothing for another`() throws {
        let rig = try rig(
            """
            { match: { request-header: { X-Client: "app*" } }, set: { preset: small, ttl-max: 5s } }
            { match: { request-header: { Host: "small.example" } }, set: { preset: small } }
            """,
            "presets: { small: \"w=12&format=png\" }"
        )
        for _ in 0..<2 {
            let own = try rig.get("/photos/a.png", [("X-Client", "app/2")])
            #expect(size(own) == [12, 8] && own["Vary"]?.contains("x-client") == true)
            let other = try rig.get("/photos/a.png")
            #expect(size(other) == [24, 16] && other["Vary"]?.contains("x-client") == true)
        }
        #expect(try size(rig.get("http://small.example/photos/a.png")) == [12, 8])
    }

    @Test func `tracking parameters share one variant, and unknown ones are still errors`() throws {
        let rig = try rig("{ match: { source: photos }, set: { ignore-query: [\"utm_*\"] } }")
        for query in ["", "&utm_source=a", "&utm_campaign=b&utm_id=1"] { _ = try rig.get("/photos/a.png?w=12\(query)") }
        #expect(try rig.cacheStatus("/photos/a.png?utm_term=9&w=12") == "edgeprint; hit; detail=memory")
        #expect(rig.origin.requests == 1)
        #expect(try rig.get("/photos/a.png?w=12&other=1").status == 400)
    }

    @Test func `a refreshed presigned URL hits the cache`() throws {
        let rig = try EndToEndRig(source: ", unkeyed-query: [\"X-Amz-*\"], ignore-query: [\"*\"]") {
            request,
            connection in
            guard request.target.contains("X-Amz-Signature=good") else {
                return connection.respond("403 Forbidden", text: "no")
            }
            connection.respond("200 OK", RuleAnswerTests.fresh, body: RuleAnswerTests.picture)
        }
        // A wrong signature is remembered for itself alone.
        #expect(try rig.get("/photos/a.png?X-Amz-Signature=bad&w=12").status == 404)
        #expect(try rig.get("/photos/a.png?X-Amz-Signature=good&w=12").status == 200)
        #expect(rig.origin.heads[1].hasPrefix("GET /a.png?X-Amz-Signature=good "))
        #expect(
            try rig.cacheStatus("/photos/a.png?X-Amz-Signature=good2&X-Amz-Date=2&w=12")
                == "edgeprint; hit; detail=memory"
        )
        #expect(try rig.cacheStatus("/photos/a.png?w=12&any=1") == "edgeprint; hit; detail=memory")
        #expect(rig.origin.requests == 2)
    }

    @Test func `the query of /fetch is filtered under remote`() throws {
        let folder = try TemporaryFolder()
        let origin = try ScriptedOrigin { _, connection in
            connection.respond("200 OK", RuleAnswerTests.fresh, body: RuleAnswerTests.picture)
        }
        let yaml = """
            remote: { allow: ["127.0.0.1"], allow-private: true, ignore-query: ["utm_*"], unkeyed-query: [sig], sort-query: true }
            cache: { path: "\(folder.path)/cache", memory: 64MiB }
            """
        let daemon = try DaemonProcess(yaml, in: folder)
        func get(_ query: String) throws -> RawHTTPResponse {
            let url = "\(origin.url)/a.png?\(query)".addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            return try RawHTTPClient(port: daemon.port).get("/fetch?url=\(url)&w=12")
        }
        #expect(try get("b=2&a=1&sig=x&utm_source=q").status == 200)
        #expect(origin.heads[0].hasPrefix("GET /a.png?a=1&b=2&sig=x "))
        #expect(try get("a=1&utm_id=3&b=2&sig=y")["Cache-Status"] == "edgeprint; hit; detail=memory")
        #expect(origin.requests == 1)
    }

    @Test func `raw sources take fields, rewriting, statuses and deny`() throws {
        let rig = try rig(
            """
            { match: { path: "old/**" }, set: { path: "new/$1", query: { k: v }, request-headers: { Accept-Language: null, X-A: b }, response-headers: { X-C: d, X-Powered-By: null }, status: { 404: 410 } } }
            { match: { path: "no/**" }, set: { deny: true } }
            """,
            source: ", raw: true",
            script: { _, connection in connection.respond("404 Not Found", ["X-Powered-By: x"], text: "no") }
        )
        let answer = try rig.get("/photos/old/x?q=1", [("Accept-Language", "de")])
        #expect(answer.status == 410 && answer["X-C"] == "d" && answer["X-Powered-By"] == nil)
        let head = try #require(rig.origin.heads.first)
        #expect(head.hasPrefix("GET /new/x?q=1&k=v ") && head.contains("X-A: b") && !head.contains("Accept-Language"))
        #expect(try rig.get("/photos/no/x").status == 403)
    }

    @Test func `a reload applies other rules and forgets failures`() throws {
        let rig = try EndToEndRig("rules: [{ set: { status: { 200: 404 } } }]") { _, connection in
            connection.respond("200 OK", RuleAnswerTests.fresh, body: RuleAnswerTests.picture)
        }
        #expect(try rig.get("/photos/a.png").status == 404)
        try rig.rewrite("rules: [{ set: { response-headers: { X-New: \"1\" } } }]")
        rig.daemon.signal(SIGHUP)
        try rig.daemon.waitForLog("configuration re")
        let answer = try rig.get("/photos/a.png")
        #expect(answer.status == 200 && answer["X-New"] == "1")
    }
}
