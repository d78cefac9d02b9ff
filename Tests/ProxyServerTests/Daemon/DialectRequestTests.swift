import Foundation
import TestSupport
import Testing

/// Requests in other servers' languages, as a daemon serves them.
@Suite(.timeLimit(.minutes(1)))
struct DialectRequestTests {
    private let picture = TestImages.gradient(width: 64, height: 48)
    private static let sources = """

          thumbs: { dialect: thumbor, dialect-source: photos }
          imagor: { dialect: imagor, dialect-source: photos }
          resized: { dialect: imgproxy, dialect-source: photos }
          cdn: { dialect: cloudflare, dialect-source: photos }
        """

    private func rig(
        _ extra: String = "",
        source: String = "",
        sources: String = Self.sources
    ) throws -> EndToEndRig {
        try EndToEndRig(extra, source: source, sources: sources) { [picture] _, connection in
            connection.respond("200 OK", ["Cache-Control: max-age=600"], body: picture)
        }
    }

    private func edgeprint(_ rig: EndToEndRig, _ arguments: String..., input: String = "") throws -> CommandRun {
        try CommandRun(arguments + ["--config", rig.daemon.configurationFile], input: input)
    }

    /// A signature by OpenSSL, in base64url.
    private func signature(_ message: String, key: String, _ hash: String) throws -> String {
        let run = try CommandRun(program: "/usr/bin/openssl", ["dgst", "-\(hash)", "-hmac", key, "-r"], input: message)
        return try base64(hexadecimal: run.output.prefix { $0 != " " })
    }

