import ImagePipeline
import ImagePlan
import TestSupport
import Testing

@testable import ProxyServer

/// The values of `unsigned` of sources, sites, rules and `remote`.
@Suite(.timeLimit(.minutes(1)))
struct UnsignedReaderTests {
    private static let keys = "\nsigning: { keys: [00112233445566778899aabbccddeeff] }"

    private func yaml(_ text: String) -> String {
        "sources: { a: { url: \"https://x/\", unsigned: \(text) } }" + Self.keys
    }

    private func use(_ text: String) throws -> UnsignedUse? { try load(yaml(text)).source(named: "a")?.rule.unsigned }

    @Test func `reads words and maps, and prints them`() throws {
        #expect(try load("sources: { a: { url: \"https://x/\" } }").source(named: "a")?.rule.unsigned == .any)
        #expect(try use("any") == .any)
        #expect(try use("none") == UnsignedUse.none)
        var limits = UnsignedLimits()
        limits.presets = .only
        limits.widths = [320, 640]
        limits.snap = .refuse
        limits.formats = [.webp, .jpeg]
        limits.effort = 4
        limits.pixels = 4_000_000
        let text = "{ presets: only, widths: [320, 640], snap: refuse, formats: [webp, jpeg], effort: 4, pixels: 4MP }"
        #expect(try use(text) == .limited(limits))
        let source = try #require(try load(yaml(text)).source(named: "a"))
        let setting = try #require(SourceSchema.table["unsigned"])
        let draft = SourceSchema.Draft(rule: source.rule, location: source.rule.location)
        let printed = try #require(setting.write(draft).map(JSONValue.init)).text
        for part in ["only", "320", "640", "refuse", "webp", "jpeg", "4MP"] {
            #expect(printed.contains(part), "\(printed)")
        }
        #expect(
            try load("remote: { allow: [\"*\"], unsigned: { pixels: 1MP } }").remote.unsigned.limits?.pixels
                == 1_000_000
        )
        #expect(
            try load("remote: { allow: [\"*\"] }", environment: ["EDGEPRINT_REMOTE_UNSIGNED": "any"]).remote.unsigned
                == .any
        )
    }

    @Test(arguments: [
        ("some", "sources.a.unsigned: expected any, none, or a map"), ("[any]", "sources.a.unsigned: expected any"),
        ("{}", "sources.a.unsigned: limits nothing"),
        ("{ width: [1] }", "sources.a.unsigned.width: is not a known key: presets, widths"),
        ("{ widths: [] }", "sources.a.unsigned.widths: is empty"),
        ("{ widths: [640, 320] }", "sources.a.unsigned.widths: must ascend"),
        ("{ widths: [0] }", "sources.a.unsigned.widths: expected a whole number from 1 to 16384"),
        ("{ widths: [20000] }", "sources.a.unsigned.widths: expected a whole number from 1 to 16384"),
        ("{ snap: up }", "sources.a.unsigned.snap: has no effect without widths"),
        ("{ widths: [1], snap: down }", "sources.a.unsigned.snap: expected one of up, refuse"),
        ("{ presets: some }", "sources.a.unsigned.presets: expected one of any, only"),
        ("{ formats: [jpeg, wepb] }", "sources.a.unsigned.formats: expected one of"),
        ("{ formats: [] }", "sources.a.unsigned.formats: is empty"),
        ("{ effort: 10 }", "sources.a.unsigned.effort: expected a whole number from 0 to 9"),
        ("{ pixels: 0 }", "sources.a.unsigned.pixels: expected a number of pixels"),
    ])
    func `reports other values with line and key`(text: String, start: String) {
        let found = problems(yaml(text))
        #expect(found.count == 1 && found.first?.hasPrefix("test.yaml:1: \(start)") == true, "\(found)")
    }

    @Test(arguments: [
        ("sources: { a: { url: \"https://x/\", unsigned: none } }", "sources.a.unsigned: none requires signing.keys"),
        (
            "sources: { a: { url: \"https://x/\", unsigned: { effort: 3 } } }\nsigning: { keys: [00112233445566778899aabbccddeeff], required: true }",
            "sources.a.unsigned: has no effect with signing.required"
        ),
        (
            "sources: { a: { url: \"https://x/\", raw: true, unsigned: { effort: 3 } } }",
            "sources.a.unsigned: has no effect with raw"
        ),
        (
            "remote: { allow: [\"*\"], raw: true, unsigned: { effort: 3 } }",
            "remote.unsigned: has no effect with remote.raw"
        ),
        ("remote: { unsigned: { effort: 3 } }", "remote.unsigned: has no effect without remote.allow"),
        ("remote: { allow: [\"*\"], unsigned: none }" + keys, "remote.unsigned: none contradicts remote.allow"),
        (
            "sites: { shop: { hosts: [shop.example], sources: { a: { url: \"https://x/\", unsigned: none } } } }",
            "sites.shop.sources.a.unsigned: none requires signing.keys"
        ),
    ])
    func `reports what serves no request or has no effect`(yaml: String, start: String) {
        let found = problems(yaml)
        #expect(found.count == 1 && found.first?.hasPrefix("test.yaml:1: \(start)") == true, "\(found)")
    }

    @Test func `sites have limits of their own, rules have none`() throws {
        let site = try load(
            "sites: { shop: { hosts: [shop.example], sources: { a: { url: \"https://x/\", unsigned: { effort: 3 } } }, remote: { allow: [\"*\"], unsigned: { effort: 2 } } } }"
        ).sites[0].settings
        #expect(site.source(named: "a")?.rule.unsigned.limits?.effort == 3 && site.remote.unsigned.limits?.effort == 2)
        // What needs a signature does not depend on what clients send, such as header fields.
        let found = problems("sources: { a: { url: \"https://x/\" } }\nrules: [{ set: { unsigned: any } }]")
        #expect(found.count == 1 && found[0].contains("set.unsigned: is not a known key"), "\(found)")
    }
}
