import ImagePlan
import Testing

/// What the errors of unknown names and values suggest.
@Suite(.timeLimit(.minutes(1)))
struct SuggestionTests {
    @Test(arguments: [
        ("width=3", "w"), ("widht=3", "w"), ("height=3", "h"), ("quality=80", "q"), ("W=3", "w"),
        ("foramt=png", "format"),
        ("background=fff", "bg"), ("grayscale=1", "filter=grayscale"), ("verison=1", "version"),
        ("utm_sorce=a", "utm_source"),
        ("w=3&h=3&fit=crop", "cover"), ("w=3&h=3&fit=inside", "contain"), ("w=3&fit=Cover", "cover"),
        ("format=JPEG", "jpeg"), ("format=tif", "tiff"), ("w=3&h=3&fit=cover&gravity=top", "north"),
        ("w=3&h=3&fit=cover&gravity=nort", "north"), ("filter=greyscale", "grayscale"), ("mask=cirlce", "circle"),
        ("meta=kepe", "keep"), ("tint=fff,multipli", "multiply"), ("preset=thum", "thumb"),
    ])
    func `suggest the nearest name`(query: String, meant: String) throws {
        let options = ParseOptions(
            forwardNames: ["version"],
            ignoreNames: ["utm_source"],
            presets: ["thumb": try Preset(name: "thumb", text: "w=3")]
        )
        let error = #expect(throws: RequestError.self) { try RequestLanguage.parse(query: query, options: options) }
        #expect(error?.reason.hasSuffix("; did you mean \(meant)?") == true, "\(error?.description ?? "")")
    }

    @Test(arguments: ["xyzzy=1", "v=1", "w=3&fit=outrageous", "preset=unheard"])
    func `suggest nothing where nothing is near`(query: String) {
        let error = #expect(throws: RequestError.self) {
            try RequestLanguage.parse(query: query, options: ParseOptions())
        }
        #expect(error?.reason.contains("did you mean") == false, "\(error?.description ?? "")")
    }

    @Test func `a preset's text gets the same suggestions, but no name that it may not hold`() {
        let error = #expect(throws: RequestError.self) { try Preset(name: "a", text: "width=3") }
        #expect(error?.description == "width: is not a known parameter; did you mean w?")
    }

    @Test func `an unknown preset is named, cut to the length of the longest name`() {
        let name = String(repeating: "a", count: 5_000)
        let error = #expect(throws: RequestError.self) {
            try RequestLanguage.parse(query: "preset=\(name)", options: ParseOptions())
        }
        #expect(error?.reason == "there is no preset '\(name.prefix(64))'")
    }

    @Test func `format=jpg is format=jpeg, with one canonical text`() throws {
        let plans = try ["format=jpg&w=3", "format=jpeg&w=3"].map {
            try RequestLanguage.parse(query: $0, options: ParseOptions()).plan.canonicalText
        }
        #expect(plans[0] == plans[1])
    }
}
