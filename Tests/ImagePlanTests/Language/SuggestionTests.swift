import ImagePlan
import Testing

/// Suggestions in errors about unknown names and values.
@Suite(.timeLimit(.minutes(1)))
struct SuggestionTests {
    @Test(arguments: [
        ("width=3", "w"), ("widht=3", "w"), ("height=3", "h"), ("quality=80", "q"), ("W=3", "w"),
        ("foramt=png", "format"),
        ("background=fff", "bg"), ("grayscale=1", "filter=grayscale"), ("verison=1", "version"),
        ("utm_sorce=a", "utm_source"), ("fmt=webp", "format"), ("wm=a", "watermark"), ("rotation=90", "rotate"),
        ("resize=300", "w"), ("size=300", "w"), ("scale=2", "dpr"), ("strip=1", "meta"),
        ("vignette=1", "filter=vignette"), ("duotone=1", "filter=duotone"), ("sepia=1", "filter=sepia"),
        ("w=3&h=3&fit=aspectfill", "cover"), ("w=3&h=3&fit=inside", "contain"), ("w=3&fit=Cover", "cover"),
        ("format=JPEG", "jpeg"), ("format=jpgx", "jpeg"), ("format=tif", "tiff"), ("gravity=subjct", "subject"),
        ("w=3&h=3&fit=cover&gravity=top", "north"),
        ("w=3&h=3&fit=cover&gravity=nort", "north"), ("w=3&h=3&fit=cover&gravity=faces", "subject"),
        ("filter=greyscale", "grayscale"), ("mask=cirlce", "circle"),
        ("meta=kepe", "keep"), ("tint=fff,multipli", "multiply"), ("preset=thum", "thumb"),
        ("tint=fff,sourceIn", "in"), ("tint=fff,sourceAtop", "atop"), ("tint=fff,destinationOver", "dest-over"),
        ("tint=fff,plusLighter", "add"), ("tint=fff,plusDarker", "plus-darker"), ("tint=fff,normal", "over"),
        ("tint=fff,copy", "source"), ("tint=fff,color", "colour"), ("tint=fff,colorBurn", "colour-burn"),
    ])
    func `suggests the nearest name`(query: String, meant: String) throws {
        let options = ParseOptions(
            forwardNames: ["version"],
            ignoreNames: ["utm_source"],
            presets: ["thumb": try Preset(name: "thumb", text: "w=3")]
        )
        let error = #expect(throws: RequestError.self) { try RequestLanguage.parse(query: query, options: options) }
        #expect(error?.reason.hasSuffix("; did you mean \(meant)?") == true, "\(error?.description ?? "")")
    }

    @Test(arguments: ["xyzzy=1", "v=1", "w=3&fit=outrageous", "preset=unheard"])
    func `suggests nothing if nothing is close`(query: String) {
        let error = #expect(throws: RequestError.self) {
            try RequestLanguage.parse(query: query, options: ParseOptions())
        }
        #expect(error?.reason.contains("did you mean") == false, "\(error?.description ?? "")")
    }

    @Test func `a preset's text gets the same suggestions, except names it must not contain`() {
        let error = #expect(throws: RequestError.self) { try Preset(name: "a", text: "width=3") }
        #expect(error?.description == "width: is not a known parameter; did you mean w?")
    }

    @Test func `names an unknown preset, cut to the longest valid length`() {
        let name = String(repeating: "a", count: 5_000)
        let error = #expect(throws: RequestError.self) {
            try RequestLanguage.parse(query: "preset=\(name)", options: ParseOptions())
        }
        #expect(error?.reason == "there is no preset '\(name.prefix(64))'")
    }

    @Test func `format=jpg means format=jpeg, with the same canonical text`() throws {
        let plans = try ["format=jpg&w=3", "format=jpeg&w=3"].map {
            try RequestLanguage.parse(query: $0, options: ParseOptions()).plan.canonicalText
        }
        #expect(plans[0] == plans[1])
    }
}
