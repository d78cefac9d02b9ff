import TestSupport
import Testing

/// `Cache-Control: no-transform` of an origin (RFC 9111 §5.2.2.6).
@Suite(.timeLimit(.minutes(1)))
struct NoTransformTests {
    private static let picture = TestImages.gradient(width: 64, height: 48)
    private static let obey = ", no-transform: obey"

    private func rig(_ source: String, _ words: String = "max-age=600, no-transform") throws -> EndToEndRig {
        try EndToEndRig(
            source: source,
            script: ScriptedOrigin.pictures(["a.png": Self.picture], fields: ["Cache-Control: \(words)"])
        )
    }

    @Test func `is forwarded to clients and otherwise ignored by default`() throws {
        let rig = try rig("")
        let answer = try rig.get("/photos/a.png?w=20&format=png")
        #expect(PictureHeader.size(ofPNG: answer.body) == [20, 15])
        #expect(answer["X-Untransformed"] == nil && answer["Cache-Control"] == "max-age=600, no-transform")
    }

    @Test func `obey serves the unchanged original with X-Untransformed, from every tier`() throws {
        let rig = try rig(Self.obey)
        for status in ["fwd=uri-miss", "hit; detail=memory"] {
            let answer = try rig.get("/photos/a.png?w=20&format=webp")
            #expect(answer.status == 200 && answer.body == Self.picture && answer["Content-Type"] == "image/png")
            #expect(answer["X-Untransformed"] == "no-transform")
            #expect(answer["Cache-Status"] == "edgeprint; \(status)")
        }
        // The request is for the unchanged original.
        #expect(try rig.get("/photos/a.png")["X-Untransformed"] == nil)
        // Descriptions of the image are not transforms.
        #expect(try rig.get("/photos/a.png?format=json")["Content-Type"] == "application/json")
        try rig.waitForStores(2)
        try rig.restartAfterKill(source: Self.obey)
        let stored = try rig.get("/photos/a.png?w=20&format=webp")
        #expect(stored.body == Self.picture && stored["X-Untransformed"] == "no-transform")
        #expect(rig.origin.requests == 1)
    }

    @Test func `obey affects only originals with the directive, and invalidates earlier variants of these`()
        throws
    {
        let free = try rig(Self.obey, "max-age=600")
        #expect(PictureHeader.size(ofPNG: try free.get("/photos/a.png?w=20&format=png").body) == [20, 15])
        let bound = try rig("")
        _ = try bound.get("/photos/a.png?w=20&format=png")
        try bound.waitForStores(2)
        try bound.restartAfterKill(source: Self.obey)
        #expect(try bound.get("/photos/a.png?w=20&format=png").body == Self.picture)
    }

    @Test func `obey is refused unless unchanged originals are served`() throws {
        for policy in ["refuse", "clean"] {
            let found = problems(
                "sources: { a: { url: \"https://a.example/\", originals: \(policy), no-transform: obey } }"
            )
            #expect(found.contains { $0.contains("no-transform") }, "\(found)")
        }
    }
}
