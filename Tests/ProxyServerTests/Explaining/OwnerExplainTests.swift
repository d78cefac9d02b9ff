import Cluster
import Testing

@testable import ProxyServer

/// `edgeprint explain` names the node that downloads an original.
@Suite(.timeLimit(.minutes(1)))
struct OwnerExplainTests {
    private func original(_ nodes: String) throws -> [String: String?] {
        let yaml = """
            sources: { photos: { url: "https://photos.example.com/" } }
            cluster: \(nodes)
            """
        let explanation = try ExplainerTests.explainer(yaml).explain("/photos/a.png?w=40")
        let details = try #require(explanation.section("cache")?["original"]).details
        return Dictionary(uniqueKeysWithValues: details.map { ($0.name, $0.words ?? "\($0.value)") })
    }

    @Test func `all sizes of an image have the same owner, whatever the order of the nodes`() throws {
        let one = try original("{ nodes: [10.0.0.1:80, 10.0.0.2:80, 10.0.0.3:80], token: a }")
        let other = try original("{ nodes: [10.0.0.3:80, 10.0.0.1:80, 10.0.0.2:80], token: a }")
        #expect(one == other && one["owner"] != nil, "\(one)")
    }

    @Test func `there is none without nodes, and none is known of a name`() throws {
        #expect(try original("{}").isEmpty)
        #expect(try original("{ nodes: \"dns:edge.example:80\", token: a }")["owner"]??.contains("name") == true)
    }
}
