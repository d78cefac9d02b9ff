import Foundation
import TestSupport
import Testing

/// Placeholders in header fields, through the real daemon and its workers.
@Suite(.timeLimit(.minutes(2)))
struct PlaceholderHeaderTests {
    /// Two thirds red, one third blue.
    private let flag: [UInt8] = {
        let image = PixelImage(width: 90, height: 60) { x, _ in x < 60 ? [200, 20, 20, 255] : [20, 20, 200, 255] }
        return TestImages.png(width: 90, height: 60, rgba: image.bytes)
    }()
    private static let names = ["X-Blurhash", "X-Thumbhash", "X-Dominant-Color", "X-Original-Size"]

    private func fields(_ answer: RawHTTPResponse) -> [String?] { Self.names.map { answer[$0] } }

    @Test func `placeholder: headers describes the original in every response, including hits and 304`() throws {
        let source = ", placeholder: headers"
        let rig = try EndToEndRig(source: source, script: ScriptedOrigin.pictures(["a.png": flag]))
        let first = try rig.get("/photos/a.png?w=30&format=png")
        #expect(first["X-Original-Size"] == "90x60" && first["X-Dominant-Color"] == "#c81414")
        #expect(first["X-Blurhash"]?.utf8.count == 28)
        #expect(Data(base64Encoded: first["X-Thumbhash"] ?? "")?.isEmpty == false)
        let exposed = try #require(first["Access-Control-Expose-Headers"]).split(separator: ", ").map(String.init)
        #expect(Set(exposed).isSuperset(of: Self.names))
        let told = fields(first)
        let tag = try #require(first["ETag"])
        let memory = try rig.get("/photos/a.png?w=30&format=png")
        #expect(memory["Cache-Status"] == "edgeprint; hit; detail=memory" && fields(memory) == told)
        let confirmed = try rig.get("/photos/a.png?w=30&format=png", [("If-None-Match", tag)])
        #expect(confirmed.status == 304 && fields(confirmed) == told)
        for other in ["?w=20&format=webp", "?crop=10,10,5,5&format=png", "", "?format=json"] {
            #expect(try fields(rig.get("/photos/a.png" + other)) == told, "\(other)")
        }
        try rig.waitForStores(5)
        try rig.restartAfterKill(source: source)
        let stored = try rig.get("/photos/a.png?w=30&format=png")
        #expect(stored["Cache-Status"] == "edgeprint; hit; detail=disk" && fields(stored) == told)
        #expect(try fields(rig.get("/photos/a.png?w=25&format=png")) == told)
        #expect(rig.origin.requests == 1)
    }

    @Test func `without the setting there are no such fields`() throws {
        let rig = try EndToEndRig(script: ScriptedOrigin.pictures(["a.png": flag]))
        let answer = try rig.get("/photos/a.png?w=30&format=png")
        #expect(answer.status == 200 && fields(answer) == [nil, nil, nil, nil])
    }

    @Test func `json, blurhash and lqip are cached like images`() throws {
        let rig = try EndToEndRig(script: ScriptedOrigin.pictures(["a.png": flag]))
        for (format, type) in [
            ("json", "application/json"), ("blurhash", "text/plain; charset=utf-8"),
            ("lqip", "text/plain; charset=utf-8"),
        ] {
            let target = "/photos/a.png?format=\(format)"
            let first = try rig.get(target)
            #expect(first.status == 200 && first["Content-Type"] == type, "\(first.description)")
            #expect(first["Vary"] == (format == "json" ? "Accept-Encoding" : nil))
            #expect(first["Cache-Control"] == "max-age=3600")
            let again = try rig.get(target)
            #expect(again["Cache-Status"] == "edgeprint; hit; detail=memory" && again.body == first.body)
            let tag = try #require(first["ETag"])
            #expect(try rig.get(target, [("If-None-Match", tag)]).status == 304)
            #expect(try rig.get(target, [("Range", "bytes=0-3")]).body == Array(first.body.prefix(4)))
            if format == "lqip" { #expect(first.text.hasPrefix("data:image/webp;base64,") && first.body.count <= 300) }
            if format == "blurhash" { #expect(first.body.count == 28) }
        }
        let json = try rig.get("/photos/a.png?w=30&format=json")
        let object = try #require(JSONSerialization.jsonObject(with: Data(json.body)) as? [String: Any])
        #expect(object["width"] as? Int == 30 && object["type"] as? String == "image/png")
        #expect(rig.origin.requests == 1)
        try rig.waitForStores(5)
        try rig.restartAfterKill()
        let stored = try rig.get("/photos/a.png?format=json")
        #expect(stored["Cache-Status"] == "edgeprint; hit; detail=disk")
        #expect(stored["Content-Type"] == "application/json")
    }

    @Test func `json of a source without metadata has no camera data`() throws {
        let maker = try EndToEndRig(script: ScriptedOrigin.pictures(["a.png": flag]))
        let jpeg = TestImages.withCamera("Edge", try maker.get("/photos/a.png?format=jpeg").body)
        let script = ScriptedOrigin.pictures(["a.jpg": jpeg])
        let open = try EndToEndRig(script: script).get("/photos/a.jpg?format=json")
        #expect(open.text.contains("\"exif\":{\"make\":\"Edge\"}"), "\(open.text)")
        let clean = try EndToEndRig(source: ", originals: clean", script: script).get("/photos/a.jpg?format=json")
        #expect(clean.status == 200 && clean.text.contains("\"exif\":{}"), "\(clean.text)")
    }

    @Test func `the unchanged original has the fields once they are computed`() throws {
        let rig = try EndToEndRig(source: ", placeholder: headers", script: ScriptedOrigin.pictures(["a.png": flag]))
        let first = try rig.get("/photos/a.png")
        #expect(first["X-Original-Size"] == "90x60" && first["X-Blurhash"] == nil)
        try waitWhile(rig.get("/photos/a.png")["X-Blurhash"] == nil)
        let later = try rig.get("/photos/a.png")
        #expect(later["Cache-Status"] == "edgeprint; hit; detail=memory" && later.body == flag)
        #expect(later["X-Dominant-Color"] == "#c81414" && later["ETag"] == first["ETag"])
        #expect(try rig.get("/photos/a.png?w=9&format=png")["X-Blurhash"] == later["X-Blurhash"])
    }

    @Test func `text that is not an image is refused in these formats, too`() throws {
        let text = Array("just words, and no picture at all".utf8)
        let rig = try EndToEndRig(script: ScriptedOrigin.pictures(["a.txt": text, "cut.png": Array(flag.prefix(300))]))
        for format in ["json", "blurhash", "lqip"] {
            #expect(try rig.get("/photos/a.txt?format=\(format)").status == 415)
            #expect(try rig.get("/photos/cut.png?format=\(format)").status == 422)
        }
    }
}
