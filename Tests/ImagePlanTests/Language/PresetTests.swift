import ImagePlan
import Testing

@Suite(.timeLimit(.minutes(1)))
struct PresetTests {
    private func canonical(_ query: String, source: String? = nil, presets: [String: String]) throws -> String {
        var options = ParseOptions()
        for (name, text) in presets { options.presets[name] = try Preset(name: name, text: text) }
        if let source { options.sourcePreset = try Preset(name: "source", text: source) }
        return try RequestLanguage.parse(query: query, options: options).plan.canonicalText
    }

    @Test(arguments: [
        ("preset=a", "1?w=400&h=300&fit=cover"),
        // Its steps take its place.
        ("blur=3&preset=a&sharpen=1", "1?blur=3&w=400&h=300&sharpen=1&fit=cover"),
        // A setting in the URL replaces the preset's, wherever it is.
        ("preset=a&w=500", "1?w=500&h=300&fit=cover"),
        ("w=500&preset=a", "1?w=500&h=300&fit=cover"),
        ("preset=a&fit=fill", "1?w=400&h=300&fit=fill"),
        ("preset=a&dpr=2", "1?w=800&h=600&fit=cover"),
        ("preset=b&q=50", "1?blur=3&format=webp&q=50"),
        ("q=50&preset=b", "1?blur=3&format=webp&q=50"),
        // The overridden side keeps its place among the steps.
        ("preset=c&w=500", "1?w=500&blur=3"),
        // Repeatable steps accumulate.
        ("preset=b&blur=4", "1?blur=3&blur=4&format=webp&q=80"),
        // An attribute alone waits for a step from the request.
        ("preset=d&w=100&h=100", "1?w=100&h=100&fit=cover&q=60"),
        ("preset=none", "1?"),
    ])
    func `is expanded in place`(query: String, expected: String) throws {
        let presets = [
            "a": "w=400&h=300&fit=cover", "b": "blur=3&format=webp&q=80", "c": "w=400&blur=3", "d": "fit=cover&q=60",
        ]
        #expect(try canonical(query, presets: presets) == expected)
    }

    @Test(arguments: [
        ("", "1?w=800&q=70"),
        ("blur=3", "1?w=800&blur=3&q=70"),
        ("w=300", "1?w=300&q=70"),
        ("preset=small", "1?w=200&q=70"),
        ("preset=small&q=60", "1?w=200&q=60"),
        ("preset=none", "1?"),
        ("preset=none&blur=3", "1?blur=3"),
    ])
    func `a source's preset comes first`(query: String, expected: String) throws {
        #expect(try canonical(query, source: "w=800&q=70", presets: ["small": "w=200"]) == expected)
    }

    @Test(arguments: [
        ("preset=a", "1?blur=1&w=800", ["a"]),
        ("preset=a&q=60", "1?blur=1&w=800&q=60", ["a"]),
        // It takes the place that the query gives it.
        ("flip=h&preset=a", "1?flip=h&blur=1&w=800", ["a"]),
        // Another one does not replace it; its settings take precedence.
        ("preset=c", "1?blur=1&w=200&sharpen=1", ["a", "c"]),
        ("flip=h&preset=c", "1?blur=1&w=200&flip=h&sharpen=1", ["a", "c"]),
    ])
    func `a source's preset is applied once, also if the query names it`(
        query: String,
        expected: String,
        names: [String]
    ) throws {
        let presets = try ["a": "blur=1&w=800", "c": "sharpen=1&w=200"].map { try Preset(name: $0.key, text: $0.value) }
        var options = ParseOptions(presets: Dictionary(uniqueKeysWithValues: presets.map { ($0.name, $0) }))
        options.sourcePreset = options.presets["a"]
        let parsed = try RequestLanguage.parse(query: query, options: options)
        #expect(parsed.plan.canonicalText == expected && parsed.presets == names)
    }

    @Test func `with a source preset, only a request that turns it off is bare`() throws {
        let options = ParseOptions(sourcePreset: try Preset(name: "s", text: "w=800"))
        #expect(try !RequestLanguage.parse(query: "", options: options).isBare)
        #expect(try RequestLanguage.parse(query: "preset=none", options: options).isBare)
    }

    @Test func `an attribute still without its step is an error in the request`() throws {
        let error = #expect(throws: RequestError.self) {
            try canonical("preset=d", presets: ["d": "fit=cover"])
        }
        #expect(error?.parameter == "fit")
    }

    @Test(arguments: [
        ("w=0", "w"), ("fit=inside", "fit"), ("gravity=up", "gravity"), ("dpr=9", "dpr"), ("preset=b", "preset"),
        ("url=x", "url"),
        ("exp=5", "exp"), ("filename=x", "filename"), ("nonsense=1", "nonsense"), ("watermark=a", "watermark"),
        ("w=3&w=4", "w"),
        ("enlarge=maybe", "enlarge"), ("format=bmp", "format"),
    ])
    func `is checked with the configuration`(text: String, parameter: String) {
        let error = #expect(throws: RequestError.self) { try Preset(name: "p", text: text) }
        #expect(error?.parameter == parameter)
    }

    @Test(arguments: ["", "none", "a b", "a/b", "ä"])
    func `has a name that a query can contain`(name: String) {
        #expect(throws: RequestError.self) { try Preset(name: name, text: "w=3") }
    }
}
