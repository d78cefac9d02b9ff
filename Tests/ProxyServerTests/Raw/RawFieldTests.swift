import Glibc
import TestSupport
import Testing

/// The client fields that reach the origin of a raw source.
@Suite(.timeLimit(.minutes(1)))
struct RawFieldTests {
    private static func echo(_ request: ScriptedRequest, _ connection: ScriptedConnection) {
        connection.respond("200 OK", ["Cache-Control: max-age=60"], text: request.head)
    }

    @Test func `forwarding fields are set by the daemon only`() throws {
        let rig = try EndToEndRig(source: ", raw: true, headers: { X-Forwarded-Proto: https }", script: Self.echo)
        let fields = [
            "Via", "Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Original-URL",
            "X-HTTP-Method-Override", "Content_Length",
        ]
        let answer = try rig.get("/photos/a", fields.map { ($0, "6.6.6.6") } + [("X-Mine", "1")])
        #expect(answer.status == 200 && !answer.text.contains("6.6.6.6"), "\(answer.text)")
        #expect(answer.text.contains("X-Mine: 1\r\n") && answer.text.contains("X-Forwarded-Proto: https\r\n"))
        #expect(ScriptedRequest.field("CDN-Loop", in: answer.text)?.hasPrefix("edgeprint-") == true)
    }

    @Test func `Via of a trusted proxy is forwarded`() throws {
        let rig = try EndToEndRig("proxies: { trust: [127.0.0.1] }", source: ", raw: true", script: Self.echo)
        let answer = try rig.get("/photos/a", [("Via", "1.1 nginx"), ("X-Forwarded-Host", "6.6.6.6")])
        #expect(ScriptedRequest.field("Via", in: answer.text)?.hasPrefix("1.1 nginx, 1.1 edgeprint-") == true)
        #expect(!answer.text.contains("6.6.6.6"))
    }

    @Test func `the admin token is not forwarded, other credentials are`() throws {
        let rig = try EndToEndRig(source: ", raw: true", script: Self.echo)
        let listeners = "listen: 127.0.0.1:0\nadmin: { listen: \"127.0.0.1:0\", token: \"letmein\" }\n"
        try rig.daemon.rewrite(rig.yaml(source: ", raw: true"), listeners: listeners)
        rig.daemon.signal(SIGHUP)
        try waitWhile(RawHTTPClient(port: rig.daemon.admin).get("/stats").status != 401)
        #expect(!(try rig.get("/photos/a", [("Authorization", "Bearer letmein")]).text.contains("letmein")))
        #expect(
            try rig.get("/photos/b", [("Authorization", "Bearer mine")]).text.contains("Authorization: Bearer mine")
        )
    }

    @Test func `OPTIONS with Max-Forwards: 0 is answered here`() throws {
        let rig = try EndToEndRig(source: ", raw: true", script: Self.echo)
        let client = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 20_000)
        let here = try client.request("OPTIONS", "/photos/a", [("Max-Forwards", "0")])
        #expect(here.status == 204 && here["Allow"]?.contains("OPTIONS") == true && rig.origin.requests == 0)
        let there = try client.request("OPTIONS", "/photos/a", [("Max-Forwards", "3")])
        #expect(there.status == 200 && there.text.contains("Max-Forwards: 2\r\n"), "\(there.text)")
    }
}
