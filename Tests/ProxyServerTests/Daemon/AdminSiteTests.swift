import TestSupport
import Testing

/// Requests of other sites' pages to an admin listener without a token.
@Suite(.timeLimit(.minutes(1)))
struct AdminSiteTests {
    @Test func `a page of another site cannot send requests on behalf of its visitor`() throws {
        let rig = try EndToEndRig(script: ScriptedOrigin.pictures([:]))
        func status(_ fields: String, host: String) throws -> Int {
            let client = try RawHTTPClient(port: rig.daemon.admin)
            let body = "{\"all\":true}"
            try client.send(
                "POST /purge HTTP/1.1\r\nHost: \(host)\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
            )
            return try client.readResponse().status
        }
        for host in ["127.0.0.1:8081", "localhost:8081", "LOCALHOST", "[::1]:8081", "a.localhost"] {
            #expect(try status("", host: host) == 200, "\(host)")
        }
        // By a name that other DNS zones, or the local network, may resolve to this server.
        for host in [
            "edgeprint", "edgeprint:8081", "router", "evil.example", "evil.example:8081", "127.0.0.1.evil.example",
            "localhost.evil.example",
        ] {
            #expect(try status("", host: host) == 403, "\(host)")
        }
        #expect(try status("Origin: http://127.0.0.1:8081\r\n", host: "127.0.0.1:8081") == 200)
        for origin in ["https://evil.example", "null", "http://127.0.0.1:9999", "http://127.0.0.1"] {
            #expect(try status("Origin: \(origin)\r\n", host: "127.0.0.1:8081") == 403, "\(origin)")
        }
        // A page can send such requests without CORS.
        for (site, expected) in [("none", 200), ("same-origin", 200), ("same-site", 403), ("cross-site", 403)] {
            let fields = [("Sec-Fetch-Site", site)]
            #expect(try RawHTTPClient(port: rig.daemon.admin).get("/metrics", fields).status == expected, "\(site)")
        }
        // Health checks are open to all clients.
        let health = try RawHTTPClient(port: rig.daemon.admin).get("/healthz", [("Origin", "https://evil.example")])
        #expect(health.status == 200)
    }
}
