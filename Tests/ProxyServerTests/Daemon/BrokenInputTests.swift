import Glibc
import LinuxSystem
import TestSupport
import Testing

/// Misbehaving origins: each case has its defined status, and the daemon continues to serve.
@Suite(.timeLimit(.minutes(1)))
struct BrokenInputTests {
    static let picture = TestImages.gradient(width: 64, height: 48)

    /// The origin's behaviour and the client's response.
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var status: Int
        var script: ScriptedOrigin.Script

        init(_ name: String, _ status: Int, _ script: @escaping ScriptedOrigin.Script) {
            testDescription = name
            self.status = status
            self.script = script
        }
    }

    static let cases = [
        Case("404", 404) { $1.respond("404 Not Found", text: "no") },
        Case("401", 404) { $1.respond("401 Unauthorized", text: "no") },
        Case("403", 404) { $1.respond("403 Forbidden", text: "no") },
        Case("451", 404) { $1.respond("451 Unavailable For Legal Reasons", text: "no") },
        Case("410", 410) { $1.respond("410 Gone", text: "no") },
        Case("500", 502) { $1.respond("500 Internal Server Error", text: "no") },
        Case("an unrequested 206", 502) { $1.respond("206 Partial Content", body: picture) },
        Case("text", 415) { $1.respond(text: "hello, I am text") },
        Case("HTML called an image", 415) { $1.respond("200 OK", ["Content-Type: image/png"], text: "<html></html>") },
        Case("nothing", 415) { $1.respond(body: []) },
        Case("a PNG cut short", 422) { $1.respond(body: Array(picture.prefix(picture.count / 2))) },
        Case("a PNG that claims too many pixels", 422) {
            $1.respond(body: TestImages.claimedPNG(width: 60_000, height: 60_000))
        },
        Case("a body shorter than its Content-Length", 502) { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\nshort")
            connection.close()
        },
        Case("a body over the limit", 413) { _, connection in
            connection.respond(body: [UInt8](repeating: 0xFF, count: 300_000))
        },
        Case("a body over the limit without a length", 413) { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
            connection.send([UInt8](repeating: 0xFF, count: 300_000))
            connection.close()
        },
        Case("silence", 504) { _, connection in connection.waitForPeer() },
        Case("a body that stalls", 504) { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\nslow")
            connection.waitForPeer()
        },
        Case("a redirect loop", 502) { $1.respond("302 Found", ["Location: /photos"]) },
        Case("a redirect to a file", 502) { $1.respond("302 Found", ["Location: file:///etc/passwd"]) },
        Case("no HTTP at all", 502) { _, connection in
            connection.send("SSH-2.0-OpenSSH_9.2\r\n")
            connection.close()
        },
        Case("a connection closed immediately", 502) { $1.close() },
    ]

    @Test(arguments: cases)
    func `an origin that misbehaves`(_ item: Case) throws {
        let rig = try EndToEndRig(
            "timeouts: { first-byte: 500ms, total: 1s }\nlimits: { source-bytes: 200kB }",
            script: { request, connection in
                guard request.target != "/good.png" else {
                    connection.respond("200 OK", body: Self.picture)
                    return
                }
                item.script(request, connection)
            }
        )
        let answer = try rig.get("/photos/bad.png?w=10")
        #expect(answer.status == item.status, "\(answer.text)")
        #expect(answer["Content-Type"] == "application/problem+json")
        #expect(!answer.text.contains("127.0.0.1"))
        #expect(try rig.get("/photos/good.png?w=10").status == 200)
    }

    @Test func `a refused connection is 502`() throws {
        let rig = try EndToEndRig(script: { $1.respond(text: "never") })
        rig.origin.stop()
        #expect(try rig.get("/photos/a.png?w=10").status == 502)
    }

    @Test func `an origin on a private address is refused unless its source allows it`() throws {
        let origin = try ScriptedOrigin { $1.respond(body: Self.picture) }
        let folder = try TemporaryFolder()
        let daemon = try DaemonProcess(
            """
            sources: { inner: { url: "\(origin.url)/" } }
            remote: { allow: ["127.0.0.1"] }
            cache: { path: "\(folder.path)/cache" }

            """,
            in: folder
        )
        let client = try RawHTTPClient(port: daemon.port)
        let answer = try client.get("/inner/a.png")
        #expect(answer.status == 403)
        #expect(answer.text.contains("its address is refused") && !answer.text.contains("loopback"))
        let encoded = origin.url.replacing(":", with: "%3A").replacing("/", with: "%2F")
        #expect(try client.get("/fetch?url=\(encoded)%2Fa.png").status == 403)
        #expect(origin.connections == 0)
    }

    @Test func `a GIF that crashes its decoder costs one response, and the daemon continues to serve`() throws {
        let rig = try EndToEndRig(
            "limits: { pixels: 5000MP }",
            script: ScriptedOrigin.pictures([
                "bomb.gif": TestImages.deadlyGIF(width: 60_000, height: 60_000), "good.png": Self.picture,
            ])
        )
        let answer = try rig.get("/photos/bomb.gif?w=10")
        #expect(answer.status == 422, "\(answer.text)")
        #expect(try rig.get("/photos/good.png?w=10").status == 200)
    }
}
