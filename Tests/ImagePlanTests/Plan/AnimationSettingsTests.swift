import ImagePlan
import Testing

@Suite(.timeLimit(.minutes(1)))
struct AnimationSettingsTests {
    private func canonical(_ query: String) throws -> String {
        try RequestLanguage.parse(query: query, options: ParseOptions()).plan.canonicalText
    }

    @Test(arguments: [
        ("anim=auto", "1?"), ("page=0", "1?"), ("speed=1.0", "1?"), ("reverse=0", "1?"), ("strict=0", "1?"),
        ("anim=keep", "1?anim=keep"), ("page=007", "1?page=7"), ("strict=1", "1?strict=1"),
        ("speed=.5&reverse=1&loop=0", "1?loop=0&reverse=1&speed=0.5"),
        ("frame=0", "1?anim=first"), ("anim=first&frame=0", "1?anim=first"),
        ("frame=012", "1?frame=12"), ("anim=first&frame=12", "1?frame=12"), ("frame=12&anim=auto", "1?frame=12"),
        ("w=9&anim=keep&format=jpeg", "1?w=9&anim=keep&format=jpeg"),
    ])
    func `equivalent settings have one canonical text`(query: String, expected: String) throws {
        #expect(try canonical(query) == expected)
    }

    @Test(arguments: ["anim=first", "frame=3", "format=jpeg", "format=tiff", "format=json"])
    func `settings without effect on a still are dropped`(query: String) throws {
        #expect(try canonical("\(query)&speed=2&loop=3&reverse=1") == canonical(query))
    }

    @Test func `strict has no effect on metadata formats`() throws {
        #expect(try canonical("format=json&strict=1") == "1?format=json")
    }

    @Test(arguments: ["speed=0.1", "speed=10", "loop=65535", "frame=99999", "page=9999"])
    func `accepts both ends of a range`(query: String) throws {
        #expect(try canonical(query) == "1?\(query)")
    }

    @Test func `a query's frame overrides a preset's anim=first`() throws {
        let preset = try Preset(name: "still", text: "anim=first")
        var options = ParseOptions()
        options.presets["still"] = preset
        let plan = try RequestLanguage.parse(query: "preset=still&frame=4", options: options).plan
        #expect(plan.canonicalText == "1?frame=4")
    }

    @Test func `frame selects the still`() throws {
        let plan = { (query: String) throws in try RequestLanguage.parse(query: query, options: ParseOptions()).plan }
        #expect(try plan("frame=4").settings.animation.stillFrame == 4)
        #expect(try plan("anim=first").settings.animation.stillFrame == 0)
        #expect(try plan("anim=keep").settings.animation.stillFrame == nil)
        #expect(try !plan("loop=2").settings.animation.playsAsSource)
    }
}
