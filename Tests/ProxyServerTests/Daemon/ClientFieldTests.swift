import Glibc
import TestSupport
import Testing

/// The client fields that reach the origin of an image source.
@Suite(.timeLimit(.minutes(1)))
struct ClientFieldTests {
    private static let picture = TestImages.gradient(width: 8, height: 8)
    private static let long = String(repeating: "1.1 x, ", count: 1_200)

    /// An origin that refuses long request heads, as nginx does, and those with client fields.
    private func rig(_ extra: String = "") throws -> EndToEndRig {
        try EndToEndRig(extra) { request, connection in
            if request.head.utf8.count > 2_000 {
                connection.respond("400 Bad Request")
            } else if request.head.contains("jndi") || request.field("CDN-Loop")?.contains("refused") == true {
                connection.respond("403 Forbidden")
            } else {
                connection.respond("200 OK", ["Cache-Control: max-age=60"], body: Self.picture)
            }
        }
    }

    @Test(arguments: ["Via", "via", "X-Forwarded-For", "Forwarded", "User-Agent", "Cookie", "Referer", "tracestate"])
    func `other client fields do not reach the origin`(name: String) throws {
        let rig = try rig()
        for (number, value) in [Self.long, "${jndi:ldap://x/a}", "1.1 mine"].enumerated() {
            #expect(try rig.get("/photos/\(number).png", [(name, value)]).status == 200)
        }
        for head in rig.origin.heads { #expect(!head.contains("mine") && !head.contains("jndi"), "\(head)") }
    }

    @Test func `a short Via of a trusted proxy is forwarded`() throws {
        let rig = try rig("proxies: { trust: [127.0.0.1] }")
        #expect(try rig.get("/photos/a.png", [("Via", "1.1 nginx"), ("Via", "2 cdn")]).status == 200)
        #expect(try rig.get("/photos/b.png", [("Via", Self.long)]).status == 200)
        let sent = rig.origin.heads.compactMap { ScriptedRequest.field("Via", in: $0) }
        #expect(sent.first?.hasPrefix("1.1 nginx, 2 cdn, 1.1 edgeprint-") == true, "\(sent)")
        #expect(sent.last?.hasPrefix("1.1 edgeprint-") == true)
    }

    @Test func `the names in CDN-Loop and a valid traceparent are forwarded`() throws {
        let rig = try rig()
        let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        let fields = [
            ("CDN-Loop", "cdn; n=1, ${jndi:x}"), ("CDN-Loop", "b;x=\"${jndi:y}\""), ("traceparent", trace),
        ]
        #expect(try rig.get("/photos/a.png", fields).status == 200)
        #expect(try rig.get("/photos/b.png", [("traceparent", "${jndi:x}"), ("CDN-Loop", "${jndi:x}")]).status == 200)
        let (first, second) = (rig.origin.heads[0], rig.origin.heads[1])
        #expect(ScriptedRequest.field("CDN-Loop", in: first)?.hasPrefix("cdn;n=1, b, edgeprint-") == true, "\(first)")
        #expect(ScriptedRequest.field("traceparent", in: first)?.hasPrefix(trace.prefix(36)) == true)
        #expect(ScriptedRequest.field("CDN-Loop", in: second)?.hasPrefix("edgeprint-") == true)
        #expect(ScriptedRequest.field("traceparent", in: second) == nil)
    }

    @Test func `a refusal because of CDN-Loop does not affect other requests`() throws {
        let rig = try rig()
        let fields = [("CDN-Loop", "refused")]
        #expect(try rig.get("/photos/a.png", fields).status == 404)
        #expect(try rig.get("/photos/a.png", fields)["Cache-Status"] == "edgeprint; hit; detail=negative")
        #expect(try rig.get("/photos/a.png").status == 200)
        #expect(rig.origin.requests == 2)
        // The fetched image is served to all clients.
        #expect(try rig.get("/photos/a.png", fields).status == 200)
        #expect(rig.origin.requests == 2)
        #expect(try rig.metric("edgeprint_negative_entries") == 0)
    }
}
