import TestSupport
import Testing

/// SVG in gzip as an original, through the real daemon and its workers.
@Suite(.timeLimit(.minutes(1)))
struct CompressedMarkupTests {
    private let svg = Array(
        "<svg xmlns='http://www.w3.org/2000/svg' width='30' height='20'><rect width='30' height='20' fill='#f00'/></svg>"
            .utf8
    )

    @Test func `the original has its Content-Encoding, and sizes are rendered from it`() throws {
        let coded = Gzip.encode(svg)
        let rig = try EndToEndRig { [svg] request, connection in
            // A server that compresses SVG unasked, and one that sends the stored file.
            let isCoded = request.target == "/plain.svg"
            let fields = ["Cache-Control: max-age=600"] + (isCoded ? ["Content-Encoding: gzip"] : [])
            connection.respond("200 OK", fields, body: Gzip.encode(svg))
        }
        // Content-Encoding of the origin is decoded during transfer, so the file is not in gzip.
        for (name, body, coding) in [("plain.svg", svg, nil), ("file.svgz", coded, "gzip")] {
            for _ in 1...2 {
                let answer = try rig.get("/photos/\(name)")
                #expect(answer.status == 200 && answer.body == body)
                #expect(answer["Content-Type"] == "image/svg+xml" && answer["Content-Encoding"] == coding)
                #expect(answer["Content-Security-Policy"]?.contains("sandbox") == true)
            }
            let drawn = try rig.get("/photos/\(name)?w=15&format=png")
            #expect(drawn.status == 200 && drawn["Content-Encoding"] == nil)
            #expect(PictureHeader.size(ofPNG: drawn.body) == [15, 10])
        }
        try rig.waitForStores(4)
        try rig.restartAfterKill()
        let stored = try rig.get("/photos/file.svgz")
        #expect(stored["Cache-Status"] == "edgeprint; hit; detail=disk")
        #expect(stored["Content-Encoding"] == "gzip" && stored.body == coded)
    }

    @Test func `other gzip content is not an image, and a bomb is refused`() throws {
        let bomb = Array(svg[..<(svg.count - 6)]) + [UInt8](repeating: 0x20, count: 200_000) + Array("</svg>".utf8)
        let rig = try EndToEndRig(
            source: ", limits: { source-bytes: 100KiB }",
            script: ScriptedOrigin.pictures([
                "text.gz": Gzip.encode(Array("no picture".utf8)),
                "picture.gz": Gzip.encode(TestImages.gradient(width: 4, height: 4)),
                "twice.svgz": Gzip.encode(Gzip.encode(svg)), "cut.svgz": Array(Gzip.encode(svg).dropLast(9)),
                "bomb.svgz": Gzip.encode(bomb),
            ])
        )
        for name in ["text.gz", "picture.gz", "twice.svgz"] {
            #expect(try rig.get("/photos/\(name)").status == 415, "\(name)")
        }
        let cut = try rig.get("/photos/cut.svgz?w=10&format=png")
        #expect(cut.status == 422 && cut.text.contains("ends early"))
        let refused = try rig.get("/photos/bomb.svgz?w=10&format=png")
        #expect(refused.status == 422 && refused.text.contains("limits.source-bytes"))
    }

    @Test func `it is cleaned, and served without Content-Encoding`() throws {
        let rig = try EndToEndRig(
            source: ", originals: clean",
            script: ScriptedOrigin.pictures(["a.svgz": Gzip.encode(svg)])
        )
        let cleaned = try rig.get("/photos/a.svgz")
        #expect(cleaned.status == 200 && cleaned.body == svg && cleaned["Content-Encoding"] == nil)
    }
}
