import ImagePipeline
import LinuxSystem
import OriginTransfer
import Testing

@testable import ProxyServer

/// `tls`, `proxy` and `interface` of sources, and the sections `transfers` and `breaker`.
@Suite(.timeLimit(.minutes(1)))
struct SourceRouteReaderTests {
    @Test func `reads TLS, proxy and interface`() throws {
        let rules = try load(
            """
            sources:
              a: { url: "https://a.example/", tls: { ca: /etc/ca.pem, certificate: /etc/c.pem, key: /etc/k.pem } }
              b: { url: "https://a.example/", tls: { verify: false }, proxy: "http://proxy.example.com:3128", interface: eth1 }
              c: { url: "http://a.example/", proxy: "socks5h://u%40x:p%3Aw@[2001:db8::1]:1080/", interface: 192.0.2.7 }
              d: { url: "http://a.example/", proxy: "https://u@127.0.0.1:443", interface: "2001:db8::2" }
            """
        ).sources.map(\.rule)
        #expect(rules[0].tls.authority == "/etc/ca.pem" && rules[0].tls.verifies)
        #expect(rules[0].tls.certificate == "/etc/c.pem" && rules[0].tls.key == "/etc/k.pem")
        #expect(!rules[1].tls.verifies)
        #expect(rules[1].proxy == TransferProxy(.http, authority: "proxy.example.com:3128"))
        #expect(rules[1].interface == .device("eth1"))
        let socks = TransferProxy(.socks5h, authority: "[2001:db8::1]:1080", user: "u@x", password: Secret("p:w"))
        #expect(rules[2].proxy == socks)
        #expect(rules[2].interface == .address("192.0.2.7"))
        #expect(rules[3].proxy == TransferProxy(.https, authority: "127.0.0.1:443", user: "u"))
        #expect(rules[3].interface == .address("2001:db8::2"))
    }

    @Test func `prints a proxy without its password`() throws {
        let configuration = try load(
            "sources: { a: { url: \"http://a.example/\", proxy: \"http://edge:hunter2@p.example:3128\" } }"
        )
        #expect(!configuration.yaml.contains("hunter2"))
        #expect(configuration.yaml.contains("http://edge:[redacted]@p.example:3128"))
        let found = problems("sources: { a: { url: \"http://a.example/\", proxy: \"http://edge:hunter2@p.example\" } }")
        #expect(found.count == 1 && !found[0].contains("hunter2"))
    }

    @Test(arguments: [
        ("proxy: \"http://p.example\"", "sources.a.proxy: expected a proxy"),
        ("proxy: \"socks5://p.example:1080\"", "socks5h://"), ("proxy: \"p.example:1080\"", "expected a proxy"),
        ("proxy: \"http://p.example:1/path\"", "expected a proxy"),
        ("proxy: \"http://p.example:0\"", "expected a proxy"),
        ("proxy: \"http://@p.example:1\"", "expected a proxy"),
        ("interface: \"a/b\"", "sources.a.interface: expected a network interface"),
        ("interface: aaaaaaaaaaaaaaaa", "expected a network interface"),
        ("tls: { ca: ca.pem }", "sources.a.tls.ca: expected the absolute path of a file"),
        ("tls: { key: /k }", "sources.a.tls.key: requires tls.certificate"),
        ("tls: { verify: false, ca: /c }", "sources.a.tls.ca: has no effect with tls.verify: false"),
        ("tls: { verfy: false }", "verify"), ("connections: 500", "is more than transfers.per-host (128)"),
    ])
    func `says what is wrong with a way to an origin`(_ keys: String, _ expected: String) {
        let found = problems("sources: { a: { url: \"https://a.example/\", \(keys) } }")
        #expect(found.count == 1 && found[0].contains(expected), "\(found)")
    }

    @Test func `refuses keys that have no effect at a location`() {
        let plain = problems("sources: { a: { url: \"http://a.example/\", tls: { verify: false } } }")
        #expect(plain.count == 1 && plain[0].contains("tls.verify: only applies to https:// origins"), "\(plain)")
        let folder = problems(
            "sources: { a: { url: \"file:///srv/\", proxy: \"http://p:1\", interface: eth0, tls: { ca: /c } } }"
        )
        #expect(folder.count == 3 && folder.allSatisfy { $0.contains("does not apply to a file:// source") })
    }

    @Test func `reads mirrors of the kind of url`() throws {
        let rules = try load(
            """
            sources:
              a: { url: "http://a.example/", mirrors: ["https://b.example/copy", "http://c.example:8080/"], tls: { ca: /c } }
              b: { url: "s3://first/", mirrors: ["s3://second/p"], region: eu-west-1, endpoint: "http://127.0.0.1:9000" }
              c: { url: "http://a.example/", mirrors: "http://b.example/" }
            """
        ).sources.map(\.rule)
        #expect(
            rules[0].mirrors == [.http(prefix: "https://b.example/copy/"), .http(prefix: "http://c.example:8080/")]
        )
        #expect(rules[1].mirrors.map(\.urlPrefix) == ["http://127.0.0.1:9000/second/p/"])
        #expect(rules[2].mirrors == [.http(prefix: "http://b.example/")])
    }

    @Test(arguments: [
        ("http://a.example/", "[\"http://a.example\"]", "contains a location twice, or that of url"),
        ("http://a.example/", "[\"s3://bucket/\"]", "contains an s3:// bucket, but url is none"),
        ("http://a.example/", "[\"file:///srv/\"]", "contains a file:// location"),
        ("http://a.example/", "[\"ftp://b.example/\"]", "expected http://"),
        ("http://a.example/", "[\"http://b.example/?a\"]", "must not have a query"),
        ("file:///srv/", "[\"http://a.example/\"]", "does not apply to a file:// source"),
    ])
    func `refuses mirrors that cannot stand in`(_ url: String, _ mirrors: String, _ expected: String) {
        let found = problems("sources: { a: { url: \"\(url)\", mirrors: \(mirrors) } }")
        #expect(found.count == 1 && found[0].contains("sources.a.mirrors") && found[0].contains(expected), "\(found)")
    }

    @Test func `reads the queue and the breakers, and refuses limits without effect`() throws {
        let configuration = try load(
            """
            transfers: { active: 10, per-host: 4, waiting: 20, newest-first: 5, ageing: 500ms }
            breaker: { failures: 0, pause: 1s, pause-max: 2s }
            """
        )
        #expect(
            configuration.transfers
                == TransferScheduling(active: 10, perHost: 4, waiting: 20, newestFirstAbove: 5, ageing: 500)
        )
        #expect(configuration.breaker == BreakerPolicy(failures: 0, pause: 1_000, pauseMaximum: 2_000))
        for (text, expected) in [
            ("transfers: { active: 3, per-host: 4 }", "transfers.per-host: is more than transfers.active"),
            ("transfers: { waiting: 3, newest-first: 4 }", "transfers.newest-first: is more than transfers.waiting"),
            ("breaker: { pause-max: 1s }", "breaker.pause: is more than breaker.pause-max"),
        ] {
            let found = problems(text)
            #expect(found.count == 1 && found[0].contains(expected), "\(found)")
        }
        // The defaults of the others give way silently.
        #expect(problems("transfers: { active: 3, waiting: 3 }").isEmpty)
    }
}
