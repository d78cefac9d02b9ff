import LinuxSystem
import TestSupport
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct NodesTests {
    private let picture = TestImages.gradient(width: 400, height: 300)
    private let owned = "edgeprint; fwd=uri-miss; detail=owner"

    private var script: ScriptedOrigin.Script {
        { [picture] request, connection in
            guard !request.target.contains("none") else { return connection.respond("404 Not Found", text: "no") }
            connection.respond("200 OK", ["Cache-Control: max-age=3600", "xkey: red"], body: picture)
        }
    }

    @Test func `many clients of three nodes cause one download, and one transform for each of eight widths`()
        async throws
    {
        let gate = try ScriptedGate()
        let script = script
        let rig = try NodesRig(3) { request, connection in
            gate.wait()
            script(request, connection)
        }
        let target = try rig.pictures(1, of: 2)[0]
        let clients = try (0..<120).map { number in
            let client = try rig.client(number % 3)
            let width = 20 * (number / 3 % 8 + 1)
            try client.send("GET \(target)?w=\(width)&format=png HTTP/1.1\r\nHost: a\r\n\r\n")
            return (client, width)
        }
        await rig.origin.arrival(of: 1)
        gate.open()
        for (client, width) in clients {
            let answer = try client.readResponse()
            #expect(answer.status == 200)
            #expect(PictureHeader.size(ofPNG: answer.body)?.first == width)
        }
        #expect(rig.origin.requests == 1)
        let transforms = try (0..<3).map { try rig.metric($0, "edgeprint_transforms_total") }
        #expect(transforms == [0, 0, 8])
    }

    @Test func `an owner's answer is kept in memory only, and is used like any other response`() throws {
        let rig = try NodesRig(script: script)
        let target = try rig.pictures(1, of: 1)[0] + "?w=100&format=png"
        let first = try rig.get(0, target)
        #expect(first["Cache-Status"] == owned)
        #expect(PictureHeader.size(ofPNG: first.body) == [100, 75])
        let hit = try rig.get(0, target)
        #expect(hit["Cache-Status"] == "edgeprint; hit; detail=memory")
        #expect(hit.body == first.body)
        let own = try rig.get(1, target)
        for name in ["ETag", "Cache-Control", "Content-Type", "Vary", "Last-Modified"] {
            #expect(hit[name] == own[name])
        }
        #expect(hit["Age"] != nil)
        #expect(try rig.get(0, target, [("If-None-Match", own["ETag"] ?? "")]).status == 304)
        let part = try rig.get(0, target, [("Range", "bytes=10-19")])
        #expect(part.status == 206 && part.body == Array(first.body[10..<20]))
        // The bare original, and a variant of the same format as a client of the owner gets.
        let bare = try rig.pictures(1, of: 1)[0]
        #expect(try rig.get(0, bare)["Cache-Status"] == owned)
        #expect(try rig.get(0, bare).body == picture)
        let accept = [("Accept", "image/webp")]
        let webp = try rig.get(0, bare + "?w=80", accept)
        #expect(webp["Content-Type"] == "image/webp" && webp["Vary"]?.contains("Accept") == true)
        #expect(webp["Cache-Status"] == owned)
        #expect(try rig.get(1, bare + "?w=80", accept)["Cache-Status"] == "edgeprint; hit; detail=memory")
        #expect(rig.origin.requests == 1)
        #expect(try rig.metric(0, "edgeprint_disk_stores_total") == 0)
    }

    @Test func `a purge removes what is kept of an owner's answers`() throws {
        let rig = try NodesRig(script: script)
        let target = try rig.pictures(1, of: 1)[0] + "?w=100&format=png"
        let orders = [
            "{\"url\":\"\(target.prefix { $0 != "?" })\"}", "{\"source\":\"photos\"}", "{\"tag\":[\"red\"]}",
            "{\"all\":true}", "{\"tag\":[\"red\"],\"soft\":true}",
        ]
        for order in orders {
            #expect(try rig.get(0, target).status == 200)
            #expect(try rig.get(0, target)["Cache-Status"] == "edgeprint; hit; detail=memory")
            #expect(try rig.purge(0, order).status == 200)
            #expect(try rig.get(0, target)["Cache-Status"] == owned)
        }
        #expect(try rig.purge(0, "{\"tag\":[\"blue\"]}").status == 200)
        #expect(try rig.get(0, target)["Cache-Status"] == "edgeprint; hit; detail=memory")
        #expect(rig.origin.requests == 1)
    }

    @Test func `a failure of the original is found out once`() throws {
        let rig = try NodesRig { request, connection in connection.respond("404 Not Found", text: "no") }
        let target = try rig.pictures(1, of: 1)[0] + "?w=100"
        let answer = try rig.get(0, target)
        #expect(answer.status == 404 && answer["Cache-Status"] == owned)
        #expect(try rig.get(0, target).status == 404)
        #expect(try rig.get(1, target).status == 404)
        #expect(rig.origin.requests == 1)
    }

    @Test func `without its owner a picture is served all the same, and from the owner again once it is back`() throws {
        let rig = try NodesRig(script: script)
        rig.kill(1)
        for target in try rig.pictures(4, of: 1) {
            let answer = try rig.get(0, target + "?w=50&format=png")
            #expect(answer.status == 200 && answer["Cache-Status"] == "edgeprint; fwd=uri-miss")
        }
        try rig.start(1)
        // It is left out for seconds, and then one request tries it.
        var number = 1_000
        while true {
            let answer = try rig.get(0, try rig.pictures(1, of: 1, from: number)[0] + "?w=50&format=png")
            #expect(answer.status == 200)
            if answer["Cache-Status"] == owned { break }
            number += 100
        }
    }

    @Test func `nodes with different settings answer for themselves`() throws {
        let rig = try NodesRig(extra: { $0 == 0 ? "quality: { jpeg: 33 }" : "" }, script: script)
        let target = try rig.pictures(1, of: 1)[0] + "?w=100&format=jpeg"
        let answer = try rig.get(0, target)
        #expect(answer.status == 200 && answer["Cache-Status"] == "edgeprint; fwd=uri-miss")
        #expect(rig.origin.requests == 1)
        #expect(try rig.metric(1, "edgeprint_transforms_total") == 0)
    }

    @Test func `the owner serves what another node has permitted, also while signing keys are replaced`() throws {
        func keys(_ index: Int) -> String {
            "signing: { keys: [\(String(repeating: "\(index + 1)", count: 64))], required: true }"
        }
        let rig = try NodesRig(extra: keys, script: script)
        let target = try rig.pictures(1, of: 1)[0] + "?w=100"
        let key = try #require(SigningKey(hexadecimal: String(repeating: "1", count: 64)))
        let signer = RequestSigner(keys: [key])
        let parts = target.split(separator: "?").map { Array($0.utf8) }
        let signed = "\(target)&sig=\(try #require(signer.signature(path: parts[0], query: parts[1])))"
        let answer = try rig.get(0, signed)
        #expect(answer.status == 200 && answer["Cache-Status"] == owned)
        #expect(try rig.get(1, signed).status == 403)
        #expect(try rig.get(0, target).status == 403)
    }
}
