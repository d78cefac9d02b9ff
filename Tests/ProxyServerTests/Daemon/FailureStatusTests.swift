import TestSupport
import Testing

/// `Cache-Status` on failures, which every response of a known source has.
@Suite(.timeLimit(.minutes(1)))
struct FailureStatusTests {
    private static func script(_ request: ScriptedRequest, _ connection: ScriptedConnection) {
        switch request.target {
        case "/403.png": connection.respond("403 Forbidden", text: "no")
        case "/410.png": connection.respond("410 Gone", text: "no")
        case "/500.png": connection.respond("500 Internal Server Error", text: "no")
        case "/cut.png": connection.close()
        case "/text.png": connection.respond("200 OK", ["Cache-Control: max-age=60"], text: "no picture")
        case "/long.png": connection.respond("200 OK", body: [UInt8](repeating: 1, count: 2 << 20))
        default:
            let picture = TestImages.gradient(width: 32, height: 24)
            connection.respond("200 OK", ["Cache-Control: max-age=60"], body: picture)
        }
    }

    @Test func `failures of images state whether the origin was contacted, and its status`() throws {
        let rig = try EndToEndRig("limits: { source-bytes: 1MiB }", script: Self.script)
        let cases: [(String, Int, String)] = [
            ("/photos/403.png?w=10", 404, "fwd=uri-miss; fwd-status=403"),
            ("/photos/410.png", 410, "fwd=uri-miss; fwd-status=410"),
            ("/photos/500.png?w=10", 502, "fwd=uri-miss; fwd-status=500"),
            ("/photos/cut.png?w=10", 502, "fwd=uri-miss"),
            ("/photos/text.png?w=10", 415, "fwd=uri-miss; fwd-status=200"),
            ("/photos/long.png", 413, "fwd=uri-miss; fwd-status=200"),
            ("/photos/a.png?crop=900,900,1,1", 422, "fwd=uri-miss; fwd-status=200"),
            ("/photos/a.png?crop=800,800,1,1", 422, "hit; detail=original"),
            ("/photos/403.png?w=20", 404, "hit; detail=negative"),
            ("/photos/a.png?crop=800,800,1,1", 422, "hit; detail=negative"),
            ("/photos/a.png?w=0", 400, "detail=refused"),
            ("/photos/a.png?w=10&exp=1", 403, "detail=refused"),
        ]
        for (target, status, text) in cases {
            let answer = try rig.get(target)
            #expect(answer.status == status, "\(target)")
            #expect(answer["Cache-Status"] == "edgeprint; \(text)", "\(target)")
        }
        let onlyStored = try rig.get("/photos/b.png?w=10", [("Cache-Control", "only-if-cached")])
        #expect(onlyStored.status == 504 && onlyStored["Cache-Status"] == "edgeprint; detail=only-if-cached")
        #expect(try rig.get("/nowhere/a.png")["Cache-Status"] == nil)
    }

    @Test func `a stale original that is gone has fwd=stale`() throws {
        let rig = try EndToEndRig { request, connection in
            if request.number == 1 {
                let picture = TestImages.gradient(width: 32, height: 24)
                connection.respond("200 OK", ["Cache-Control: max-age=0"], body: picture)
            } else {
                connection.respond("410 Gone", text: "no")
            }
        }
        #expect(try rig.get("/photos/a.png?w=10").status == 200)
        let gone = try rig.get("/photos/a.png?w=10")
        #expect(gone.status == 410 && gone["Cache-Status"] == "edgeprint; fwd=stale; fwd-status=410")
    }

    @Test func `a failed watermark is reported with the status of its image`() throws {
        let rig = try EndToEndRig(script: Self.script)
        let answer = try rig.get("/photos/a.png?w=10&watermark=/photos/403.png")
        #expect(answer.status == 404)
        #expect(answer["Cache-Status"] == "edgeprint; fwd=uri-miss; fwd-status=200")
    }

    @Test func `failures of raw sources have Cache-Status, too`() throws {
        let rig = try EndToEndRig(source: ", raw: true", script: Self.script)
        let cut = try rig.get("/photos/cut.png")
        #expect(cut.status == 502 && cut["Cache-Status"] == "edgeprint; fwd=uri-miss")
        let malformed = try rig.get("/photos/../a")
        #expect(malformed.status == 400 && malformed["Cache-Status"] == "edgeprint; detail=refused")
        let onlyStored = try rig.get("/photos/b", [("Cache-Control", "only-if-cached")])
        #expect(onlyStored.status == 504 && onlyStored["Cache-Status"] == "edgeprint; detail=only-if-cached")
    }
}
