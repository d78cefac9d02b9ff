import HTTPCache
import ImagePipeline
import TestSupport
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct CachePolicyTests {
    private func policy(_ text: String) throws -> CachePolicy? {
        try load("sources: { a: { url: \"https://x/\", cache: \(text) } }").source(named: "a")?.rule.cache
    }

    @Test func `a word applies to results and originals, a map to each`() throws {
        #expect(try policy("none") == CachePolicy(.none))
        #expect(try policy("{ variants: memory, originals: disk }") == CachePolicy(variants: .memory, originals: .disk))
        #expect(try policy("{ originals: none }") == CachePolicy(variants: .all, originals: .none))
        #expect(try policy("{}") == CachePolicy(.all))
    }

    @Test(arguments: [
        ("ram", "sources.a.cache: expected one of all, memory, disk, none, found 'ram'"),
        ("{ variants: mem }", "sources.a.cache.variants: expected one of all, memory, disk, none, found 'mem'"),
        ("{ results: all }", "sources.a.cache.results: is not a known key: variants, originals"),
    ])
    func `reports invalid values`(text: String, start: String) {
        let found = problems("sources: { a: { url: \"https://x/\", cache: \(text) } }")
        #expect(found.count == 1 && found.first?.hasPrefix("test.yaml:1: \(start)") == true, "\(found)")
    }

    @Test func `a raw source sets the tiers of its responses, which count as originals`() throws {
        func raw(_ cache: String) -> String { "sources: { a: { url: \"https://x/\", raw: true, cache: \(cache) } }" }
        #expect(try load(raw("disk")).source(named: "a")?.rule.cache.originals == .disk)
        #expect(try load(raw("{ originals: memory }")).source(named: "a")?.rule.cache.originals == .memory)
        for text in ["{ variants: disk }", "{ variants: all, originals: all }"] {
            let found = problems(raw(text))
            #expect(found.count == 1, "\(found)")
            #expect(found.first?.contains("sources.a.cache.variants: has no effect with raw: true") == true)
        }
        // Parameters of raw requests are not interpreted, so presets do not apply.
        let found = problems(
            "presets: { p: { query: \"w=1\", cache: memory } }\nsources: { a: { url: \"https://x/\", raw: true, preset: p } }"
        )
        #expect(found.count == 1 && found.first?.contains("sources.a.preset: has no effect with raw: true") == true)
    }

    @Test func `a preset is a query, or a map with its tiers`() throws {
        let presets = try load(
            "presets: { a: \"w=1\", b: { query: \"w=2\", cache: memory }, c: { query: \"w=3\" } }"
        ).presets
        #expect(
            presets == [
                ConfiguredPreset(name: "a", text: "w=1"), ConfiguredPreset(name: "b", text: "w=2", cache: .memory),
                ConfiguredPreset(name: "c", text: "w=3"),
            ]
        )
    }

    @Test(arguments: [
        ("{ cache: all }", "presets.p: has no query"),
        ("{ query: \"w=1\", cache: ram }", "presets.p.cache: expected one of all, memory, disk, none, found 'ram'"),
        ("{ query: \"w=1\", ttl: 1h }", "presets.p.ttl: is not a key of a preset: query, cache"),
        ("{ query: \"v=1\" }", "presets.p: "),
    ])
    func `reports errors in a preset's map`(text: String, start: String) {
        let found = problems("presets: { p: \(text) }")
        #expect(found.count == 1 && found.first?.hasPrefix("test.yaml:1: \(start)") == true, "\(found)")
    }

    @Test func `prints what it has read`() throws {
        let configuration = try load(
            """
            presets: { a: "w=1", b: { query: "w=2", cache: disk } }
            sources: { s: { url: "https://x/", cache: { variants: disk, originals: none } }, t: { url: "https://x/", cache: memory } }
            """
        )
        #expect(try load(configuration.yaml) == configuration)
    }

    @Test func `the query's preset overrides the source's preset, which overrides the source`() throws {
        let configuration = try load(
            """
            presets: { own: { query: "q=50", cache: disk }, p: { query: "w=2", cache: memory }, plain: "w=3" }
            sources: { s: { url: "https://x/", preset: own, cache: none }, t: { url: "https://x/", cache: none } }
            """
        )
        let resolver = try RequestResolver(configuration, time: ManualTime()).withoutGuards
        func tiers(_ target: String) throws -> CacheTiers? {
            guard case .fixed(let request) = try resolver.resolve(Array(target.utf8)).choice else { return nil }
            return request.tiers
        }
        #expect(try tiers("/s/a?preset=p&format=png") == .memory)
        #expect(try tiers("/s/a?preset=plain&format=png") == .disk)
        #expect(try tiers("/s/a?w=9&format=png") == .disk)
        #expect(try tiers("/s/a?preset=none&w=9&format=png") == CacheTiers.none)
        #expect(try tiers("/t/a?preset=p&format=png") == .memory)
        #expect(try tiers("/t/a?preset=plain&format=png") == CacheTiers.none)
    }
}
