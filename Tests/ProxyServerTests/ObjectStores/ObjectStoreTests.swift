import Foundation
import TestSupport
import Testing

/// Sources with credentials, through the real daemon.
@Suite(.timeLimit(.minutes(1)))
struct ObjectStoreTests {
    private let picture = TestImages.gradient(width: 32, height: 24)

    private func daemon(
        _ store: ObjectStore,
        auth: String = "access-key: AKIDTEST, secret-key: \"secret/key+1\"",
        more: String = ""
    ) throws -> (origin: ScriptedOrigin, daemon: DaemonProcess, folder: TemporaryFolder) {
        let folder = try TemporaryFolder()
        let origin = try ScriptedOrigin(store.script)
        let yaml = """
            sources:
              bucket:
                url: "s3://pics/a b+/"
                endpoint: "\(origin.url)"
                allow-private: true
                auth: { \(auth) }
                \(more)
            cache: { path: "\(folder.path)/cache" }

            """
        return (origin, try DaemonProcess(yaml, in: folder), folder)
    }

    @Test func `requests objects with unusual keys, signed as the store expects`() throws {
        let keys = [
            "plain.png": "plain.png", "a%20b.png": "a b.png", "a+b.png": "a+b.png", "a%2Bb.png": "a+b.png",
            "%C3%A9/%e2%82%ac.png": "é/€.png", "x=1/y&z,.png": "x=1/y&z,.png", "100%25.png": "100%.png",
            "q%3Fm%23.png": "q?m#.png", "~(1)*!'@:$;.png": "~(1)*!'@:$;.png", "%41.png": "A.png",
            "a//b.png": "a//b.png",
            "a%2Fb.png": "a/b.png", "%2541.png": "%41.png",
        ]
        let objects = Dictionary(keys.values.map { ("a b+/" + $0, picture) }) { first, _ in first }
        let (origin, daemon, folder) = try daemon(ObjectStore(objects: objects))
        let client = try RawHTTPClient(port: daemon.port, timeoutMilliseconds: 20_000)
        for (path, key) in keys {
            let answer = try client.get("/bucket/\(path)")
            #expect(answer.status == 200 && answer.body == picture, "\(path) for \(key): \(answer.status)")
        }
        #expect(try client.get("/bucket/plain.png?w=8&format=png").status == 200)
        #expect(try client.get("/bucket/missing.png").status == 404)
        withExtendedLifetime((origin, folder)) {}
    }

    @Test func `sends a session token, and signs forwarded parameters`() throws {
        let store = ObjectStore(sessionToken: "session/token==", objects: ["a b+/a.png": picture])
        let auth = "access-key: AKIDTEST, secret-key: \"secret/key+1\", session-token: \"session/token==\""
        let (origin, daemon, folder) = try daemon(store, auth: auth, more: "forward-query: [versionId, part, flag]")
        let client = try RawHTTPClient(port: daemon.port, timeoutMilliseconds: 20_000)
        #expect(try client.get("/bucket/a.png?versionId=x%2fy+%20=&part=1&flag").status == 200)
        let target = try #require(origin.heads.last?.split(separator: " ")[1])
        #expect(target == "/pics/a%20b%2B/a.png?versionId=x%2Fy%2B%20%3D&part=1&flag")
        withExtendedLifetime(folder) {}
    }

    /// Google Cloud Storage's XML API takes AWS's signatures with HMAC keys: path style, service `s3`, and `auto` as the region.
    @Test func `signs for the region auto, as Google Cloud Storage expects`() throws {
        var store = ObjectStore(objects: ["a b+/é+.png": picture])
        store.region = "auto"
        store.accessKey = "GOOGTS7C7FUP3AIRVJTE2BCD"
        let auth = "access-key: GOOGTS7C7FUP3AIRVJTE2BCD, secret-key: \"secret/key+1\""
        let (origin, daemon, folder) = try daemon(store, auth: auth, more: "region: auto")
        let client = try RawHTTPClient(port: daemon.port, timeoutMilliseconds: 20_000)
        let answer = try client.get("/bucket/%C3%A9+.png")
        #expect(answer.status == 200 && answer.body == picture, "\(answer.text)")
        let head = try #require(origin.heads.first)
        #expect(head.contains("Credential=GOOGTS7C7FUP3AIRVJTE2BCD/") && head.contains("/auto/s3/aws4_request,"))
        withExtendedLifetime(folder) {}
    }

    @Test func `a wrong secret is a 404, like every denial, and no secret is revealed`() throws {
        let (origin, daemon, folder) = try daemon(
            ObjectStore(objects: ["a b+/a.png": picture]),
            auth: "access-key: AKIDTEST, secret-key: canary-secret, session-token: canary-token"
        )
        let client = try RawHTTPClient(port: daemon.port, timeoutMilliseconds: 20_000)
        let answer = try client.get("/bucket/a.png?w=8")
        #expect(answer.status == 404)
        #expect(!answer.text.contains("canary") && !answer.text.contains("127.0.0.1"))
        let explained = try RawHTTPClient(port: daemon.admin).get("/explain?path=%2Fbucket%2Fa.png%3Fw%3D8").text
        #expect(explained.contains("AKIDTEST") && !explained.contains("canary"))
        #expect(!daemon.logText.contains("canary"))
        #expect(!(origin.heads.first ?? "canary-secret").contains("canary-secret"))
        withExtendedLifetime(folder) {}
    }

    @Test func `a password from a separate file reaches only the origin`() throws {
        let secrets = try TemporaryFolder()
        try Data("canary pass\n".utf8).write(to: URL(fileURLWithPath: secrets.path + "/password"))
        let rig = try EndToEndRig(
            source: ", auth: { basic: { user: edge, password: !file \(secrets.path)/password } }"
        ) { [picture] request, connection in
            guard request.field("Authorization") == "Basic ZWRnZTpjYW5hcnkgcGFzcw==" else {
                return connection.respond("401 Unauthorized", ["WWW-Authenticate: Basic realm=\"x\""])
            }
            connection.respond("200 OK", ["Cache-Control: max-age=3600"], body: picture)
        }
        #expect(try rig.get("/photos/a.png?w=8").status == 200)
        #expect(!rig.daemon.logText.contains("canary"))
        let explained = try RawHTTPClient(port: rig.daemon.admin).get("/explain?path=%2Fphotos%2Fa.png%3Fw%3D8").text
        #expect(explained.contains("[redacted]") && !explained.contains("canary"))
    }
}
