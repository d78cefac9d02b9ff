import ImagePlan
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ScaleSuffixTests {
    @Test(arguments: [
        ("/s/cat@2x.jpg", "cat.jpg", 2), ("/s/a/cat@3x.jpg", "a/cat.jpg", 3), ("/s/cat%402x.png", "cat.png", 2),
        ("/s/a@2x.d/cat@2x.png", "a@2x.d/cat.png", 2), ("/s/a@2x@3x.png", "a@2x.png", 3),
        ("/s/%C3%A9@2x.png", "%C3%A9.png", 2),
    ])
    func `splits the ratio from the name of the file`(path: String, rest: String, ratio: Int) throws {
        let parsed = try #require(try RequestPath.parse(path))
        let found = try #require(ScaleSuffix.split(parsed))
        #expect(found.path.rawPath == rest && found.path.source == "s" && found.ratio == ratio)
    }

    @Test(arguments: [
        "/s/cat.jpg", "/s/cat@2x", "/s/@2x.jpg", "/s/a/@2x.jpg", "/s/cat@1x.jpg", "/s/cat@4x.jpg", "/s/cat@2X.jpg",
        "/s/cat@2x.jpg/a.png", "/s/cat@2x.tar.gz", "/s/", "/s",
    ])
    func `all other names stay`(path: String) throws {
        let parsed = try #require(try RequestPath.parse(path))
        #expect(ScaleSuffix.split(parsed) == nil)
    }

    private func plan(_ query: String, preset: String? = nil) throws -> String {
        var options = ParseOptions(
            presets: ["big": try Preset(name: "big", text: "w=500&dpr=3")],
            sourcePreset: try preset.map { try Preset(name: "own", text: $0) }
        )
        options.nameRatio = 2
        return try RequestLanguage.parse(query: query, options: options).plan.canonicalText
    }

    @Test func `the ratio is the dpr of a resize, and replaces that of presets`() throws {
        #expect(try plan("w=100") == "1?w=200")
        #expect(try plan("preset=big") == "1?w=1000")
        #expect(try plan("", preset: "h=10") == "1?h=20")
        #expect(try plan("blur=1&w=100") == "1?blur=2&w=200")
    }

    @Test func `without a size it has no effect, and beside dpr it is an error`() throws {
        #expect(try plan("blur=1") == "1?blur=1")
        #expect(try plan("") == "1?")
        let error = #expect(throws: RequestError.self) { try plan("w=100&dpr=2") }
        #expect(error?.parameter == "dpr" && error?.reason.contains("@2x") == true)
    }
}
