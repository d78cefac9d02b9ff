import TestSupport
import Testing

/// Content negotiation, through the real daemon and its workers.
@Suite(.timeLimit(.minutes(2)))
struct NegotiationTests {
    /// A coarse pattern whose size depends clearly on the quality.
    private static let picture: [UInt8] = {
        let image = PixelImage(width: 240, height: 180) { x, y in
            let mixed = (x &* 73 ^ y &* 151) % 97
            return [UInt8(x), UInt8(y + mixed / 2), UInt8((x + y) / 2 + mixed / 3), 255]
        }
        return TestImages.png(width: 240, height: 180, rgba: image.bytes)
    }()

    private func rig(_ extra: String = "", source: String = "") throws -> EndToEndRig {
        try EndToEndRig(extra, source: source, script: ScriptedOrigin.pictures(["a.png": Self.picture]))
    }

    @Test func `Save-Data lowers default qualities, and is always in Vary`() throws {
        let rig = try rig()
        let saving = [("Save-Data", "on")]
        let target = "/photos/a.png?w=200&format=jpeg"
        let usual = try rig.get(target)
        let saved = try rig.get(target, saving)
        #expect(saved.status == 200 && saved.body.count < usual.body.count * 9 / 10)
        #expect(saved["ETag"] != usual["ETag"])
        for _ in 0..<2 {
            #expect(try rig.get(target, saving).body == saved.body)
            let again = try rig.get(target, [("Save-Data", "off")])
            #expect(again.body == usual.body && again["Cache-Status"] == "edgeprint; hit; detail=memory")
            #expect(again["Vary"] == "Save-Data")
        }
        #expect(usual["Vary"] == "Save-Data" && saved["Vary"] == "Save-Data")
        let named = try rig.get(target + "&q=80")
        #expect(named["Vary"] == nil && named.body == usual.body)
        let hit = try rig.get(target + "&q=80", saving)
        #expect(hit.body == usual.body && hit["Cache-Status"] == "edgeprint; hit; detail=memory")
        let tag = try #require(saved["ETag"])
        #expect(try rig.get(target, saving + [("If-None-Match", tag)]).status == 304)
        #expect(try rig.get(target, [("If-None-Match", tag)]).status == 200)
        let missing = try rig.get("/photos/none.png?w=200", saving)
        #expect(missing.status == 404 && missing["Vary"] == "Accept, Save-Data, Sec-Fetch-Dest")
    }

    @Test func `a source can ignore Save-Data`() throws {
        let rig = try rig(source: ", quality: { save-data: 0 }")
        let target = "/photos/a.png?w=200&format=jpeg"
        let usual = try rig.get(target)
        let saved = try rig.get(target, [("Save-Data", "on")])
        #expect(saved["Cache-Status"] == "edgeprint; hit; detail=memory" && saved.body == usual.body)
        #expect(saved["Vary"] == nil)
    }

    @Test func `a hint is rounded to the ladder, and shares the variant of that number`() throws {
        let rig = try rig(
            "ladder: { widths: [50, 100, 200], dpr: [1, 2], default-width: 100 }",
            source: ", client-hints: [width, dpr]"
        )
        let target = "/photos/a.png?w=auto&format=png"
        func width(_ target: String, _ fields: [(String, String)] = []) throws -> Int? {
            let answer = try rig.get(target, fields)
            #expect(answer["Vary"] == "Sec-CH-Width, Width" && answer["Accept-CH"] == "Sec-CH-Width")
            return PictureHeader.size(ofPNG: answer.body)?.first
        }
        #expect(try width(target) == 100)
        for _ in 0..<2 {
            for (value, expected) in [("51", 100), ("1", 50), ("50", 50), ("101", 200), ("99999", 200)] {
                #expect(try width(target, [("Sec-CH-Width", value)]) == expected)
                #expect(try width(target, [("Width", value)]) == expected)
            }
            // An invalid width counts as absent.
            for value in ["0", "-5", "NaN", "1e9", "999999999", "inf", "", "12;34", "64px", "1,2"] {
                #expect(try width(target, [("Sec-CH-Width", value)]) == 100, "\(value)")
            }
            #expect(try width(target, [("Sec-CH-Width", "10"), ("Sec-CH-Width", "200")]) == 100)
            #expect(try width(target, [("Sec-CH-Width", "nonsense"), ("Width", "120")]) == 200)
        }
        let plain = try rig.get("/photos/a.png?w=50&format=png", [("Sec-CH-Width", "200")])
        #expect(plain["Cache-Status"] == "edgeprint; hit; detail=memory" && plain["Vary"] == nil)
        #expect(plain["Accept-CH"] == nil && PictureHeader.size(ofPNG: plain.body)?.first == 50)
        let scaled = try rig.get("/photos/a.png?w=25&dpr=auto&format=png", [("DPR", "1.2")])
        #expect(scaled["Cache-Status"] == "edgeprint; hit; detail=memory" && scaled["Vary"] == "Sec-CH-DPR, DPR")
        #expect(scaled.body == plain.body)
        #expect(try rig.get("/photos/a.png?w=9000&dpr=auto&format=png", [("DPR", "2")]).status == 200)
        #expect(rig.origin.requests == 1)
        let refused = try rig.get("/photos/a.png?h=auto")
        #expect(refused.status == 400 && refused.text.contains("\"h\""))
    }

    @Test func `the viewport width times the ratio replaces a missing width`() throws {
        let rig = try rig(
            "ladder: { widths: [50, 100, 200], default-width: 50 }",
            source: ", client-hints: [width, dpr, viewport-width]"
        )
        let target = "/photos/a.png?w=auto&format=png"
        for (fields, expected) in [
            ([("Sec-CH-Viewport-Width", "60")], 100), ([("Viewport-Width", "60"), ("Sec-CH-DPR", "2")], 200),
            ([("Sec-CH-Viewport-Width", "60"), ("Sec-CH-Width", "40")], 50), ([("Sec-CH-DPR", "3")], 50),
        ] {
            let answer = try rig.get(target, fields)
            #expect(PictureHeader.size(ofPNG: answer.body)?.first == expected)
            #expect(answer["Accept-CH"] == "Sec-CH-Width, Sec-CH-Viewport-Width, Sec-CH-DPR")
        }
    }
}
