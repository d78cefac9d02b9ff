import HTTPCache
import TestSupport
import Testing

/// `PURGE` on the public listener, as clients of Varnish, Fastly and Squid send it, against the real daemon.
@Suite(.timeLimit(.minutes(1)))
struct PublicPurgeTests {
    private static let extra = "purge: { allow: [127.0.0.0/8] }\npresets: { thumb: \"w=8&h=8\" }"
    private let rig: EndToEndRig

    init() throws {
        let picture = TestImages.gradient(width: 64, height: 48)
        rig = try EndToEndRig(Self.extra) { request, connection in
            let name = request.target.dropFirst().prefix { $0 != "/" && $0 != "." }
            let fields = ["Cache-Control: max-age=600", "ETag: \"1\"", "Cache-Tag: \(name),all"]
            let isKnown = request.field("If-None-Match") != nil
            connection.respond(isKnown ? "304 Not Modified" : "200 OK", fields, body: isKnown ? [] : picture)
        }
    }

    private func purge(_ target: String, _ fields: [String] = [], body: String = "") throws -> RawHTTPResponse {
        let client = try RawHTTPClient(port: rig.daemon.port)
        let lines = (fields + (body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"])).map { "\($0)\r\n" }
        try client.send("PURGE \(target) HTTP/1.1\r\nHost: a\r\n\(lines.joined())\r\n\(body)")
        return try client.readResponse()
    }

    /// Requests images of three originals, and waits until they are on disk.
    private func fill() throws {
        for target in ["cat.png?w=4", "dog.png?preset=thumb", "eel/a.png?w=4"] {
            #expect(try rig.get("/photos/\(target)&format=png").status == 200)
        }
        try rig.waitUntil("edgeprint_cache_entries{tier=\"variants\"}", is: 3)
        try rig.waitUntil("edgeprint_cache_entries{tier=\"originals\"}", is: 3)
    }

    private func cacheStatus(_ target: String) throws -> String? {
        try rig.cacheStatus("/photos/\(target)&format=png")
    }

    private func number(_ name: String, _ response: RawHTTPResponse) throws -> Int {
        let rest = response.text[try #require(response.text.firstRange(of: "\"\(name)\":")).upperBound...]
        return try #require(Int(rest.prefix { $0.isNumber }))
    }

    @Test(arguments: [
        "Surrogate-Key: cat dog", "Cache-Tag: cat,dog", "xkey: dog cat", "XKEY-Purge: cat, dog",
        "cache-tag: dog\r\nxkey: cat",
    ])
    func `tags in one field are purged together`(field: String) throws {
        try fill()
        let answer = try purge("/", [field])
        #expect(answer.status == 200 && answer["Content-Type"] == "application/json")
        #expect(try number("originals", answer) == 2 && number("variants", answer) == 2)
        #expect(try cacheStatus("cat.png?w=4") == "edgeprint; fwd=uri-miss")
        #expect(try cacheStatus("dog.png?preset=thumb") == "edgeprint; fwd=uri-miss")
        #expect(try cacheStatus("eel/a.png?w=4") == "edgeprint; hit; detail=memory")
    }

    @Test(arguments: [
        ("/photos/cat.png", ["Fastly-Soft-Purge: 1"], ""), ("/", ["xkey-softpurge: cat"], ""),
        ("/", ["Surrogate-Key: cat", "Fastly-Soft-Purge: 1"], ""), ("/photos/cat.png", [], #"{"soft":true}"#),
        ("/", [], #"{"url":"/photos/cat.png","soft":true}"#), ("/", ["fastly-soft-purge: 1"], #"{"tag":["cat"]}"#),
    ])
    func `a soft purge revalidates and keeps every size`(target: String, fields: [String], body: String) throws {
        try fill()
        let answer = try purge(target, fields, body: body)
        #expect(answer.status == 200 && answer.text.contains("\"soft\":true"))
        #expect(try number("originals", answer) == 1 && number("variants", answer) == 1)
        #expect(try cacheStatus("cat.png?w=4") == "edgeprint; fwd=stale; fwd-status=304")
        #expect(try cacheStatus("dog.png?preset=thumb") == "edgeprint; hit; detail=memory")
    }

    @Test(arguments: [
        (#"{"prefix":"/photos/eel/"}"#, 1, 1), (#"{"source":"photos"}"#, 3, 3), (#"{"preset":"thumb"}"#, 0, 1),
        (#"{"older_than":"1h"}"#, 0, 0), (#"{"all":true}"#, 3, 3), (#"{"tag":["cat","eel","cat"]}"#, 2, 2),
    ])
    func `content selects all other forms, as on the admin listener`(body: String, originals: Int, variants: Int) throws
    {
        try fill()
        let dry = try purge("/", body: body.replacing("}", with: ",\"dry\":true}"))
        #expect(try number("originals", dry) == originals && number("variants", dry) == variants)
        #expect(dry.text.contains("\"dry\":true"))
        #expect(try rig.metric("edgeprint_purges_total") == 0)
        let answer = try purge("/", body: body)
        #expect(try number("originals", answer) == originals && number("variants", answer) == variants)
        #expect(try rig.metric("edgeprint_cache_entries{tier=\"variants\"}") == Double(3 - variants))
    }

    @Test(
        arguments: [
            ("/", [], "", nil), ("*", [], "", nil), ("/?w=4", [], "", nil), ("/", [], "{}", "url"),
            ("/", [], #"{"dry":true}"#, "url"),
            ("/", [], #"{"all":false}"#, "url"), ("/", ["Surrogate-Key:"], "", "Surrogate-Key"),
            ("/", ["Cache-Tag: ,"], #"{"all":true}"#, "Cache-Tag"), ("/photos/cat.png", ["xkey: cat"], "", "xkey"),
            ("/photos/cat.png", [], #"{"all":true}"#, "url"), ("/", ["xkey: cat"], #"{"all":true}"#, "url"),
            ("/photos/cat.png", ["Fastly-Soft-Purge: maybe"], "", "Fastly-Soft-Purge"), ("/", [], "all", nil),
            ("/", ["Fastly-Soft-Purge: 1"], #"{"preset":"thumb"}"#, "soft"),
            ("/", ["xkey: " + (0...256).map { "t\($0)" }.joined(separator: " ")], "", "xkey"),
            ("/", ["xkey: " + String(repeating: "x", count: 257)], "", "xkey"),
        ] as [(String, [String], String, String?)]
    )
    func `a request with no target or two targets is an error`(
        target: String,
        fields: [String],
        body: String,
        parameter: String?
    ) throws {
        try fill()
        let answer = try purge(target, fields, body: body)
        #expect([400, 404].contains(answer.status) && answer["Content-Type"] == "application/problem+json")
        if let parameter { #expect(answer.text.contains("\"parameter\":\"\(parameter)\""), "\(answer.text)") }
        #expect(try rig.metric("edgeprint_cache_entries{tier=\"variants\"}") == 3)
        #expect(try rig.metric("edgeprint_purges_total") == 0)
    }

    @Test func `unauthorised clients cannot purge in any form`() throws {
        let closed = try EndToEndRig("purge: { allow: [10.0.0.0/8] }", script: ScriptedOrigin.pictures([:]))
        for (fields, body) in [("", #"{"all":true}"#), ("Surrogate-Key: a\r\n", ""), ("Fastly-Soft-Purge: 1\r\n", "")] {
            let client = try RawHTTPClient(port: closed.daemon.port)
            try client.send("PURGE / HTTP/1.1\r\nHost: a\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            #expect(try client.readResponse().status == 403)
        }
        #expect(try closed.metric("edgeprint_purges_total") == 0)
    }
}
