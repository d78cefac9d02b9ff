import Foundation
import HTTPSemantics
import ImagePlan
import TestSupport
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct RuleExplanationTests {
    private static let yaml = """
        presets: { thumb: "w=200" }
        sources:
          photos: { url: "https://photos.example.com/", ttl: 10s, unkeyed-query: ["X-*"], ignore-query: ["utm_*"] }
        rules:
          - { name: avatars, match: { source: photos, path: "avatars/**" }, set: { preset: thumb, ttl: 1d, request-headers: { X-Secret: hidden-value } } }
          - { match: { request-header: { Host: "img.*" } }, set: { ttl: 2d } }
          - { match: { type: svg }, set: { ttl: 1h } }
          - { match: { path: "internal/**" }, set: { deny: true }, last: true }
          - { set: { priority: low } }
        """

    private func explain(_ target: String, _ fields: [(String, String)] = []) throws -> Explanation {
        try ExplainerTests.explainer(Self.yaml).explain(
            target,
            fields: FieldLines(fields.compactMap { FieldLine($0, $1) })
        )
    }

    @Test func `shows which rules apply, what matched, and what overrides what`() throws {
        let explanation = try explain("/photos/avatars/a.png", [("Host", "img.example.com")])
        let rules = try #require(explanation.section("rules"))
        #expect(rules["avatars"]?.value == .string("applies"))
        #expect(rules["avatars"]?.origin?.description == "test.yaml:5 rules[0]")
        let details = rules["avatars"]?.details ?? []
        #expect(details.first { $0.name == "match.path" }?.value == .string("avatars/**"))
        #expect(details.first { $0.name == "set.ttl" }?.words == "1d, overridden by rule 2")
        #expect(details.first { $0.name == "set.request-headers" }?.value == .array([.string("X-Secret")]))
        #expect(rules["rule 2"]?.details.first?.value == .string("host: img.*"))
        #expect(rules["rule 3"]?.words == "applies if the original matches, too")
        #expect(rules["rule 4"]?.words == "does not match: match.path" && rules["rule 4"]?.isDefault == true)
        let ttl = try #require(explanation.section("freshness")?["ttl"])
        #expect(ttl.value.words == "2d" && ttl.origin?.description == "test.yaml:6 rules[1].set.ttl")
        #expect(!explanation.text.contains("hidden-value") && !explanation.json.document.contains("hidden-value"))
    }

    @Test func `without the field, the rule by Host does not apply`() throws {
        let explanation = try explain("/photos/avatars/a.png")
        #expect(explanation.section("freshness")?["ttl"]?.value.words == "1d")
        #expect(explanation.section("rules")?["rule 2"]?.words == "does not match: match.request-header")
        // In absolute-form, the target has the host.
        let absolute = try explain("http://img.example.com/photos/avatars/a.png")
        #expect(absolute.section("freshness")?["ttl"]?.value.words == "2d")
    }

    @Test func `a preset that a rule sets is not that of the source`() throws {
        let step = try #require(try explain("/photos/avatars/a.png").section("steps")?.facts.first)
        let origin = try #require(step.details.first?.origin)
        #expect(origin.description == "preset thumb of rules[0].set.preset (test.yaml:1)")
        #expect(origin.json["key"] == .string("rules[0].set.preset") && origin.json["line"] == .number(1))
    }

    @Test func `a denied request shows the refusal and the rule`() throws {
        let explanation = try explain("/photos/internal/a.png")
        #expect(explanation.problem?.status == 403)
        #expect(explanation.section("rules")?["rule 4"]?.value == .string("applies"))
        #expect(explanation.section("rules")?["rule 5"]?.words == "not considered: rule 4 is the last one")
    }

    @Test func `shows forwarded parameters that are not part of the key`() throws {
        let explanation = try explain("/photos/a.png?X-Sig=1&utm_id=2&w=5")
        let request = try #require(explanation.section("request"))
        #expect(request["unkeyed"]?.value == .array([.string("X-Sig=1")]))
        #expect(request["ignored"]?.value == .array([.string("utm_id=2")]))
        #expect(explanation.section("upstream")?["url"]?.value.words == "https://photos.example.com/a.png?X-Sig=1")
        let explainer = try ExplainerTests.explainer(Self.yaml)
        #expect(try explainer.keys(of: "/photos/a.png?X-Sig=1&utm_id=2&w=5") == explainer.keys(of: "/photos/a.png?w=5"))
    }

    @Test func `the command and the route print the key that the daemon uses`() throws {
        let rig = try EndToEndRig(script: ScriptedOrigin.pictures([:]))
        let file = rig.daemon.configurationFile
        let explained = try CommandRun([
            "explain", "/photos/a.png?w=5&format=auto", "--accept", "image/webp", "--json", "--config", file,
        ])
        let plain = try CommandRun(["key", "/photos/a.png?w=5&format=auto", "--accept", "image/webp", "--config", file])
        #expect(plain.code == 0)
        let key = plain.output.trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(key.count == 64 && explained.output.contains("\"\(key)\""))
        let json = try CommandRun([
            "key", "/photos/a.png?w=5&format=auto", "--accept", "image/webp", "--json", "--config", file,
        ])
        let target = "/key?url=/photos/a.png%3Fw%3D5%26format%3Dauto&accept=image%2Fwebp"
        let answer = try RawHTTPClient(port: rig.daemon.admin).get(target)
        #expect(answer.status == 200 && answer.text.contains(key))
        let document = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? NSDictionary
        #expect(try JSONSerialization.jsonObject(with: Data(answer.text.utf8)) as? NSDictionary == document)
        #expect(document?["bucket"] as? String == "webp")
        #expect(try CommandRun(["key", "/nobody/a.png", "--config", file]).code == 1)
        #expect(try RawHTTPClient(port: rig.daemon.admin).get("/key").status == 400)
        #expect(rig.origin.connections == 0)
    }
}
