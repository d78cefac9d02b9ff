import Glibc
import TestSupport
import Testing

/// JPEG originals stored as JPEG XL (`serialize: jxl`), through the real daemon and its workers.
@Suite(.timeLimit(.minutes(2)))
struct StoredJPEGXLRequestTests {
    private static let jxl = ", serialize: jxl"

    @Test func `the first request has a JPEG stored smaller, and it is restored byte for byte, also after a restart`()
        throws
    {
        let jpeg = try OriginalTranscodingTests.jpeg(side: 640)
        let script = ScriptedOrigin.pictures(["a.jpg": jpeg])
        let plain = try EndToEndRig(script: script)
        let rig = try EndToEndRig(source: Self.jxl, script: script)
        #expect(try rig.get("/photos/a.jpg?w=50&format=png").status == 200)
        try rig.waitForCopy()
        #expect(rig.files("variants").reduce(0, +) < jpeg.count)
        for query in ["w=100&format=png", "format=json", "meta=keep&w=90", "rotate=90&w=70"] {
            let made = try rig.get("/photos/a.jpg?\(query)")
            #expect(made.status == 200 && made["Cache-Status"] == "edgeprint; hit; detail=original", "\(query)")
            #expect(try made.body == plain.get("/photos/a.jpg?\(query)").body, "\(query)")
        }
        try rig.restartAfterKill(source: Self.jxl)
        let bare = try rig.get("/photos/a.jpg")
        #expect(bare.body == jpeg && bare["Cache-Status"]?.hasPrefix("edgeprint; hit") == true, "\(bare.description)")
        let part = try rig.get("/photos/a.jpg", [("Range", "bytes=100-199")])
        #expect(part.status == 206 && part.body == Array(jpeg[100..<200]))
        #expect(rig.origin.requests == 1)
    }

    @Test func `a request for the original alone has it stored smaller, and it serves as a watermark`() throws {
        let jpeg = try OriginalTranscodingTests.jpeg(side: 640)
        let pictures = ["a.jpg": jpeg, "b.png": TestImages.gradient(width: 300, height: 200)]
        let rig = try EndToEndRig(source: Self.jxl, script: ScriptedOrigin.pictures(pictures))
        #expect(try rig.get("/photos/a.jpg").body == jpeg)
        try waitWhile(rig.files("variants").isEmpty || !rig.files("originals").isEmpty)
        let marked = try rig.get("/photos/b.png?watermark=photos/a.jpg,center,0,0,0.5")
        #expect(marked.status == 200, "\(marked.description)")
        #expect(rig.origin.requests == 2)
    }

    @Test func `has and entry find the original, fresh and stale`() throws {
        let jpeg = try OriginalTranscodingTests.jpeg(side: 640)
        let rig = try EndToEndRig(source: Self.jxl, script: ScriptedOrigin.pictures(["a.jpg": jpeg]))
        #expect(try rig.get("/photos/a.jpg").body == jpeg)
        try waitWhile(rig.files("variants").isEmpty || !rig.files("originals").isEmpty)
        // Nothing is in memory.
        try rig.restartAfterKill(source: Self.jxl)
        for freshness in ["true", "false"] {
            let has = try rig.admin("GET", "/has?path=/photos/a.jpg").text
            #expect(has.contains("\"cached\":true") && has.contains("\"fresh\":\(freshness)"), "\(has)")
            #expect(has.contains("\"bytes\":\(jpeg.count)"), "\(has)")
            let entry = try rig.admin("GET", "/entry?path=/photos/a.jpg")
            #expect(entry.status == 200 && entry.body == jpeg, "\(entry.head)")
            #expect(try rig.post("/purge", #"{"all":true,"soft":true}"#).status == 200)
        }
        #expect(try rig.admin("GET", "/entry?path=/photos/b.jpg").status == 404)
        #expect(rig.origin.requests == 1)
    }

    @Test func `a damaged file is not restored from, and the original is downloaded`() throws {
        let jpeg = try OriginalTranscodingTests.jpeg(side: 640)
        let rig = try EndToEndRig(source: Self.jxl, script: ScriptedOrigin.pictures(["a.jpg": jpeg]))
        #expect(try rig.get("/photos/a.jpg").body == jpeg)
        try waitWhile(rig.files("variants").isEmpty || !rig.files("originals").isEmpty)
        for path in rig.paths("variants") {
            guard let file = unsafe fopen(path, "r+") else {
                Issue.record("\(path) cannot be opened")
                continue
            }
            unsafe fseek(file, 5000, SEEK_SET)
            unsafe fputs("damaged", file)
            unsafe fclose(file)
        }
        try rig.restartAfterKill(source: Self.jxl)
        let bare = try rig.get("/photos/a.jpg")
        #expect(bare.body == jpeg && rig.origin.requests == 2)
    }

    @Test func `a small JPEG keeps its body`() throws {
        let small = try OriginalTranscodingTests.jpeg(side: 120)
        let rig = try EndToEndRig(source: Self.jxl, script: ScriptedOrigin.pictures(["a.jpg": small]))
        _ = try rig.get("/photos/a.jpg?w=50&format=png")
        try rig.waitForStores(2)
        #expect(try rig.get("/photos/a.jpg").body == small && rig.origin.requests == 1)
        #expect(rig.files("originals").count == 1 && rig.files("variants").count == 1)
    }
}
