import HTTPCache
import ImagePipeline
import LinuxSystem
import TestSupport
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct NodeTokenTests {
    private let picture = TestImages.gradient(width: 400, height: 300)
    private let own = "edgeprint; fwd=uri-miss"

    private var script: ScriptedOrigin.Script {
        { [picture] _, connection in connection.respond("200 OK", ["Cache-Control: max-age=3600"], body: picture) }
    }

    @Test func `a node with a wrong token answers for itself, and the other says so once`() throws {
        let rig = try NodesRig(token: { "token-of-node-\($0)" }, script: script)
        for target in try rig.pictures(3, of: 1) {
            let answer = try rig.get(0, target + "?w=50&format=png")
            #expect(answer.status == 200 && answer["Cache-Status"] == own)
        }
        // The other node has refused at once, and done nothing.
        #expect(rig.origin.requests == 3)
        #expect(try rig.metric(1, "edgeprint_transforms_total") == 0)
        let daemon = try rig.daemon(1)
        try daemon.waitForLog("wrong cluster.token")
        #expect(daemon.logText.split(separator: "\n").count { $0.contains("wrong cluster.token") } == 1)
        #expect(!daemon.logText.contains("token-of-node-"))
    }

    @Test func `only nodes are answered as nodes`() throws {
        let rig = try NodesRig(script: script)
        let target = try rig.pictures(1, of: 1)[0] + "?w=50&format=png"
        let fields = [("Edgeprint-Node", NodesRig.token), ("Edgeprint-Key", String(repeating: "0", count: 64))]
        func ask(_ fields: [(String, String)], from: String?) throws -> RawHTTPResponse {
            try rig.client(1, from: from).get(target, fields)
        }
        // With a key that is not the variant's.
        #expect(try ask(fields, from: rig.hosts[0]).status == 421)
        for (fields, from) in [
            (fields, nil), (Array(fields.dropFirst()), rig.hosts[0]),
            ([("Edgeprint-Node", NodesRig.token + "x"), fields[1]], rig.hosts[0]),
            ([("Edgeprint-Node", ""), fields[1]], rig.hosts[0]),
            (fields + [fields[0]], rig.hosts[0]), (fields + [("X-Forwarded-For", "192.0.2.1")], rig.hosts[0]),
        ] as [([(String, String)], String?)] {
            let answer = try ask(fields, from: from)
            let isNone = !fields.contains { $0.0 == "Edgeprint-Node" }
            #expect(answer.status == (isNone ? 200 : 421) && answer["Edgeprint-Variant"] == nil)
        }
    }

    @Test func `a node is told nothing when it has applied more purges than the owner, or those of another log`() throws
    {
        let rig = try NodesRig(script: script)
        let target = try rig.pictures(1, of: 1)[0]
        let key = VariantRequest(origin: try rig.original(target), plan: nil, bucket: nil).key
        for (sequence, log, status) in [("0", "", 200), ("1", "", 421), ("0", "other", 421)] {
            let fields = [
                ("Edgeprint-Node", NodesRig.token), ("Edgeprint-Key", key.description),
                ("Edgeprint-Sequence", sequence), ("Edgeprint-Log", log),
            ]
            let client = try rig.client(1, from: rig.hosts[0])
            var answer = try client.get(target, fields)
            // The owner confirms a request that it cannot answer at once (RFC 2518 §10.1).
            if answer.status == 102 { answer = try client.readResponse() }
            #expect(answer.status == status && (answer["Edgeprint-Variant"] != nil) == (status == 200))
        }
    }

    @Test func `no origin and no log sees the token`() throws {
        let rig = try NodesRig(script: script)
        let target = try rig.pictures(1, of: 1)[0]
        #expect(try rig.get(0, target + "?w=50&format=png").status == 200)
        let fields = [("Edgeprint-Node", NodesRig.token), ("Edgeprint-Key", "k"), ("X-Own", "1")]
        #expect(try rig.get(1, "/raw/a.png", fields).status == 421)
        let client = try rig.client(1)
        let lines = fields.map { "\($0.0): \($0.1)\r\n" }.joined()
        try client.send("HEAD /raw/a.png HTTP/1.1\r\nHost: a\r\n\(lines)\r\n")
        #expect(try client.readResponse(toHEAD: true).status == 200)
        #expect(rig.origin.requests == 2)
        #expect(rig.origin.heads.contains { $0.contains("X-Own") })
        for head in rig.origin.heads { #expect(!head.lowercased().contains("edgeprint-node: ")) }
        for index in 0...1 {
            let files = [try rig.daemon(index).logText, DaemonProcess.contents(of: rig.logFile(index)) ?? ""]
            for text in files + rig.origin.heads { #expect(!text.contains(NodesRig.token)) }
        }
    }
}
