import ImagePlan
import Testing

@testable import HTTPCache
@testable import ImagePipeline

@Suite(.timeLimit(.minutes(1)))
struct PresetPatternTests {
    private func pattern(_ text: String?) throws -> PresetPattern {
        PresetPattern(name: "thumb", preset: try text.map { try Preset(name: "thumb", text: $0) })
    }

    private func plan(_ query: String) throws -> String {
        try RequestLanguage.parse(query: query, options: ParseOptions()).plan.canonicalText
    }

    @Test(arguments: [
        ("w=40&h=30&fit=cover", "fit=cover&h=30&w=40", true), ("w=40", "w=40&q=50", true),
        ("w=40", "blur=2&w=40&flip=h", true), ("w=40&flip=h", "w=40&blur=2&flip=h", false),
        ("w=40", "w=400", false), ("w=40&q=50", "w=40", false), ("w=40&q=50", "w=40&q=50&format=png", true),
        ("q=50", "w=7&q=50", true), ("q=50", "w=7&q=5", false), ("format=auto", "w=7", false),
    ])
    func `matches images with the same steps and settings`(preset: String, query: String, isIts: Bool)
        throws
    {
        let pattern = try pattern(preset)
        #expect(pattern.matches(plan: try plan(query), presets: []) == isIts)
        #expect(pattern.matches(plan: try plan(query) + " webp", presets: ["other"]) == isIts)
    }

    @Test func `matches images requested by the preset's name, even under an earlier definition`() throws {
        for text in ["w=40", nil] {
            #expect(try pattern(text).matches(plan: try plan("w=80"), presets: ["soft", "thumb"]))
            #expect(try !pattern(text).matches(plan: try plan("w=80"), presets: ["soft"]))
        }
    }

    @Test func `does not match a cleaned original`() throws {
        #expect(try !pattern("w=40").matches(plan: "clean/1", presets: []))
    }
}
