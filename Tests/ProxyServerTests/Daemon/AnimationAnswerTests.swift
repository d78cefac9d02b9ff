import TestSupport
import Testing

/// Handling of animations, through the real daemon and its workers.
@Suite(.timeLimit(.minutes(2)))
struct AnimationAnswerTests {
    private static let palette: [(UInt8, UInt8, UInt8)] = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0)]

    /// Eight frames of 16×16.
    private static let gif: [UInt8] = {
        let frames = (0..<8).map { GIFFrame(width: 16, height: 16, colour: UInt8($0 % 4)) }
        return TestImages.gif(width: 16, height: 16, palette: palette, frames: frames, loop: 0)
    }()

    private static let still = TestImages.gradient(width: 8, height: 8)

    @Test func `every response of an animation states the kept frames, from every tier`() throws {
        // Eight frames decoded are 256 pixels of the budget; half of them at full size 1024 more.
        let source = ", limits: { animation: 1300 }"
        let script = ScriptedOrigin.pictures(["a.gif": Self.gif, "s.png": Self.still])
        let rig = try EndToEndRig(source: source, script: script)
        let expected = [
            "?w=4&format=webp": "kept; frames=8", "?lossless=1&format=webp": "reduced; frames=4/8",
            "?q=50&format=gif": "first; frames=1/8", "?frame=5&format=png": "frame; frames=1/8; frame=5",
            "?anim=first&format=webp": "first; frames=1/8", "?format=gif": "original; frames=8",
            "": "original; frames=8",
        ]
        for (query, outcome) in expected {
            let first = try rig.get("/photos/a.gif" + query)
            #expect(first.status == 200 && first["X-Animation"] == outcome, "\(query): \(first.description)")
            #expect(first["Access-Control-Expose-Headers"]?.contains("X-Animation") == true)
            let again = try rig.get("/photos/a.gif" + query)
            #expect(again["Cache-Status"] == "edgeprint; hit; detail=memory", "\(query)")
            #expect(again["X-Animation"] == outcome && again.body == first.body)
        }
        let tag = try #require(try rig.get("/photos/a.gif?w=4&format=webp")["ETag"])
        let confirmed = try rig.get("/photos/a.gif?w=4&format=webp", [("If-None-Match", tag)])
        #expect(confirmed.status == 304 && confirmed["X-Animation"] == "kept; frames=8")
        let still = try rig.get("/photos/s.png?w=4&format=png")
        #expect(still.status == 200 && still["X-Animation"] == nil)
        try rig.waitForStores(9)
        try rig.restartAfterKill(source: source)
        for (query, outcome) in expected {
            let stored = try rig.get("/photos/a.gif" + query)
            #expect(stored["X-Animation"] == outcome, "\(query)")
            #expect(stored["Cache-Status"] == "edgeprint; hit; detail=disk", "\(query)")
        }
        #expect(rig.origin.requests == 2)
    }

    @Test func `an AVIF sequence is an animation`() throws {
        let script = ScriptedOrigin.pictures(["a.avif": try SampleFiles.bytes("sequence.avif")])
        let rig = try EndToEndRig(script: script)
        for (query, outcome, type) in [
            ("?w=9", "kept; frames=3", "image/gif"), ("?w=9&format=png", "kept; frames=3", "image/png"),
            ("?w=9&format=source&strict=1", "kept; frames=3", "image/avif"),
            ("?frames=1-9&format=webp", "kept; frames=2; range=1-2", "image/webp"),
            ("?anim=first&w=9&strict=1&format=png", "first; frames=1/3", "image/png"),
            ("?frame=2&w=9&format=jpeg", "frame; frames=1/3; frame=2", "image/jpeg"),
            ("", "original; frames=3", "image/avif"),
        ] {
            let answer = try rig.get("/photos/a.avif" + query)
            #expect(answer.status == 200 && answer["X-Animation"] == outcome, "\(query): \(answer.description)")
            #expect(answer["Content-Type"] == type, "\(query)")
        }
        let late = try rig.get("/photos/a.avif?frames=3-9")
        #expect(late.status == 422 && late.text.contains("\"parameter\":\"frames\""), "\(late.text)")
        let json = try rig.get("/photos/a.avif?format=json").text
        #expect(json.contains(#""frames":3,"#), "\(json)")
    }

    @Test func `a request over a limit is refused with the parameter's name`() throws {
        let script = ScriptedOrigin.pictures(["a.gif": Self.gif])
        let rig = try EndToEndRig(source: ", limits: { animation: 1300, frames: 9 }", script: script)
        for (query, name) in [
            ("anim=keep&q=50&format=gif", "limits.animation"), ("strict=1&format=jpeg", "strict"),
            ("frame=8&format=png", "frame"), ("page=1&format=png", "page"),
        ] {
            let answer = try rig.get("/photos/a.gif?" + query)
            #expect(answer.status == 422 && answer.text.contains(name), "\(query): \(answer.text)")
        }
        for query in ["anim=all", "frame=-1", "speed=11", "loop=65536", "reverse=2", "strict=x", "page=1.5"] {
            let answer = try rig.get("/photos/a.gif?" + query)
            #expect(answer.status == 400 && answer.text.contains(String(query.prefix { $0 != "=" })), "\(query)")
        }
    }

    @Test func `above the frame limit only the first frame and the original are served`() throws {
        let script = ScriptedOrigin.pictures(["a.gif": Self.gif])
        let rig = try EndToEndRig(source: ", limits: { frames: 3 }", script: script)
        #expect(try rig.get("/photos/a.gif?w=9")["X-Animation"] == "first; frames=1/8")
        let whole = try rig.get("/photos/a.gif?format=auto")
        #expect(whole["X-Animation"] == "original; frames=8" && whole["Content-Type"] == "image/gif")
        let webp = try rig.get("/photos/a.gif?format=auto", [("Accept", "image/webp")])
        #expect(webp["X-Animation"] == "first; frames=1/8" && webp["Content-Type"] == "image/webp")
        let refusing = try EndToEndRig(source: ", limits: { frames: 3 }, originals: refuse", script: script)
        #expect(try refusing.get("/photos/a.gif?format=auto")["X-Animation"] == "first; frames=1/8")
        #expect(try refusing.get("/photos/a.gif?anim=keep").status == 422)
    }
}
