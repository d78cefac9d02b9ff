import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct PurgingTests {
    let picture = TestImages.gradient(width: 64, height: 48)

    private func rig(_ extra: String = "") throws -> EndToEndRig {
        try EndToEndRig(
            extra,
            source: ", forward-query: [v]",
            script: { [picture] request, connection in
                // Another image for b.png, since equal bytes would share a file and count once.
                let other = TestImages.gradient(width: 65, height: 48)
                let body = request.target.contains("b.png") ? other : picture
                connection.respond("200 OK", ["Cache-Control: max-age=600"], body: body)
            }
        )
    }

    private func post(_ rig: EndToEndRig, _ body: String, token: String? = nil) throws -> RawHTTPResponse {
        let client = try RawHTTPClient(port: rig.daemon.admin)
        let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        try client.send(
            "POST /purge HTTP/1.1\r\nHost: localhost\r\n\(authorization)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        return try client.readResponse()
    }

    private func purge(_ rig: EndToEndRig, _ target: String, token: String? = nil) throws -> RawHTTPResponse {
        let client = try RawHTTPClient(port: rig.daemon.port)
        let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        try client.send("PURGE \(target) HTTP/1.1\r\nHost: a\r\n\(authorization)\r\n")
        return try client.readResponse()
    }

    private func settle(_ rig: EndToEndRig, variants: Double) throws {
        try rig.waitUntil("edgeprint_cache_entries{tier=\"variants\"}", is: variants)
    }

    @Test func `a purged image is fetched and made again, in all its sizes`() throws {
        let rig = try rig()
        for width in [4, 8] { _ = try rig.get("/photos/a.png?w=\(width)&format=png") }
        _ = try rig.get("/photos/b.png?w=4&format=png")
        try settle(rig, variants: 3)
        let dry = try post(rig, #"{"url":"/photos/a.png","dry":true}"#)
        #expect(dry.text == #"{"originals":1,"variants":2,"bytes":\#(try bytes(dry)),"memory":2,"dry":true}"# + "\n")
        let answer = try post(rig, #"{"url":"/photos/a.png?w=4"}"#)
        #expect(answer.status == 200 && answer["Content-Type"] == "application/json")
        #expect(
            answer.text == #"{"originals":1,"variants":2,"bytes":\#(try bytes(dry)),"memory":2,"flights":0}"# + "\n"
        )
        #expect(try rig.metric("edgeprint_cache_entries{tier=\"variants\"}") == 1)
        #expect(try rig.metric("edgeprint_purges_total") == 1)
        let requests = rig.origin.requests
        #expect(try rig.cacheStatus("/photos/b.png?w=4&format=png") == "edgeprint; hit; detail=memory")
        #expect(try rig.cacheStatus("/photos/a.png?w=8&format=png") == "edgeprint; fwd=uri-miss")
        #expect(rig.origin.requests == requests + 1)
        #expect(rig.daemon.logText.contains("purged"))
    }

    private func bytes(_ response: RawHTTPResponse) throws -> Int {
        let rest = response.text[try #require(response.text.firstRange(of: "\"bytes\":")).upperBound...]
        return try #require(Int(rest.prefix { $0.isNumber }))
    }

    @Test func `purged content does not reappear after a power failure`() throws {
        let rig = try rig()
        _ = try rig.get("/photos/a.png?w=4&format=png")
        try settle(rig, variants: 1)
        #expect(try post(rig, #"{"source":"photos"}"#).status == 200)
        try rig.restartAfterKill(source: ", forward-query: [v]")
        #expect(try rig.cacheStatus("/photos/a.png?w=4&format=png") == "edgeprint; fwd=uri-miss")
    }

    @Test func `an origin's URL with forwarded parameters selects the original, without steps`() throws {
        let rig = try rig()
        for version in [1, 2] { _ = try rig.get("/photos/a.png?w=4&format=png&v=\(version)") }
        try settle(rig, variants: 2)
        #expect(try post(rig, #"{"url":"/photos/a.png"}"#).text.contains("\"variants\":0"))
        #expect(try post(rig, #"{"url":"\#(rig.origin.url)/a.png?v=1"}"#).text.contains("\"variants\":1"))
        #expect(try rig.cacheStatus("/photos/a.png?w=4&format=png&v=2") == "edgeprint; hit; detail=memory")
        #expect(try rig.cacheStatus("/photos/a.png?w=4&format=png&v=1") == "edgeprint; fwd=uri-miss")
    }

    @Test func `reports invalid requests`() throws {
        let rig = try rig()
        for (body, parameter) in [
            (#"{"url":"/nowhere/a"}"#, nil), (#"{"url":"ftp://x/"}"#, "url"), (#"{"source":"A b"}"#, "source"),
            (#"{"tag":"x y"}"#, "tag"), ("", nil), (#"{"prefix":"/nowhere/"}"#, nil),
            (#"{"prefix":"/photos/?a"}"#, "prefix"), (#"{"prefix":"/fetch"}"#, "prefix"),
            (#"{"preset":"a b"}"#, "preset"),
        ] as [(String, String?)] {
            let answer = try post(rig, body)
            #expect([400, 404].contains(answer.status) && answer["Content-Type"] == "application/problem+json")
            if let parameter { #expect(answer.text.contains("\"parameter\":\"\(parameter)\"")) }
        }
        let get = try RawHTTPClient(port: rig.daemon.admin).get("/purge")
        #expect(get.status == 405 && get["Allow"] == "POST")
    }

    @Test func `PURGE is for configured clients and holders of the token`() throws {
        let open = try rig("purge: { allow: [127.0.0.0/8] }")
        _ = try open.get("/photos/a.png?w=4&format=png")
        try settle(open, variants: 1)
        let answer = try purge(open, "/photos/a.png")
        #expect(answer.status == 200 && answer.text.contains("\"variants\":1"))
        #expect(try open.cacheStatus("/photos/a.png?w=4&format=png") == "edgeprint; fwd=uri-miss")
        #expect(try purge(open, "/nowhere/a.png").status == 404)
        let closed = try rig()
        let refused = try purge(closed, "/photos/a.png")
        #expect(refused.status == 405 && refused["Allow"] == "GET, HEAD, OPTIONS")
    }

    @Test func `only the admin token permits both interfaces`() throws {
        let folder = try TemporaryFolder()
        let origin = try ScriptedOrigin(ScriptedOrigin.pictures(["a.png": picture]))
        let yaml = """
            sources: { photos: { url: "\(origin.url)/", allow-private: true, originals: refuse } }
            cache: { path: "\(folder.path)/cache" }

            """
        let daemon = try DaemonProcess(
            yaml,
            in: folder,
            listeners:
                "listen: 127.0.0.1:0\nadmin: { listen: \"127.0.0.1:0\", token: opensesame }\npurge: { allow: [10.0.0.0/8] }\n"
        )
        func purge(_ field: String) throws -> Int {
            let client = try RawHTTPClient(port: daemon.port)
            try client.send("PURGE /photos/a.png HTTP/1.1\r\nHost: a\r\n\(field)\r\n")
            return try client.readResponse().status
        }
        #expect(try purge("") == 403)
        #expect(try purge("Authorization: Bearer opensesam\r\n") == 403)
        #expect(try purge("Authorization: Basic opensesame\r\n") == 403)
        #expect(try purge("Authorization: bearer opensesame\r\n") == 200)
        #expect(try RawHTTPClient(port: daemon.admin).get("/purge").status == 401)
        #expect(try RawHTTPClient(port: daemon.admin).get("/nothing").status == 401)
        #expect(try RawHTTPClient(port: daemon.admin).get("/healthz").status == 200)
        #expect(!daemon.logText.contains("opensesame"))
    }

    @Test func `the command purges the running daemon, and prints the result`() throws {
        let rig = try rig()
        _ = try rig.get("/photos/a.png?w=4&format=png")
        try settle(rig, variants: 1)
        let admin = ["--config", rig.daemon.configurationFile, "--admin", "127.0.0.1:\(rig.daemon.admin)"]
        let dry = try CommandRun(["purge", "/photos/a.png", "--dry-run"] + admin)
        #expect(dry.output.hasPrefix("/photos/a.png: would remove 1 originals and 1 variants ("), "\(dry)")
        let done = try CommandRun(["purge", "--source", "photos", "--json"] + admin)
        #expect(done.code == 0 && done.output.contains("\"variants\":1"), "\(done)")
        let all = try CommandRun(["purge", "--all"] + admin)
        #expect(all.output.hasPrefix("everything: removed 0 originals"), "\(all)")
        let unknown = try CommandRun(["purge", "/nowhere/x"] + admin)
        #expect(unknown.code == 1 && unknown.errors.contains("no such source"), "\(unknown)")
        #expect(try CommandRun(["purge"] + admin).code == 64)
        #expect(try CommandRun(["purge", "/a", "--all"] + admin).code == 64)
        let absent = try CommandRun([
            "purge", "--all", "--config", rig.daemon.configurationFile, "--admin", "127.0.0.1:1",
        ])
        #expect(absent.code == 1 && absent.errors.contains("cannot connect to 127.0.0.1:1"), "\(absent)")
    }
}
