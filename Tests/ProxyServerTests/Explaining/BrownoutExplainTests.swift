import Testing

@testable import ProxyServer

/// `edgeprint explain` lists what a request may get under overload.
@Suite(.timeLimit(.minutes(1)))
struct BrownoutExplainTests {
    @Test(arguments: [
        ("/photos/a.png?w=40", "stale, larger, fast, original, placeholder, else 503"),
        ("/photos/a.png?w=40&blur=2", "stale, fast, placeholder, else 503"),
        ("/photos/a.png?w=40&q=auto", "stale, larger, original, placeholder, else 503"),
        ("/photos/a.png?w=40&meta=keep", "stale, larger, fast, placeholder, else 503"),
        ("/photos/a.png?w=40&format=avif", "stale, larger, fast, placeholder, else 503"),
        ("/photos/a.png?format=json", "stale, else 503"), ("/photos/a.png", "stale, else 503"),
        ("/photos/a.png?w=40&download=1", "never: download=1 is saved as a file"),
        ("/clean/a.png?w=40", "stale, larger, fast, placeholder, else 503"), ("/plain/a.png?w=40", nil),
    ])
    func `the rungs of a request follow from its plan and its source`(target: String, words: String?) throws {
        let yaml = """
            brownout: on
            sources:
              photos: { url: "https://photos.example.com/" }
              clean: { url: "https://photos.example.com/", originals: clean }
              plain: { url: "https://photos.example.com/", brownout: off }
            """
        let fact = try ExplainerTests.explainer(yaml).explain(target).section("cache")?["brownout"]
        #expect(fact?.words == words, "\(target)")
        if let fact { #expect("\(fact.origin.map { "\($0)" } ?? "")" == "test.yaml:1 brownout") }
    }
}
