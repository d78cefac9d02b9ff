import TestSupport
import Testing

/// `originals: clean`, through the real daemon and its workers.
@Suite(.timeLimit(.minutes(1)))
struct CleanOriginalsTests {
    private let picture = TestImages.gradient(width: 64, height: 48)

    /// A `tEXt` chunk with a wrong checksum; decoders that verify it drop the chunk and no more.
    private func text(_ body: String) -> [UInt8] {
        [0, 0, 0, UInt8(body.utf8.count)] + Array("tEXt".utf8) + Array(body.utf8) + [0, 0, 0, 0]
    }

    private func rig(_ files: [String: [UInt8]]) throws -> EndToEndRig {
        try EndToEndRig(source: ", originals: clean", script: ScriptedOrigin.pictures(files))
    }

    @Test func `the original is served and cached without metadata`() throws {
        let tagged = Array(picture[..<33]) + text("Location: at home") + Array(picture[33...])
        let rig = try rig(["a.png": tagged])
        let answer = try rig.get("/photos/a.png")
        #expect(answer.status == 200)
        #expect(answer["Content-Type"] == "image/png")
        #expect(answer["Vary"] == nil)
        #expect(answer.body == picture)
        let again = try rig.get("/photos/a.png")
        #expect(again["Cache-Status"] == "edgeprint; hit; detail=memory")
        #expect(again["ETag"] == answer["ETag"])
        #expect(rig.origin.requests == 1)
        try rig.waitForStores(2)
        try rig.restartAfterKill(source: ", originals: clean")
        let stored = try rig.get("/photos/a.png")
        #expect(stored["Cache-Status"] == "edgeprint; hit; detail=disk" && stored.body == picture)
        // Sizes are made from the original as usual.
        #expect(PictureHeader.size(ofPNG: try rig.get("/photos/a.png?w=32&format=png").body) == [32, 24])
    }

    @Test func `other sizes do not reveal the metadata`() throws {
        let rig = try rig(["a.png": picture])
        let answer = try rig.get("/photos/a.png?w=20&meta=keep")
        #expect(answer.status == 403 && answer.text.contains("\"parameter\":\"meta\""))
        #expect(try rig.get("/photos/a.png?w=20&meta=copyright").status == 200)
    }

    @Test func `a source that refuses its originals does not reveal their metadata`() throws {
        let rig = try EndToEndRig(source: ", originals: refuse", script: ScriptedOrigin.pictures(["a.png": picture]))
        #expect(try rig.get("/photos/a.png").status == 403)
        for target in ["a.png?format=source&meta=keep", "a.png?w=20&meta=keep"] {
            let answer = try rig.get("/photos/\(target)")
            #expect(answer.status == 403 && answer.text.contains("\"parameter\":\"meta\""), "\(target)")
        }
        #expect(try rig.get("/photos/a.png?format=source").status == 200)
        #expect(try rig.get("/photos/a.png?w=20&meta=copyright").status == 200)
    }

    @Test func `an SVG is served without scripts and external references`() throws {
        let svg = Array(
            """
            <svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="alert(1)"><!-- me --><script>alert(2)</script>\
            <image href="https://tracker.example/a.png"/><rect width="9" height="9" fill="#f00"/></svg>
            """.utf8
        )
        let rig = try rig(["a.svg": svg, "b.svgz": Gzip.encode(svg)])
        let clean = """
            <svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">\
            <image/><rect width="9" height="9" fill="#f00"/></svg>
            """
        for name in ["a.svg", "b.svgz"] {
            let answer = try rig.get("/photos/\(name)")
            #expect(
                answer.status == 200 && answer.text == clean && answer["Content-Type"] == "image/svg+xml",
                "\(name)"
            )
            #expect(answer["Content-Encoding"] == nil && answer["Content-Security-Policy"] != nil)
        }
    }

    @Test func `originals that cannot be cleaned are refused, and never served unchanged`() throws {
        let rig = try rig([
            "a.avif": try SampleFiles.bytes("sequence.avif"), "cut.png": Array(picture[..<(picture.count - 20)]),
        ])
        let refused = try rig.get("/photos/a.avif")
        #expect(refused.status == 422 && refused.text.contains("image/avif cannot be served without its metadata"))
        let broken = try rig.get("/photos/cut.png")
        #expect(broken.status == 422 && broken.text.contains("the file is truncated"))
    }
}
