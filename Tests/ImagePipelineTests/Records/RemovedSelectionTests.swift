import ImagePlan
import Testing

@testable import HTTPCache
@testable import ImagePipeline

@Suite(.timeLimit(.minutes(1)))
struct RemovedSelectionTests {
    @Test func `recorded selections round-trip`() throws {
        let preset = try Preset(name: "thumb", text: "w=40&h=30&q=50&fit=cover")
        for selection in [
            PurgeSelection.tags(["größe"]), .within("shop", .all), .within("shop", .tags(["a"])),
            .within("shop", .source("shop/x")), .within("shop", .originals([CacheKey(hashing: "a")])),
            .within("shop", .confirmedBefore(5)), .within("shop", .staleAt(9)),
            .confirmedBefore(-7), .staleAt(9), .preset(PresetPattern(name: "thumb", preset: preset)),
            .preset(PresetPattern(name: "gone", preset: nil)),
            .prefixes([OriginPrefix(source: "a", url: ""), OriginPrefix(source: "b", url: "https://b.example/")]),
        ] {
            #expect(RemovedSelection.decode(RemovedSelection.encode(selection)) == selection)
        }
        #expect(RemovedSelection.decode([]) == nil)
        #expect(RemovedSelection.decode([1, 2, 3]) == nil)
    }
}
