import TestSupport
import Testing

/// `Content-Credentials`: what became of an original's C2PA manifests.
@Suite(.timeLimit(.minutes(2)))
struct ContentCredentialsTests {
    private static let plain = TestImages.gradient(width: 64, height: 48)
    private static let signed = TestManifests.png(plain)
    private static let field = "Content-Credentials"

    private func contains(_ bytes: [UInt8], _ word: String) -> Bool {
        let word = Array(word.utf8)
        return bytes.indices.contains { bytes[$0...].starts(with: word) }
    }

    @Test func `every picture of a signed original tells, from every tier`() throws {
        let rig = try EndToEndRig(script: ScriptedOrigin.pictures(["a.png": Self.signed, "b.png": Self.plain]))
        let expected = [
            "": "present", "?w=20&format=png": "stripped", "?w=20&format=png&meta=keep": "stripped",
            "?format=webp&meta=keep": "stripped", "?w=20&format=jpeg&meta=copyright": "stripped",
        ]
        for (query, words) in expected {
            let made = try rig.get("/photos/a.png" + query)
            #expect(made.status == 200 && made[Self.field] == words, "\(query): \(made.description)")
            #expect((made.body == Self.signed) == (words == "present"))
            #expect(contains(made.body, "c2pa") == (words == "present"), "\(query)")
            #expect(made["Access-Control-Expose-Headers"]?.contains(Self.field) == true)
            let again = try rig.get("/photos/a.png" + query)
            #expect(again["Cache-Status"] == "edgeprint; hit; detail=memory" && again[Self.field] == words)
            let client = try RawHTTPClient(port: rig.daemon.port)
            try client.send("HEAD /photos/a.png\(query) HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readResponse(toHEAD: true)[Self.field] == words)
            let confirmed = try rig.get("/photos/a.png" + query, [("If-None-Match", try #require(again["ETag"]))])
            #expect(confirmed.status == 304 && confirmed[Self.field] == words)
            #expect(try rig.get("/photos/b.png" + query)[Self.field] == nil, "\(query)")
        }
        // A description is no picture.
        #expect(try rig.get("/photos/a.png?format=json")[Self.field] == nil)
        // A placeholder, or a better encoding, may be stored later.
        try waitWhile(rig.metric("edgeprint_disk_stores_total") ?? 0 < 10)
        try rig.restartAfterKill()
        for (query, words) in expected {
            let stored = try rig.get("/photos/a.png" + query)
            #expect(stored["Cache-Status"] == "edgeprint; hit; detail=disk" && stored[Self.field] == words, "\(query)")
            #expect(try rig.get("/photos/b.png" + query)[Self.field] == nil, "\(query)")
        }
        #expect(rig.origin.requests == 2)
    }

    @Test func `a clean original is stripped of its manifests`() throws {
        let gif = TestImages.gif(
            width: 2,
            height: 2,
            palette: [(1, 2, 3), (4, 5, 6), (7, 8, 9), (0, 0, 0)],
            frames: [GIFFrame(width: 2, height: 2, colour: 1)],
            loop: 0
        )
        let files = ["a.png": Self.signed, "a.gif": TestManifests.gif(gif), "b.gif": gif]
        let rig = try EndToEndRig(source: ", originals: clean", script: ScriptedOrigin.pictures(files))
        for (name, words) in [("a.png", "stripped"), ("a.gif", "stripped"), ("b.gif", nil)] {
            let answer = try rig.get("/photos/" + name)
            #expect(answer.status == 200 && answer[Self.field] == words, "\(name)")
            #expect(!contains(answer.body, "C2PA") && !contains(answer.body, "c2pa"))
        }
    }
}
