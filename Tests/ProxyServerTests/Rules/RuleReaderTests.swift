import Foundation
import ImagePipeline
import ImagePlan
import TestSupport
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct RuleReaderTests {
    private static let base = """
        presets: { thumb: "w=200" }
        sources:
          photos: { url: "https://photos.example.com/a/" }
          secure: { url: "https://secure.example.com/", auth: { bearer: abc }, forward-cookies: [session] }
          plain: { url: "https://plain.example.com/", raw: true }
          files: { url: "file:///srv/images/" }

        """
    /// The line of the first rule.
    private static let line = 8

    private func yaml(_ rules: String) -> String {
        Self.base + "rules:\n" + rules.split(separator: "\n").map { "  - \($0)\n" }.joined()
    }

    @Test func `reads every key, prints it, and reads it again`() throws {
        let configuration = try load(
            yaml(
                """
                { name: all, match: { source: [photos, fetch], host: "*.example.com", path: ["a/**", "*.png"], request-header: { Host: "img.*" } }, set: { preset: thumb, ttl: 1d, ttl-min: 1m, ttl-max: 2d, stale-while-revalidate: 1m, stale-if-error: 2m, negative: off, cache: disk, placeholder: headers, limits: { pixels: 1MP }, timeouts: { total: 40s }, quality: { jpeg: 70 }, ignore-query: ["utm_*"], unkeyed-query: [token], sort-query: true, priority: low, request-headers: { X-A: "b", Referer: null }, response-headers: { X-B: "c", Timing-Allow-Origin: ~ }, status: { 403: 404 }, path: "new/x", query: { v: "2", debug: null }, allow: true }, last: true }
                { match: { type: [svg, jpg], size: { min: 1kB, max: 1MiB }, response-header: { X-Kind: "*" } }, set: { ttl: 5s } }
                { set: { deny: true } }
                """
            )
        )
        let rules = configuration.rules
        #expect(rules.count == 3)
        let first = try #require(rules.first)
        #expect(first.isLast && first.name == "all")
        #expect(first.change.lifetimes == RuleEffects.Lifetimes(ttl: 86_400, minimum: 60, maximum: 172_800))
        #expect(
            first.change.requestFields == [FieldEdit(name: "X-A", value: "b"), FieldEdit(name: "Referer", value: nil)]
        )
        #expect(first.change.status == [StatusTreatment(origin: 403, treated: 404)])
        #expect(first.change.query == [QueryEdit(name: "v", value: "2"), QueryEdit(name: "debug", value: nil)])
        #expect(first.change.priority == .low && first.change.access == .allow)
        #expect(rules[1].match.types == [.svg, .jpeg] && rules[1].match.condition.size == 1_000...1_048_576)
        #expect(rules[2].match == RuleMatch() && rules[2].change.access == .deny)
        var again = rules
        // Values of request fields may be secrets and are redacted.
        again[0].change.requestFields[0].value = "[redacted]"
        let printed = YAMLValue.map([("rules", .list(rules.map(RuleSchema.yaml)))]).document
        #expect(try load(Self.base + printed).rules == again)
        #expect(configuration.yaml.contains(printed))
    }

    @Test(arguments: [
        (
            "{ match: { sorce: photos }, set: { ttl: 1d } }",
            "rules[0].match.sorce: is not a known key; did you mean rules[0].match.source?"
        ),
        ("{ set: { tttl: 1d } }", "rules[0].set.tttl: is not a known key; did you mean rules[0].set.ttl?"),
        ("{ set: { allow-private: true } }", "rules[0].set.allow-private: is not a known key"),
        ("{ set: { headers: { A: b } } }", "rules[0].set.headers: is not a known key"),
        (
            "{ match: { source: photo }, set: { ttl: 1d } }",
            "rules[0].match.source: there is no source 'photo'; did you mean photos?"
        ),
        ("{ match: { source: fetsh }, set: { ttl: 1d } }", "there is no source 'fetsh'; did you mean fetch?"),
        ("{ set: { preset: thum } }", "rules[0].set.preset: there is no preset 'thum'; did you mean thumb?"),
        (
            "{ match: { path: \"/a/**\" }, set: { ttl: 1d } }",
            "rules[0].match.path: '/a/**' begins with a slash; write a/**"
        ),
        ("{ match: { path: \"a/?.png\" }, set: { ttl: 1d } }", "only * and ** are patterns"),
        ("{ match: { host: \"a b\" }, set: { ttl: 1d } }", "rules[0].match.host: expected a host"),
        ("{ match: { type: jpge }, set: { ttl: 1d } }", "did you mean jpeg?"),
        (
            "{ match: { type: svg }, set: { preset: thumb } }",
            "rules[0].set.preset: is decided before the original is known, which match.type needs; such a rule can set ttl, ttl-min and ttl-max"
        ),
        (
            "{ match: { size: { min: 1MiB } }, set: { status: { 404: 410 } } }",
            "rules[0].set.status: is decided before the original is known, which match.size needs"
        ),
        (
            "{ match: { response-header: { X: \"*\" } }, set: { deny: true } }",
            "rules[0].set.deny: is decided before the original is known, which match.response-header needs; such a rule can set ttl, ttl-min, ttl-max and status"
        ),
        (
            "{ match: { size: { min: 2MiB, max: 1MiB } }, set: { ttl: 1d } }",
            "rules[0].match.size.min: is more than match.size.max"
        ),
        ("{ set: { ttl-min: 2d, ttl-max: 1d } }", "rules[0].set.ttl-min: is more than ttl-max"),
        ("{ set: { allow: true, deny: true } }", "rules[0].set.allow: contradicts deny"),
        ("{ set: { deny: false } }", "rules[0].set.deny: expected true"),
        ("{ match: { source: photos } }", "rules[0]: sets nothing and is not the last one"),
        ("{ set: { request-headers: { \"X\\r\": b } } }", "is not a valid field name"),
        (
            "{ set: { request-headers: { X: \"b\\r\\nY: c\" } } }",
            "rules[0].set.request-headers.X: must not contain control characters"
        ),
        (
            "{ set: { request-headers: { Transfer-Encoding: chunked } } }",
            "Transfer-Encoding: is a field that the server sets itself"
        ),
        ("{ set: { request-headers: { Via: x } } }", "Via: is a field that the server sets itself"),
        ("{ set: { request-headers: { Accept: null } } }", "Accept: is always sent; set another value"),
        (
            "{ set: { response-headers: { X: \"b\\nY: c\" } } }",
            "response-headers.X: must not contain control characters"
        ),
        ("{ set: { response-headers: { Content-Length: 3 } } }", "Content-Length: frames or describes the content"),
        ("{ set: { response-headers: { Connection: close } } }", "Connection: frames or describes the content"),
        ("{ set: { response-headers: { X-Content-Type-Options: null } } }", "X-Content-Type-Options: protects clients"),
        (
            "{ set: { request-headers: { Authorization: x } } }",
            "would send Authorization to every host that a client names in /fetch"
        ),
        ("{ match: { host: \"*\" }, set: { request-headers: { Cookie: x } } }", "would send Cookie to every host"),
        (
            "{ match: { source: secure }, set: { request-headers: { Authorization: x } } }",
            "sets Authorization, which auth of source secure sets"
        ),
        (
            "{ match: { source: secure }, set: { request-headers: { Cookie: x } } }",
            "sets Cookie, which forward-cookies of source secure sets"
        ),
        (
            "{ set: { status: { 304: 404 } } }",
            "status.304: expected a status of the origin from 200 to 599, except 206 and 3xx"
        ),
        ("{ set: { status: { 404: 302 } } }", "status.404: expected 200, or a status from 400 to 599"),
        ("{ set: { path: \"new/$1\" } }", "rules[0].set.path: uses $1, but there is no match.path"),
        ("{ match: { path: [\"a/*\", \"b\"] }, set: { path: \"c/$1\" } }", "uses $1, but match.path has 0 wildcards"),
        ("{ set: { path: \"/new\" } }", "rules[0].set.path: expected a path without a leading slash"),
        ("{ match: { source: plain }, set: { ttl: 1d } }", "rules[0].set.ttl: has no effect for a raw source"),
        ("{ match: { source: plain, type: svg }, set: { last: true } }", "rules[0].set.last: is not a known key"),
        (
            "{ match: { source: files }, set: { status: { 404: 410 } } }",
            "rules[0].set.status: does not apply to a file:// source"
        ),
        (
            "{ set: { ignore-query: [w] } }",
            "rules[0].set.ignore-query: contains a parameter of the request language: w"
        ),
        ("{ set: { ignore-query: [\"utm_.*\"] } }", "'utm_.*' is not a pattern: only * is; did you mean utm_*?"),
        (
            "{ set: { priority: hihg } }",
            "rules[0].set.priority: expected one of background, low, normal, high, found 'hihg'; did you mean high?"
        ),
        ("ttl", "rules[0]: expected a map of match, set and last"),
    ])
    func `names the line, the key and what was probably meant`(_ rule: String, _ expected: String) {
        let found = problems(yaml(rule))
        #expect(found.contains { $0.contains(expected) }, "\(found)")
        #expect(found.allSatisfy { $0.hasPrefix("test.yaml:\(Self.line): ") }, "\(found)")
    }

    @Test func `bounds the number of rules and of conditions on request fields`() {
        let many = (0...RuleReader.maximumCount).map { _ in "{ set: { ttl: 1d } }" }.joined(separator: "\n")
        #expect(problems(yaml(many)).contains { $0.contains("has more than 256 rules") })
        let fields = (0...RuleChecks.maximumFields).map {
            "{ match: { request-header: { X-\($0): a } }, set: { ttl: 1d } }"
        }
        #expect(problems(yaml(fields.joined(separator: "\n"))).contains { $0.contains("the most are 64") })
    }

    @Test(arguments: [
        ("ignore-query: [\"^utm_\"]", "did you mean utm_?"), ("ignore-query: [\"utm_.*\"]", "did you mean utm_*?"),
        ("ignore-query: [\"(a|b)*\"]", "is not a pattern"), ("ignore-query: [\"a**\"]", "did you mean a*?"),
        ("ignore-query: [\"utm?\"]", "expected a query parameter's name"),
        ("unkeyed-query: [w]", "unkeyed-query: contains a parameter of the request language: w"),
        ("unkeyed-query: [a], ignore-query: [a]", "is both forwarded and ignored: a"),
        ("unkeyed-query: [a], forward-query: [a]", "which makes it part of the key: a"),
    ])
    func `unknown patterns of query parameters are errors`(_ keys: String, _ expected: String) {
        let found = problems("sources: { a: { url: \"https://x/\", \(keys) } }")
        #expect(found.count == 1 && found[0].contains(expected), "\(found)")
    }

    @Test func `filters of /fetch contradict remote.raw`() {
        let found = problems("remote: { raw: true, ignore-query: [\"*\"] }")
        #expect(
            found == ["test.yaml:1: remote.ignore-query: has no effect with remote.raw, which forwards URLs unchanged"]
        )
    }

    @Test(arguments: [
        (
            "{ match: { source: photos }, set: { ttl: 1d }, last: true }\n{ match: { source: photos, path: \"a/**\" }, set: { ttl: 1h } }",
            [1]
        ),
        ("{ set: { ttl: 1d }, last: true }\n{ match: { type: svg }, set: { ttl: 1h } }", [1]),
        (
            "{ match: { path: \"a/**\" }, last: true }\n{ match: { path: \"a/b/*.png\" }, set: { ttl: 1h } }\n{ match: { path: \"b\" }, set: { ttl: 1h } }",
            [1]
        ),
        ("{ match: { source: photos, host: other.example }, set: { ttl: 1d } }", [0]),
        ("{ match: { source: photos }, set: { ttl: 1d } }\n{ match: { source: photos }, set: { ttl: 1h } }", []),
        (
            "{ match: { request-header: { X: \"a*\" } }, last: true }\n{ match: { request-header: { X: ab } }, set: { ttl: 1h } }\n{ set: { ttl: 1d } }",
            [1]
        ),
        (
            "{ match: { source: photos, path: \"a/**\" }, set: { ttl: 1d }, last: true }\n{ match: { source: photos }, set: { ttl: 1h } }",
            []
        ),
    ])
    func `finds rules that no request can reach`(_ rules: String, _ dead: [Int]) throws {
        let configuration = try load(yaml(rules))
        #expect(RuleReach(configuration: configuration).dead.map(\.index) == dead)
        let findings = RuleReachCheck(configuration: configuration).findings(RecordedProbe())
        #expect(findings.filter { $0.severity == .warning }.count == dead.count)
    }

    @Test func `check warns about a rule that can never apply`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/edgeprint.yaml"
        let text = yaml("{ set: { ttl: 1d }, last: true }\n{ name: lost, set: { ttl: 1h } }")
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        let run = try CommandRun(["check", "--config", path])
        #expect(run.code == 0)
        let expected =
            "warning: \(path):9: rules[1]: can never apply: rule 1 matches the same or more requests and is the last one"
        #expect(run.errors.contains(expected), "\(run.errors)")
    }

    @Test func `a preset must exist at every site whose sources the rule is for`() throws {
        let yaml = """
            hosts: [a.example]
            sources: { a: { url: "https://a.example/" } }
            sites: { shop: { hosts: [b.example], presets: { small: "w=9" }, sources: { b: { url: "https://b.example/" } } } }
            rules: [{ match: { source: "NAME", path: "x/**" }, set: { preset: small } }]
            """
        #expect(throws: Never.self) { try load(yaml.replacingOccurrences(of: "NAME", with: "b")) }
        let error = #expect(throws: ConfigurationError.self) {
            try load(yaml.replacingOccurrences(of: "source: \"NAME\", ", with: ""))
        }
        #expect(error.map { "\($0)" }?.contains("site 'default', which has no preset 'small'") == true)
    }
}
