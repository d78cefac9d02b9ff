import TestSupport
import Testing

/// Watermark images, through the real daemon and its workers.
@Suite(.timeLimit(.minutes(2)))
struct WatermarkRequestTests {
    private let pictures = [
        "a.png": TestImages.gradient(width: 80, height: 60), "logo.png": TestImages.gradient(width: 20, height: 10),
        "other,1.png": TestImages.gradient(width: 10, height: 20),
        "huge.png": TestImages.claimedPNG(width: 9000, height: 9000),
    ]

    private func rig(_ extra: String = "", source: String = "") throws -> EndToEndRig {
        try EndToEndRig(extra, source: source, script: ScriptedOrigin.pictures(pictures))
    }

    @Test func `watermarks and masks are made, cached, and survive a kill`() throws {
        let rig = try rig(
            "presets: { brand: \"watermark=photos/logo.png,southeast,5,5,0.3\" }",
            source: ", preset: brand"
        )
        let target = "/photos/a.png?preset=none&format=png&watermark=photos/logo.png,southeast,5,5,0.3"
        let first = try rig.get(target)
        #expect(first.status == 200, "\(first.description)")
        #expect(PictureHeader.size(ofPNG: first.body) == [80, 60])
        let plain = try rig.get("/photos/a.png?preset=none&format=png")
        #expect(plain.body != first.body)
        // The source's preset has the same effect.
        #expect(try rig.get("/photos/a.png?format=png").body == first.body)
        #expect(try rig.cacheStatus(target) == "edgeprint; hit; detail=memory")
        for other in ["mask=photos/logo.png", "watermark=photos/other%252C1.png,tile,3,3", "watermark=text:Hi,,,,20"] {
            let made = try rig.get("/photos/a.png?preset=none&format=png&\(other)")
            #expect(made.status == 200 && made.body != plain.body, "\(made.description)")
        }
        #expect(rig.origin.requests == 3)
        try rig.waitForStores(8)
        try rig.restartAfterKill()
        let stored = try rig.get(target)
        #expect(stored["Cache-Status"] == "edgeprint; hit; detail=disk" && stored.body == first.body)
        #expect(rig.origin.requests == 3)
    }

    @Test(arguments: [
        ("watermark=photos/none.png", 404, "watermark"), ("mask=photos/none.png", 404, "mask"),
        ("watermark=nobody/a.png", 400, "watermark"), ("mask=nobody/a.png", 400, "mask"),
        ("watermark=plain/a.png", 400, "watermark"), ("watermark=photos/huge.png", 422, "watermark"),
        ("watermark=photos/a.png&mask=photos/logo.png&watermark=photos/c.png", 400, "watermark"),
        ("watermark=text:Hi,,,,,,,serif", 400, "watermark"), ("watermark=files/a%252Fb.png", 400, "watermark"),
    ])
    func `an unavailable image is reported with the parameter's name`(query: String, status: Int, parameter: String)
        throws
    {
        let rig = try rig(
            "fonts: [sans]\nlimits: { auxiliaries: 2 }",
            source: " }\n  plain: { url: \"http://plain.test/\", raw: true }\n  files: { url: \"file:///nowhere/\""
        )
        let answer = try rig.get("/photos/a.png?format=png&\(query)")
        #expect(answer.status == status, "\(answer.description)")
        #expect(answer.text.contains("\"parameter\":\"\(parameter)\""), "\(answer.text)")
        #expect(answer.text.contains("\(parameter): "))
    }

    @Test func `is explained`() throws {
        let rig = try rig("presets: { brand: \"watermark=photos/logo.png\" }")
        let first = try rig.get("/photos/a.png?preset=brand&format=png")
        #expect(first.status == 200)
        let explained = try RawHTTPClient(port: rig.daemon.admin).get(
            "/explain?path=%2Fphotos%2Fa.png%3Fwatermark%3Dphotos%2Flogo.png"
        )
        #expect(explained.text.contains("\"auxiliaries\"") && explained.text.contains("photos/logo.png"))
        #expect(explained.text.contains("\(rig.origin.url)/logo.png"))
    }
}
