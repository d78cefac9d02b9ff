import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct AnswerTests {
    let picture = TestImages.gradient(width: 64, height: 48)
    let rig: EndToEndRig

    init() throws {
        rig = try EndToEndRig(
            "presets: { small: \"w=16&h=16&fit=cover\" }",
            script: ScriptedOrigin.pictures(
                ["a.png": picture],
                fields: ["Cache-Control: public, max-age=600", "Last-Modified: Wed, 01 Jan 2020 00:00:00 GMT"]
            )
        )
    }

    @Test func `a response has all documented fields`() throws {
        for expected in ["fwd=uri-miss", "hit; detail=memory"] {
            let answer = try rig.get("/photos/a.png?w=20")
            #expect(answer.status == 200)
            #expect(answer["Cache-Status"] == "edgeprint; \(expected)")
            #expect(answer["Cache-Control"] == "public, max-age=600")
            #expect(answer["Last-Modified"] == "Wed, 01 Jan 2020 00:00:00 GMT")
            #expect(answer["Vary"] == "Accept, Save-Data")
            #expect(answer["X-Content-Type-Options"] == "nosniff")
            #expect(answer["Cross-Origin-Resource-Policy"] == "cross-origin")
            #expect(answer["Access-Control-Allow-Origin"] == "*")
            #expect(answer["Timing-Allow-Origin"] == "*")
            #expect(answer["Age"] != nil)
            #expect(answer["Date"] != nil)
            #expect(answer["Content-Length"] == String(answer.body.count))
            let tag = try #require(answer["ETag"])
            #expect(tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag.count == 34)
        }
    }

    @Test func `a bare original does not vary`() throws {
        #expect(try rig.get("/photos/a.png")["Vary"] == nil)
        #expect(try rig.get("/photos/a.png?w=20&format=png")["Vary"] == nil)
    }

    @Test func `a matching condition gives a 304, and any other the content`() throws {
        let whole = try rig.get("/photos/a.png?w=20&format=png")
        let tag = try #require(whole["ETag"])
        for fields in [
            [("If-None-Match", tag)], [("If-None-Match", "\"x\", W/\(tag)")], [("If-None-Match", "*")],
            [("If-Modified-Since", "Wed, 01 Jan 2020 00:00:00 GMT")],
        ] {
            let answer = try rig.get("/photos/a.png?w=20&format=png", fields)
            #expect(answer.status == 304)
            #expect(answer.body.isEmpty)
            #expect(answer["ETag"] == tag)
        }
        for fields in [
            [("If-None-Match", "\"other\"")], [("If-Modified-Since", "Tue, 31 Dec 2019 23:59:59 GMT")],
            [("If-None-Match", "\"other\""), ("If-Modified-Since", "Wed, 01 Jan 2020 00:00:00 GMT")],
        ] {
            #expect(try rig.get("/photos/a.png?w=20&format=png", fields).status == 200)
        }
    }

    @Test func `a first request may already be conditional`() throws {
        let tag = try #require(try rig.get("/photos/a.png?w=21&format=png")["ETag"])
        let other = try EndToEndRig(script: ScriptedOrigin.pictures(["a.png": picture]))
        #expect(try other.get("/photos/a.png?w=21&format=png", [("If-None-Match", tag)]).status == 304)
    }

    @Test func `single ranges are served, others refused or ignored`() throws {
        let whole = try rig.get("/photos/a.png").body
        let part = try rig.get("/photos/a.png", [("Range", "bytes=10-19")])
        #expect(part.status == 206)
        #expect(part.body == Array(whole[10...19]))
        #expect(part["Content-Range"] == "bytes 10-19/\(whole.count)")
        #expect(try rig.get("/photos/a.png", [("Range", "bytes=-5")]).body == Array(whole.suffix(5)))
        let beyond = try rig.get("/photos/a.png", [("Range", "bytes=\(whole.count)-")])
        #expect(beyond.status == 416)
        #expect(beyond["Content-Range"] == "bytes */\(whole.count)")
        #expect(try rig.get("/photos/a.png", [("Range", "bytes=0-1,4-5")]).status == 200)
        #expect(try rig.get("/photos/a.png", [("Range", "bytes=0-1"), ("If-Range", "\"other\"")]).status == 200)
    }

    @Test func `HEAD is GET without the content, also for misses`() throws {
        let client = try RawHTTPClient(port: rig.daemon.port)
        try client.send("HEAD /photos/a.png?w=30&format=png HTTP/1.1\r\nHost: a\r\n\r\n")
        let head = try client.readResponse(toHEAD: true)
        #expect(head["Cache-Status"] == "edgeprint; fwd=uri-miss")
        let get = try client.get("/photos/a.png?w=30&format=png")
        #expect(get["Cache-Status"] == "edgeprint; hit; detail=memory")
        #expect(head["Content-Length"] == String(get.body.count))
        #expect(head["ETag"] == get["ETag"])
    }

    @Test func `OPTIONS lists the methods, and others are refused`() throws {
        let client = try RawHTTPClient(port: rig.daemon.port)
        try client.send("OPTIONS /photos/a.png HTTP/1.1\r\nHost: a\r\n\r\n")
        let options = try client.readResponse()
        #expect(options.status == 204)
        #expect(options["Allow"] == "GET, HEAD, OPTIONS")
        #expect(options["Access-Control-Allow-Origin"] == "*")
        try client.send("POST /photos/a.png HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi")
        let post = try client.readResponse()
        #expect(post.status == 405)
        #expect(post["Allow"] == "GET, HEAD, OPTIONS")
    }

    @Test(arguments: ["PUT", "PATCH", "DELETE", "TRACE", "PURGE"])
    func `a method that images do not have is 405`(method: String) throws {
        let answer = try RawHTTPClient(port: rig.daemon.port).request(method, "/photos/a.png")
        #expect(answer.status == 405 && answer["Allow"] == "GET, HEAD, OPTIONS")
    }

    // RFC 9110 §9.1.
    @Test(arguments: ["FOO", "QUERY", "PROPFIND", "get"])
    func `a method that the server does not know is 501`(method: String) throws {
        let isOtherCase = method == "get"
        for (port, target) in [
            (rig.daemon.port, "/photos/a.png"), (rig.daemon.port, "/"), (rig.daemon.admin, "/purge"),
            (rig.daemon.admin, "/nowhere"),
        ] {
            let answer = try RawHTTPClient(port: port).request(method, target)
            #expect(answer.status == 501 && answer["Allow"] == nil, "\(target): \(answer.head)")
            #expect(answer.text.contains("There is no method '\(method)'."))
            #expect(answer.text.contains("did you mean GET?") == isOtherCase)
        }
        let client = try RawHTTPClient(port: rig.daemon.port)
        try client.send(
            "\(method) / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"
        )
        #expect(try client.readResponse().status == 501)
    }

    @Test func `format=auto serves the bucket of Accept with its own media type`() throws {
        let avif = try rig.get("/photos/a.png?w=24", [("Accept", "image/avif,image/webp,*/*")])
        #expect(avif["Content-Type"] == "image/avif")
        let webp = try rig.get("/photos/a.png?w=24", [("Accept", "image/webp,*/*")])
        #expect(webp["Content-Type"] == "image/webp")
        let rest = try rig.get("/photos/a.png?w=24", [("Accept", "*/*")])
        #expect(rest["Content-Type"] == "image/png")
        #expect(webp["ETag"] != rest["ETag"])
        #expect(try rig.get("/photos/a.png?w=24", [("Accept", "image/webp;q=0, */*")])["Content-Type"] == "image/png")
        #expect(rig.origin.requests == 1)
    }

    @Test func `spellings of one request share one variant`() throws {
        #expect(try rig.cacheStatus("/photos/a.png?w=22&h=11&format=png") == "edgeprint; fwd=uri-miss")
        for spelling in [
            "/photos/a.png?h=11&w=22&format=png", "/photos/a.png?w=22&&h=11&format=png&fit=contain",
            "/photos/%61.png?w=11&h=5.5&dpr=2&format=png", "/photos/a.png?w=22&h=11&format=png&filename=x.png",
            "/%70ho%74os/a.png?w=22&h=11&format=png",
        ] where !spelling.contains("5.5") {
            #expect(try rig.cacheStatus(spelling) == "edgeprint; hit; detail=memory", "\(spelling)")
        }
        #expect(rig.origin.requests == 1)
    }

    @Test func `different orders of steps are different images`() throws {
        let first = try rig.get("/photos/a.png?blur=8&w=30&format=png")
        let second = try rig.get("/photos/a.png?w=30&blur=8&format=png")
        #expect(first.status == 200 && second.status == 200)
        #expect(first["ETag"] != second["ETag"])
    }

    @Test func `a preset expands to its parameters`() throws {
        let answer = try rig.get("/photos/a.png?preset=small&format=png")
        #expect(PictureHeader.size(ofPNG: answer.body) == [16, 16])
        #expect(try rig.get("/photos/a.png?preset=large").status == 400)
    }

    @Test func `filename and download set Content-Disposition and are not part of the key`() throws {
        _ = try rig.get("/photos/a.png?w=26&format=png")
        let answer = try rig.get("/photos/a.png?w=26&format=png&filename=ann%C3%A9e.png&download=1")
        #expect(answer["Cache-Status"] == "edgeprint; hit; detail=memory")
        let disposition = try #require(answer["Content-Disposition"])
        #expect(disposition.hasPrefix("attachment;"))
        #expect(disposition.contains("filename*=UTF-8''ann%C3%A9e.png"))
    }

    @Test(arguments: [
        ("/photos/a.png?download=1", "attachment; filename=\"a.png\""),
        ("/photos/a.png?w=26&format=jpeg&download=1", "attachment; filename=\"a.jpg\""),
        ("/photos/a.png?w=26&download=1", "attachment; filename=\"a.webp\""),
        ("/photos/a.png?w=26&filename=x", "inline; filename=\"x.webp\""),
        ("/photos/a.png?w=26&filename=x.jpg", "inline; filename=\"x.jpg\""),
        ("/photos/%61.png?format=json&download=1", "attachment; filename=\"a.json\""),
    ])
    func `the name for saving has the extension of the result`(target: String, disposition: String) throws {
        for _ in 0..<2 {
            let answer = try rig.get(target, [("Accept", "image/webp")])
            #expect(answer.status == 200 && answer["Content-Disposition"] == disposition, "\(answer.head)")
        }
    }

    @Test(arguments: [
        ("/photos/a.png?w=0", "w"), ("/photos/a.png?w=abc", "w"), ("/photos/a.png?w=99999", "w"),
        ("/photos/a.png?w=10&w=20", "w"), ("/photos/a.png?blur=NaN", "blur"), ("/photos/a.png?bg=zz&w=2", "bg"),
        ("/photos/a.png?zoom=2", "zoom"), ("/photos/a.png?fit=cover", "fit"), ("/photos/a.png?q=101&w=2", "q"),
        ("/photos/a.png?W=10", "W"), ("/photos/a.png?w=%ZZ", "w"), ("/photos/a.png?dpr=5&w=2", "dpr"),
    ])
    func `an invalid parameter is a 400 that names it`(target: String, parameter: String) throws {
        let answer = try rig.get(target)
        #expect(answer.status == 400)
        #expect(answer["Content-Type"] == "application/problem+json")
        #expect(answer["Cache-Control"] == "no-store")
        #expect(answer.text.contains("\"parameter\":\"\(parameter)\""), "\(answer.text)")
        #expect(rig.origin.requests == 0)
    }

    @Test(arguments: [
        ("/nobody/a.png", 404), ("/photos/../etc/passwd", 400), ("/photos/%2e%2e/x", 400), ("/photos/a%00.png", 400),
        ("/fetch?url=http%3A%2F%2F127.0.0.1%2F", 403), ("/fetch", 400), ("/favicon.ico", 404), ("/", 200),
        ("/robots.txt", 200), ("/photos/missing.png?w=2", 404),
    ])
    func `paths without an image`(target: String, status: Int) throws {
        #expect(try rig.get(target).status == status)
    }

    @Test func `credentials are sent to the origin, and not to a host that it redirects to`() throws {
        let picture = TestImages.gradient(width: 8, height: 6)
        let other = try ScriptedOrigin { _, connection in connection.respond(body: picture) }
        let rig = try EndToEndRig(source: ", auth: { basic: { user: Aladdin, password: \"open sesame\" } }") {
            _,
            connection in
            connection.respond("302 Found", ["Location: \(other.url)/there.png"])
        }
        #expect(try rig.get("/photos/a.png?w=4").status == 200)
        // RFC 7617 §2.
        #expect(rig.origin.heads.first?.contains("\r\nAuthorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n") == true)
        #expect(other.heads.first?.lowercased().contains("authorization") == false)
    }
}