    private func base64(hexadecimal text: some StringProtocol) throws -> String {
        let digits = Array(text)
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(digits[$0...($0 + 1)]), radix: 16)
        }
        #expect(bytes.count >= 20)
        return Self.base64URL(Data(bytes))
    }

    /// With padding, as thumbor writes it.
    private static func base64URL(_ bytes: Data) -> String {
        bytes.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
    }

    @Test(arguments: [
        "/thumbs/unsafe/32x24/filters:format(png)/a/b.png", "/imagor/unsafe/fit-in/32x20/filters:format(png)/a.png",
        "/resized/unsafe/rs:fill:32:24/f:png/plain/a/b.png", "/resized/_/w:20/YS9iLnBuZw.webp",
        "/cdn/cdn-cgi/image/width=32,fit=scale-down,format=webp/a.png",
    ])
    func `a request and its translation are one variant`(theirs: String) throws {
        let rig = try rig()
        let translated = try edgeprint(rig, "translate", input: theirs + "\n")
        #expect(translated.code == 0, "\(translated.output) \(translated.errors)")
        let ours = String(translated.output.dropLast())
        #expect(ours.hasPrefix("/photos/a"), "\(ours)")
        let answer = try rig.get(theirs)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer["Cache-Status"]?.hasPrefix("edgeprint; fwd=uri-miss") == true)
        #expect(try rig.cacheStatus(ours) == "edgeprint; hit; detail=memory")
        let keys = try [theirs, ours].map { try edgeprint(rig, "key", $0).output }
        #expect(keys[0] == keys[1] && keys[0].count > 20)
        #expect(try rig.admin("GET", "/has?path=\(theirs)").status == 200)
        let explained = try edgeprint(rig, "explain", theirs)
        #expect(explained.code == 0 && explained.output.contains("translation"), "\(explained.output)")
        #expect(explained.output.contains(theirs) && explained.output.contains(ours), "\(explained.output)")
        #expect(try rig.post("/purge", "{\"url\":\"\(theirs)\"}").status == 200)
        #expect(try rig.cacheStatus(ours)?.hasPrefix("edgeprint; fwd=uri-miss") == true)
    }

    @Test func `a vector image grows without enlarge, as in imgproxy, and an image of pixels does not`() throws {
        let svg = "<svg xmlns='http://www.w3.org/2000/svg' width='100' height='50'><rect width='9' height='9'/></svg>"
        let images = ["a.svg": Array(svg.utf8), "a.png": picture]
        let rig = try EndToEndRig(sources: Self.sources, script: ScriptedOrigin.pictures(images))
        func size(_ target: String) throws -> [Int]? {
            let answer = try rig.get(target)
            #expect(answer.status == 200, "\(answer.text)")
            return PictureHeader.size(ofPNG: answer.body)
        }
        #expect(try size("/resized/_/rs:fit:400:0/f:png/plain/a.svg") == [400, 200])
        #expect(try size("/resized/_/rs:fill:400:400/f:png/plain/a.svg") == [400, 400])
        #expect(try size("/photos/a.svg?w=400&format=png") == [400, 200])
        #expect(try size("/resized/_/rs:fit:400:0/f:png/plain/a.png") == [64, 48])
    }

    @Test(arguments: ["prefix\":\"/thumbs/", "prefix\":\"/thumbs/a", "source\":\"thumbs"])
    func `a purge of a source that has the images of another one names that one`(order: String) throws {
        let rig = try rig()
        #expect(try rig.get("/thumbs/unsafe/32x24/a.png").status == 200)
        let refused = try rig.post("/purge", "{\"\(order)\"}")
        #expect(refused.status == 400 && refused.text.contains("'photos' (dialect-source)"), "\(refused.text)")
        #expect(try rig.post("/purge", "{\"\(order.replacing("thumbs", with: "photos"))\"}").status == 200)
        #expect(try rig.cacheStatus("/thumbs/unsafe/32x24/a.png")?.hasPrefix("edgeprint; fwd=uri-miss") == true)
    }

    @Test func `different languages share a variant`() throws {
        let rig = try rig()
        #expect(try rig.get("/thumbs/unsafe/32x24/filters:format(png)/a.png").status == 200)
        #expect(
            try rig.cacheStatus("/resized/unsafe/rs:fill:32:24/f:png/plain/a.png") == "edgeprint; hit; detail=memory"
        )
        #expect(rig.origin.heads.count == 1)
    }

    @Test func `what cannot be said is an error that names it`() throws {
        let rig = try rig()
        for (path, name) in [
            ("/thumbs/unsafe/filters:nonsense(1)/a.png", "nonsense"), ("/cdn/cdn-cgi/image/widht=3/a.png", "widht"),
            ("/thumbs/unsafe/30000x0/a.png", "must be"), ("/thumbs", "path"),
        ] {
            let answer = try rig.get(path)
            #expect(answer.status == 400 && answer.text.contains(name), "\(path): \(answer.text)")
        }
        #expect(rig.origin.heads.isEmpty)
    }

    @Test func `a valid signature is worth what sig is worth`() throws {
        let key = "my-security-key"
        let rig = try rig(
            """
            dialects: { thumbor: { keys: [other-key, \(key)] }, imagor: { keys: \(key), hash: sha256, truncate: 40 } }
            signing: { required: true, keys: [\(String(repeating: "ab", count: 32))] }
            """,
            sources: Self.sources.split(separator: "\n").dropLast(2).map { "\n" + $0 }.joined()
        )
        let rest = "32x24/filters:format(png)/a.png"
        let code = try signature(rest, key: key, "sha1")
        let answer = try rig.get("/thumbs/\(code)/\(rest)")
        #expect(answer.status == 200 && PictureHeader.size(ofPNG: answer.body) == [32, 24], "\(answer.text)")
        let long = try signature(rest, key: key, "sha256")
        #expect(try rig.get("/imagor/\(long.prefix(40))/\(rest)").status == 200)
        let past = "filters:raw():expire(1000000000)/a.png"
        let expired = "/imagor/\(try signature(past, key: key, "sha256").prefix(40))/\(past)"
        for refused in [
            expired, "/thumbs/unsafe/\(rest)", "/thumbs/\(code)/33x24/filters:format(png)/a.png",
            "/imagor/\(long)/\(rest)",
            "/imagor/\(long.prefix(20))/\(rest)", "/imagor/\(code)/\(rest)",
            "/thumbs/\(try signature(rest, key: "x", "sha1"))/\(rest)",
            "/photos/a.png?w=32",
        ] {
            let answer = try rig.get(refused)
            #expect(answer.status == 403, "\(refused): \(answer.status) \(answer.text)")
            #expect(!answer.text.contains(code.prefix(10)) || refused.contains(code), "\(refused)")
        }
        // Nothing of a refused request reaches the origin.
        #expect(rig.origin.heads.count == 1)
        #expect(try edgeprint(rig, "explain", "/thumbs/\(code)/\(rest)").output.contains("valid, key 2"))
    }

    @Test func `imgproxy's salted signatures and encrypted URLs are read`() throws {
        let (key, salt) = (String(repeating: "5a", count: 32), "68656c6c6f")
        let secret = "1eb5b0e971ad7f45324c1bb15c947cb207c43152fa5c6c7f35c4f36e0c18e0f1"
        let rig = try rig("dialects: { imgproxy: { keys: [\(key)], salts: [\(salt)], url-keys: [\(secret)] } }")
        func signed(_ path: String) throws -> String {
            let arguments = ["dgst", "-sha256", "-mac", "HMAC", "-macopt", "hexkey:\(key)", "-r"]
            let run = try CommandRun(program: "/usr/bin/openssl", arguments, input: "hello" + path)
            return try "/resized/" + base64(hexadecimal: run.output.prefix { $0 != " " }) + path
        }
        let plain = "/rs:fill:32:24/f:png/plain/\(rig.origin.url)/a.png"
        let answer = try rig.get(try signed(plain))
        #expect(answer.status == 200 && PictureHeader.size(ofPNG: answer.body) == [32, 24], "\(answer.text)")
        #expect(try rig.get("/resized/unsafe\(plain)").status == 403)
        #expect(try rig.get(try signed(plain).replacing("fill:32", with: "fill:33")).status == 403)
        // The cipher with its initialisation vector, by OpenSSL.
        let vector = "000102030405060708090a0b0c0d0e0f"
        let cipher = ["enc", "-aes-256-cbc", "-K", secret, "-iv", vector, "-a", "-A"]
        let sealed = try CommandRun(program: "/usr/bin/openssl", cipher, input: "\(rig.origin.url)/a.png").output
        let bytes = try #require(Data(base64Encoded: sealed))
        let text = Self.base64URL(Data((0..<16).map { UInt8($0) }) + bytes)
        #expect(
            try rig.get(try signed("/rs:fill:32:24/f:png/enc/\(text)"))["Cache-Status"]
                == "edgeprint; hit; detail=memory"
        )
        let other = Self.base64URL(Data(repeating: 7, count: 48))
        // Whether it decrypts is told to those with a signature alone.
        #expect(try rig.get("/resized/unsafe/enc/\(other)").status == 403)
        #expect(try rig.get(try signed("/enc/\(other)")).status == 400)
    }

    @Test func `an unsigned request has the limits of one without sig`() throws {
        let rig = try rig("presets: { small: \"w=8&format=png\" }", source: ", unsigned: { presets: only }")
        let answer = try rig.get("/thumbs/unsafe/32x24/a.png")
        #expect(answer.status == 403 && answer.text.contains("unsigned"), "\(answer.text)")
        let code = try signature("32x24/a.png", key: "k", "sha1")
        let stated = try rig.get("/thumbs/\(code)/32x24/a.png")
        #expect(stated.status == 403 && stated.text.contains("dialects.thumbor.keys"), "\(stated.text)")
    }

    @Test func `a valid signature lifts limits, and fetches from any host`() throws {
        let rig = try rig(
            "dialects: { thumbor: { keys: k } }\nremote: { allow-private: true }\npresets: { small: \"w=8\" }",
            source: ", unsigned: { presets: only }"
        )
        let rest = "32x24/filters:format(png)/a.png"
        #expect(try rig.get("/thumbs/\(try signature(rest, key: "k", "sha1"))/\(rest)").status == 200)
        // The same origin by another name is of no source.
        let url = rig.origin.url.replacing("127.0.0.1", with: "127.0.0.2") + "/a.png"
        let far = "32x24/filters:format(png)/\(url)"
        let answer = try rig.get("/thumbs/\(try signature(far, key: "k", "sha1"))/\(far)")
        // The origin listens on 127.0.0.1 alone, so that the request fails behind all checks.
        #expect([200, 502].contains(answer.status), "\(answer.status) \(answer.text)")
    }

    @Test func `all paths of a site are in its language`() throws {
        let folder = try TemporaryFolder()
        let origin = try ScriptedOrigin { [picture] _, connection in
            connection.respond("200 OK", ["Cache-Control: max-age=600"], body: picture)
        }
        let daemon = try DaemonProcess(
            """
            sources: { photos: { url: "\(origin.url)/", allow-private: true } }
            cache: { path: off }
            sites:
              old:
                prefix: /w
                dialect: weserv
                sources:
                  main: { url: "\(origin.url)/", allow-private: true }
                  raw: { url: "\(origin.url)/raw/", allow-private: true, raw: true }
            """,
            in: folder
        )
        func get(_ target: String) throws -> RawHTTPResponse {
            try RawHTTPClient(port: daemon.port, timeoutMilliseconds: 20_000).get(target)
        }
        let host = origin.url.dropFirst("http://".count)
        let answer = try get("/w/?url=\(host)/a.png&w=32&output=png")
        #expect(answer.status == 200 && PictureHeader.size(ofPNG: answer.body) == [32, 24], "\(answer.text)")
        #expect(origin.heads.first?.hasPrefix("GET /a.png ") == true)
        let strange = try get("/w/?url=example.org/a.png&w=32")
        #expect(strange.status == 403 && strange.text.contains("remote.allow"), "\(strange.text)")
        let unknown = try get("/w/?url=\(host)/a.png&nonsense=32")
        #expect(unknown.status == 400 && unknown.text.contains("nonsense"), "\(unknown.text)")
        for other in ["/w/main/a.png?w=8", "/w/raw/a.txt", "/w/fetch?w=8", "/w/placeholder/8x8/ff0000.png"] {
            #expect(try get(other).status == 400, "\(other)")
        }
        #expect(try get("/photos/a.png?w=8").status == 200)
    }
}
