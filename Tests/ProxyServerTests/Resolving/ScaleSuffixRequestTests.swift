import ImagePipeline
import ImagePlan
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

@testable import ProxyServer

/// `@2x` and `@3x` in the name of a source's file.
@Suite(.timeLimit(.minutes(1)))
struct ScaleSuffixRequestTests {
    private static let yaml = """
        sources:
          photos: { url: "https://photos.example.com/", scale-suffix: true, client-hints: [dpr] }
          plain: { url: "https://photos.example.com/" }
          sized: { url: "file:///srv/", scale-suffix: true, preset: thumb }
        presets: { thumb: "w=200&h=100&fit=cover" }
        signing: { keys: [\(String(repeating: "ab", count: 32))] }
        """

    private func variant(_ target: String) throws -> VariantRequest {
        try RequestResolver(try load(Self.yaml), time: ManualTime()).resolve(Array(target.utf8)).anyVariant
    }

    @Test(arguments: [
        ("/photos/cats/cat@2x.jpg?w=100", "/photos/cats/cat.jpg?w=100&dpr=2"),
        ("/photos/cat%403x.jpg?h=10&blur=1", "/photos/cat.jpg?h=10&blur=1&dpr=3"),
        ("/photos/cat@2x.jpg", "/photos/cat.jpg"), ("/photos/cat@2x.jpg?format=webp", "/photos/cat.jpg?format=webp"),
        ("/sized/cat@2x.jpg", "/sized/cat.jpg?dpr=2"), ("/photos/a.b@2x.jpg?w=9", "/photos/a.b.jpg?w=18"),
    ])
    func `is the same variant as dpr`(suffixed: String, plain: String) throws {
        let (left, right) = (try variant(suffixed), try variant(plain))
        #expect(left.key == right.key && left.origin.key == right.origin.key)
        #expect(left.plan == right.plan)
    }

    @Test func `another source's files may be named so`() throws {
        let variant = try variant("/plain/cat@2x.jpg?w=100")
        #expect(variant.origin.target.text == "https://photos.example.com/cat@2x.jpg" && variant.plan == "1?w=100")
    }

    @Test(arguments: ["dpr=2", "dpr=1", "dpr=auto"])
    func `dpr in the query contradicts it`(parameter: String) throws {
        let problem = #expect(throws: Problem.self) { try variant("/photos/cat@2x.jpg?w=100&\(parameter)") }
        #expect(problem?.status == 400 && problem?.parameter == "dpr")
    }

    @Test func `edgeprint url signs the path as written`() throws {
        let resolver = try RequestResolver(try load(Self.yaml), time: ManualTime())
        let request = RequestBuilder.Request(subject: "photos/cat@2x.jpg", parameters: [("w", "100")])
        let target = try RequestBuilder(resolver).target(of: request)
        #expect(target.hasPrefix("/photos/cat@2x.jpg?w=100&sig="))
        #expect(try resolver.resolve(Array(target.utf8)).anyVariant.plan == "1?w=200")
    }

    @Test func `explain names the path as the source of dpr`() throws {
        let explanation = try ExplainerTests.explainer(Self.yaml).explain("/photos/cat@2x.jpg?w=100")
        #expect(explanation.problem == nil)
        let text = explanation.text
        #expect(text.contains("https://photos.example.com/cat.jpg"), "\(text)")
        let step = try #require(explanation.section("steps")?["1"])
        #expect(step.value.words == "w=200")
        let ratio = try #require(step.details.first { $0.name == "dpr" })
        #expect(ratio.value.words == "2" && ratio.origin == .path)
    }
}
