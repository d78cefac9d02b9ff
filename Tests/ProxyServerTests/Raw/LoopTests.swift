import Glibc
import HTTPKit
import TestSupport
import Testing

@testable import ProxyServer

/// Sources that lead back to the daemon.
@Suite(.timeLimit(.minutes(1)))
struct LoopTests {
    private func rig(raw: Bool) throws -> EndToEndRig {
        let rig = try EndToEndRig(source: ", raw: true") { request, connection in
            connection.respond("508 Theirs", ["Cache-Control: max-age=60", "Via: 1.1 other"], text: request.head)
        }
        let port = rig.daemon.port
        let text = "sources:\n  self: { url: \"http://127.0.0.1:\(port)/self/\", allow-private: true, raw: \(raw) }\n"
        try rig.daemon.rewrite(rig.yaml(source: ", raw: true").replacing("sources:\n", with: text))
        rig.daemon.signal(SIGHUP)
        try rig.daemon.waitForLog("configuration reloaded")
        return rig
    }

    @Test func `a raw source that leads back here is a 508, which is not cached`() throws {
        let rig = try rig(raw: true)
        for _ in 0..<2 {
            let answer = try rig.get("/self/a")
            #expect(answer.status == 508 && answer["Content-Type"] == "application/problem+json", "\(answer.text)")
            #expect(answer["Cache-Control"] == "no-store" && answer.text.contains("\"title\":\"Loop Detected\""))
            #expect(answer["Cache-Status"] == "edgeprint; fwd=uri-miss; fwd-status=508")
        }
        let options = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 20_000)
        #expect(try options.request("OPTIONS", "/self/a").status == 508)
        #expect(try rig.metric("edgeprint_disk_stores_total") == 0)
    }

    @Test func `an image source that leads back here is a 508, which is not a failure of the origin`()
        throws
    {
        let rig = try rig(raw: false)
        for target in ["/self/a.png?w=5", "/self/a.png?w=5", "/self/a.png"] {
            let answer = try rig.get(target)
            #expect(answer.status == 508 && answer["Content-Type"] == "application/problem+json", "\(answer.text)")
            #expect(answer["Cache-Control"] == "no-store")
            #expect(answer["Cache-Status"] == "edgeprint; fwd=uri-miss; fwd-status=508")
        }
        #expect(try rig.metric("edgeprint_negative_entries") == 0)
    }

    @Test(arguments: [false, true])
    func `a loop through another daemon is detected, too`(raw: Bool) throws {
        let rig = try EndToEndRig(script: ScriptedOrigin.pictures([:]))
        let folder = try TemporaryFolder()
        let other = try DaemonProcess(
            """
            sources: { c: { url: "http://127.0.0.1:\(rig.daemon.port)/c/", allow-private: true, raw: \(raw) } }
            cache: { path: "\(folder.path)/cache" }

            """,
            in: folder
        )
        let text = "sources:\n  c: { url: \"http://127.0.0.1:\(other.port)/c/\", allow-private: true, raw: \(raw) }\n"
        try rig.daemon.rewrite(rig.yaml().replacing("sources:\n", with: text))
        rig.daemon.signal(SIGHUP)
        try rig.daemon.waitForLog("configuration reloaded")
        let answer = try rig.get("/c/a.png")
        #expect(answer.status == 508 && answer.text.contains("Loop Detected"), "\(answer.text)")
        #expect(try rig.metric("edgeprint_negative_entries") == 0)
    }

    @Test func `requests with other intermediaries are served, and an origin's own 508 is forwarded`()
        throws
    {
        let rig = try rig(raw: true)
        let answer = try rig.get("/photos/a", [("CDN-Loop", "cdn; n=1, edgeprint-0123456789abcdef"), ("Via", "1.1 x")])
        #expect(answer.status == 508 && !answer.text.contains("1.1 x"), "\(answer.text)")
        let sent = try #require(ScriptedRequest.field("CDN-Loop", in: answer.text))
        #expect(sent.wholeMatch(of: /cdn;n=1, edgeprint-0123456789abcdef, edgeprint-[0-9a-f]{16}/) != nil, "\(sent)")
        // Each intermediary appends its name.
        let names = answer.values(of: "Via")
        #expect(names.first == "1.1 other" && names.last?.hasPrefix("1.1 edgeprint-") == true)
        let own = try #require(names.last?.dropFirst(4))
        #expect(sent.hasSuffix(own))
        #expect(try rig.get("/photos/a", [("CDN-Loop", "other, \(own.uppercased())")]).text.contains("Loop Detected"))
        // Via is informative only.
        #expect(try rig.get("/photos/b", [("Via", "1.1 \(own)")]).text.hasPrefix("GET /b "))
    }

    @Test func `a request through too many intermediaries counts as a loop`() throws {
        let rig = try rig(raw: true)
        let names = (1...9).map { "cdn\($0)" }.joined(separator: ", ")
        for value in [names, String(repeating: "a", count: 257)] {
            let answer = try rig.get("/photos/a", [("CDN-Loop", value)])
            #expect(answer.status == 508 && answer.text.contains("Loop Detected"), "\(answer.text)")
        }
        #expect(rig.origin.requests == 0)
        #expect(try rig.get("/photos/a", [("CDN-Loop", String(names.dropLast(6)))]).text.hasPrefix("GET /a "))
    }

    @Test(arguments: [
        ("edgeprint-1234", true), ("a, edgeprint-1234;x=1, b", true), ("EDGEPRINT-1234", true),
        ("edgeprint-123", false), ("edgeprint", false), ("", false), ("edgeprint-1235", false),
    ])
    func `recognises only its own name`(value: String, isOwn: Bool) throws {
        let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\nCDN-Loop: first\r\nCDN-Loop: \(value)\r\n\r\n".utf8)
        var head = RequestHead()
        var progress = ParseProgress()
        _ = try RequestParser().parse(bytes.span, &progress, into: &head)
        #expect(ViaName("edgeprint-1234").hasLoop(head, bytes.span) == isOwn)
    }

    @Test func `each process has a unique name`() {
        let names = Set((0..<100).map { _ in ViaName().text })
        #expect(names.count == 100 && names.allSatisfy { $0.utf8.count == 26 })
    }
}
