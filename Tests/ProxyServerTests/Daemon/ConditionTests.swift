import TestSupport
import Testing

/// Conditional requests, requests with missing content, and targets in absolute-form, against the real daemon.
@Suite(.timeLimit(.minutes(1)))
struct ConditionTests {
    private static let modified = "Sun, 06 Nov 1994 08:49:37 GMT"

    private func rig(source: String = "") throws -> EndToEndRig {
        let fields = ["Cache-Control: max-age=3600", "Last-Modified: \(Self.modified)"]
        let picture = TestImages.gradient(width: 32, height: 24)
        return try EndToEndRig(source: source, script: ScriptedOrigin.pictures(["a.png": picture], fields: fields))
    }

    @Test(arguments: ["/photos/a.png", "/photos/a.png?w=10"])
    func `a failed precondition is a 412 for every image, cached or not`(_ target: String) throws {
        let rig = try rig()
        let missed = try rig.get(target, [("If-Match", "\"other\"")])
        #expect(missed.status == 412)
        #expect(missed["Content-Type"] == "application/problem+json" && missed["Cache-Control"] == "no-store")
        let tag = try #require(try rig.get(target)["ETag"])
        let cases: [([(String, String)], Int)] = [
            ([("If-Match", "\"other\"")], 412), ([("If-Match", "W/\(tag)")], 412), ([("If-Match", "")], 412),
            ([("If-Match", "\"other\", \(tag)")], 200), ([("If-Match", "*")], 200),
            ([("If-Unmodified-Since", "Sun, 06 Nov 1994 08:49:36 GMT")], 412),
            ([("If-Unmodified-Since", Self.modified)], 200), ([("If-Unmodified-Since", "yesterday")], 200),
            // RFC 9110 §13.2.2: the tag precedes the date, and both precede conditions for 304 and 206.
            ([("If-Match", tag), ("If-Unmodified-Since", "Sun, 06 Nov 1994 08:49:36 GMT")], 200),
            ([("If-Match", "\"other\""), ("If-None-Match", tag)], 412),
            ([("If-Match", tag), ("If-None-Match", tag)], 304),
            ([("If-Match", "\"other\""), ("Range", "bytes=0-1")], 412),
            ([("If-Match", tag), ("Range", "bytes=0-1")], 206),
        ]
        for (fields, status) in cases {
            let answer = try rig.get(target, fields)
            #expect(answer.status == status, "\(fields)")
            #expect(answer["Cache-Status"]?.hasPrefix("edgeprint; hit") == true, "\(fields)")
        }
    }

    @Test(arguments: ["/photos/a.png", "/photos/a.png?w=10", "/photos/a.png?w=10&exp=99999999999"])
    func `a 304 describes no content`(_ target: String) throws {
        let rig = try rig()
        let whole = try rig.get(target)
        let answer = try rig.get(target, [("If-None-Match", whole["ETag"] ?? "")])
        #expect(answer.status == 304)
        for name in ["Content-Type", "Content-Length", "Content-Encoding", "Accept-Ranges"] {
            #expect(answer[name] == nil, "\(name)")
        }
        for name in ["ETag", "Last-Modified", "Cache-Control", "Access-Control-Allow-Origin", "Vary"] {
            #expect(answer[name] == whole[name], "\(name)")
        }
    }

    @Test func `unwanted content is refused without 100 Continue`() throws {
        let rig = try rig()
        for port in [rig.daemon.port, rig.daemon.admin] {
            let client = try RawHTTPClient(port: port)
            try client.send(
                "POST /stats HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"
            )
            let answer = try client.readResponse()
            #expect(answer.status == 405 && answer["Connection"] == "close")
            #expect(answer["Allow"]?.contains("GET") == true)
            #expect(try client.isAtEnd())
        }
        #expect(try rig.metric("edgeprint_requests_in_flight") ?? 0 == 0)
    }

    @Test(arguments: [("GET", 400), ("POST", 100), ("PATCH", 405)])
    func `only content that a raw source accepts gets 100 Continue`(method: String, status: Int) throws {
        let rig = try rig(source: ", raw: true, methods: [POST]")
        let client = try RawHTTPClient(port: rig.daemon.port)
        try client.send("\(method) /photos/x HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
        #expect(try client.readResponse().status == status)
        if status != 100 { #expect(try client.isAtEnd()) }
    }

    @Test func `absolute-form without a path means the root`() throws {
        let rig = try rig()
        for (target, path) in [("http://a", "/"), ("http://a?query", "/?query")] {
            let (absolute, origin) = (try rig.get(target), try rig.get(path))
            #expect(absolute.status == origin.status, "\(target)")
            // Problems contain the request id.
            #expect(absolute.status == 404 || absolute.text == origin.text, "\(target)")
        }
        let admin = try RawHTTPClient(port: rig.daemon.admin)
        #expect(try admin.get("http://127.0.0.1").status == admin.get("/").status)
    }

    @Test func `a target with raw non-ASCII bytes is accepted, as by nginx`() throws {
        let rig = try rig()
        #expect(try rig.get("/photos/caf\u{e9}.png").status == 404)
        #expect(rig.origin.requests == 1)
    }
}
