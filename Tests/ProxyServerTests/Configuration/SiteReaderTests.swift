import ImagePipeline
import ImagePlan
import LinuxSystem
import TestSupport
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct SiteReaderTests {
    private static let source = "sources: { photos: { url: \"https://a.example/\" } }"

    @Test func `a site has sources, presets and keys of its own, and inherits limits`() throws {
        let configuration = try load(
            """
            limits: { pixels: 10MP, frames: 7 }
            timeouts: { transform: 3s }
            quality: { jpeg: 61 }
            remote: { allow: ["*"] }
            signing: { keys: [\(String(repeating: "ab", count: 16))] }
            purge: { allow: [unix] }
            presets: { small: "w=10" }
            hosts: [img.example]
            sources: { photos: { url: "https://a.example/" } }
            sites:
              shop:
                hosts: [IMG.shop.example, "*.cdn.shop.example."]
                token: shop-token
                limits: { pixels: 20MP }
                presets: { large: "w=1000" }
                sources:
                  photos: { url: "https://b.example/", preset: large, limits: { pixels: 30MP } }
                  others: { url: "https://c.example/" }
                quota: { memory: 8MiB, originals: 1GiB }
            """
        )
        let site = try #require(configuration.site(named: "shop"))
        #expect(site.hosts.map(\.text) == ["img.shop.example", "*.cdn.shop.example"])
        #expect(site.token.value == "shop-token")
        #expect(site.quota == .init(memory: 8 << 20, originals: 1 << 30, variants: nil))
        let sources = site.settings.sources.map(\.rule)
        #expect(sources.map(\.name) == ["shop/photos", "shop/others"])
        #expect(sources.map(\.limits.pixels) == [30_000_000, 20_000_000])
        #expect(sources.allSatisfy { $0.limits.frames == 7 && $0.timeouts.transform == 3000 && $0.quality.jpeg == 61 })
        #expect(site.settings.presets.map(\.name) == ["large"])
        #expect(site.settings.signing.keys.isEmpty && site.settings.remote.allow.isEmpty)
        #expect(site.settings.purge.allow.isEmpty)
        #expect(site.settings.remoteRule.name == "shop/fetch" && configuration.remoteRule.name == "fetch")
        #expect(configuration.sources.map(\.rule.limits.pixels) == [10_000_000])
    }

    @Test(arguments: [
        (
            "sites: { a: { sources: {} } }",
            "test.yaml:1: sites.a: has neither hosts nor a prefix"
        ),
        (
            "sites:\n  a: { hosts: [x.example], prefix: /a }",
            "test.yaml:2: sites.a.prefix: cannot be combined with hosts"
        ),
        (
            "sites:\n  a: { hosts: [x.example] }\n  b: { hosts: [y.example, X.example.] }",
            "test.yaml:3: sites.b.hosts: names x.example as sites.a.hosts does"
        ),
        (
            "sites:\n  a: { hosts: [\"[::1]\"] }\n  b: { hosts: [\"[0:0::1]\"] }",
            "test.yaml:3: sites.b.hosts: names [::1] as sites.a.hosts does"
        ),
        (
            "hosts: [x.example]\nsites:\n  a: { hosts: [x.example] }",
            "test.yaml:3: sites.a.hosts: names x.example as hosts does"
        ),
        (
            "sites:\n  a: { prefix: /img }\n  b: { prefix: /img/b }",
            "test.yaml:3: sites.b.prefix: overlaps /img of site a"
        ),
        (
            "sources: { img: { url: \"https://a.example/\" } }\nsites:\n  a: { prefix: /img }",
            "test.yaml:3: sites.a.prefix: begins with the name of the source 'img' at the file's top"
        ),
        (
            "sites:\n  a: { prefix: /fetch }",
            "test.yaml:2: sites.a.prefix: begins with /fetch, which is reserved"
        ),
        (
            "sites:\n  a: { hosts: [x.example] }\n  b: { prefix: /b }",
            "test.yaml:3: sites.b.prefix: requires hosts at the file's top: as other sites have hosts, no request would have "
                + "this prefix"
        ),
        (
            "sites:\n  default: { hosts: [x.example] }",
            "test.yaml:2: sites.default: is reserved for the sources at the file's top"
        ),
        (
            "sites:\n  Shop: { hosts: [x.example] }",
            "test.yaml:2: sites.Shop: is not a valid site name: a-z, 0-9 and '-', at most 64 characters, and '-' not first"
        ),
        (
            "sites:\n  a: { hosts: [x.example], tokn: b }",
            "test.yaml:2: sites.a.tokn: is not a known key; did you mean sites.a.token?"
        ),
        (
            "sites:\n  a: { hosts: [\"x.example:8080\"] }",
            "test.yaml:2: sites.a.hosts: expected a host without a port such as img.example.com, *.example.com or *, "
                + "found 'x.example:8080'"
        ),
        (
            "cache: { originals: 1GiB }\nsites:\n  a: { hosts: [x.example], quota: { originals: 1GiB } }",
            "test.yaml:3: sites.a.quota.originals: the quotas of all sites add up to 1GiB; cache.originals (1GiB) must be "
                + "at least 1MiB more"
        ),
        (
            "admin: { token: abc }\nsites:\n  a: { hosts: [x.example], token: abc }",
            "test.yaml:3: sites.a.token: is the same as admin.token"
        ),
        (
            "sites:\n  a:\n    hosts: [x.example]\n    sources: { p: { url: \"https://a.example/\", preset: nix } }",
            "test.yaml:4: sites.a.sources.p.preset: there is no preset 'nix'"
        ),
        (
            "sites:\n  a:\n    hosts: [x.example]\n    sources: { p: { url: \"https://a.example/\", tll: 1d } }",
            "test.yaml:4: sites.a.sources.p.tll: is not a known key; did you mean sites.a.sources.p.ttl?"
        ),
        (
            "sites:\n  a:\n    hosts: [x.example]\n    signing: { required: true }",
            "test.yaml:4: sites.a.signing.required: requires signing.keys: otherwise no request could be served"
        ),
        (
            "sites:\n  a:\n    hosts: [x.example]\n    presets: { p: \"wdth=4\" }",
            "sites.a.presets.p"
        ),
    ])
    func `reports a contradiction with its line and key`(yaml: String, problem: String) {
        let found = problems(yaml)
        #expect(found.count == 1 && found[0].contains(problem), "\(found)")
    }

    @Test func `prints sites as they would be configured, without secrets`() throws {
        let yaml = """
            hosts: [img.example]
            sites:
              shop:
                hosts: ["*.shop.example"]
                token: very-secret-token
                quota: { variants: 5MiB }
                limits: { frames: 9 }
                presets: { small: "w=5" }
                sources: { photos: { url: "https://b.example/", ttl: 3h } }
              blog: { prefix: /blog }
            """
        let printed = try load(yaml).yaml
        #expect(!printed.contains("very-secret-token"))
        var again = try load(printed.replacing(Secret.redacted, with: "very-secret-token"))
        var expected = try load(yaml)
        again.admin.token = expected.admin.token
        expected.signing = again.signing
        #expect(again.sites.map(\.name) == ["shop", "blog"] && again.hosts == expected.hosts)
        #expect(zip(again.sites, expected.sites).allSatisfy { $0.quota == $1.quota && $0.hosts == $1.hosts })
        #expect(again.sites.map(\.prefix) == [nil, "/blog"])
        #expect(again.site(named: "shop")?.settings.sources == expected.site(named: "shop")?.settings.sources)
        #expect(again.site(named: "shop")?.settings.presets == expected.site(named: "shop")?.settings.presets)
    }

    @Test func `a reload notices a changed site only`() throws {
        let yaml = "sites: { a: { hosts: [x.example], \(Self.source) } }"
        let same = ConfigurationChange(from: try load(yaml), to: try load(yaml + "\nlog: { level: debug }"))
        #expect(same.applied == ["log.level"])
        let other = ConfigurationChange(
            from: try load(yaml),
            to: try load(yaml.replacing("a.example", with: "b.example"))
        )
        #expect(other.applied == ["sites"] && other.needingRestart.isEmpty)
    }

    @Test func `memory is divided into the sites' parts and the rest`() throws {
        let shares = try load(
            """
            cache: { memory: 100MiB }
            sites:
              a: { hosts: [a.example], quota: { memory: 40MiB }, sources: { r: { url: "https://r.example/", raw: true } } }
              b: { hosts: [b.example], quota: { memory: 20MiB } }
              c: { hosts: [c.example] }
            """
        ).memoryShares
        #expect(shares.total == 100 << 20 && shares.raw == 10 << 20)
        #expect(shares.reservedPictures == ["a": 30 << 20, "b": 20 << 20])
        #expect(shares.reservedRaw == ["a": 10 << 20, "b": 0])
        let half = shares.within(50 << 20)
        #expect(half.total == 50 << 20 && half.reservedPictures == ["a": 15 << 20, "b": 10 << 20])
    }
}
