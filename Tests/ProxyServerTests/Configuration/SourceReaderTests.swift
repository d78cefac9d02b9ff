import HTTPCache
import ImagePipeline
import ImagePlan
import Testing
import OriginTransfer
import LinuxSystem

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct SourceReaderTests {
    @Test func `reads every key of a source`() throws {
        let configuration = try load(
            """
            presets: { thumb: "w=200" }
            sources:
              photos:
                url: "https://photos.example.com:8443/originals"
                allow-private: true
                headers: { Authorization: "Bearer abc", X-Two: "2" }
                connections: 3
                forward-query: [v, version]
                ignore-query: utm_source
                ttl: 2h
                ttl-min: 10s
                ttl-max: 7d
                preset: thumb
                originals: refuse
                limits: { pixels: 1MP, frames: 2, source-bytes: 3MiB, redirects: 4 }
                timeouts: { connect: 1s, first-byte: 2s, total: 3s, transform: 4s }
                quality: { jpeg: 5, webp: 6, avif: 7 }
            """
        )
        let expected = SourceRule(
            name: "photos",
            location: .http(prefix: "https://photos.example.com:8443/originals/"),
            allowPrivate: true,
            headers: [
                HeaderField(name: "Authorization", value: "Bearer abc"),
                HeaderField(name: "X-Two", value: "2"),
            ],
            connections: 3,
            forwardQuery: ["v", "version"],
            ignoreQuery: ["utm_source"],
            ttl: 7_200,
            ttlMinimum: 10,
            ttlMaximum: 604_800,
            originals: .refuse,
            limits: SourceRule.Limits(pixels: 1_000_000, frames: 2, sourceBytes: 3 << 20, redirects: 4),
            timeouts: SourceRule.Timeouts(connect: 1_000, firstByte: 2_000, total: 3_000, transform: 4_000),
            quality: QualityDefaults(jpeg: 5, webp: 6, avif: 7)
        )
        #expect(configuration.sources == [ConfiguredSource(rule: expected, preset: "thumb")])
    }

    @Test func `reads quality.distance and auto`() throws {
        let configuration = try load(
            """
            sources:
              a: { url: "https://a.example/", auto: smallest, quality: { distance: 0.75 } }
              b: { url: "https://b.example/" }
            quality: { distance: 2 }
            """
        )
        let rules = configuration.sources.map(\.rule)
        #expect(rules.map(\.autoFormat) == [.smallest, .accept])
        #expect(rules.map(\.quality.distance) == [750, 2_000])
    }

    @Test func `inherits from the file, the environment and the defaults`() throws {
        let configuration = try load(
            """
            sources:
              a: { url: "https://a.example/", limits: { frames: 9 } }
              b: { url: "file:///srv/b/" }
            limits: { pixels: 1MP }
            quality: { webp: 11 }
            """,
            environment: ["EDGEPRINT_LIMITS_FRAMES": "7", "EDGEPRINT_TIMEOUTS_TRANSFORM": "123ms"]
        )
        let (a, b) = (
            try #require(configuration.source(named: "a")?.rule), try #require(configuration.source(named: "b")?.rule)
        )
        #expect(a.limits == SourceRule.Limits(pixels: 1_000_000, frames: 9))
        #expect(b.limits == SourceRule.Limits(pixels: 1_000_000, frames: 7))
        #expect(a.timeouts == SourceRule.Timeouts(transform: 123))
        #expect(b.quality == QualityDefaults(webp: 11))
        #expect(configuration.remoteRule.limits == b.limits)
        #expect(configuration.sources.map(\.rule.name) == ["a", "b"])
    }

    @Test func `reads credentials and buckets`() throws {
        let configuration = try load(
            """
            sources:
              a: { url: "https://a.example/", auth: { basic: { user: u, password: "p w" } }, cache: memory }
              b: { url: "https://a.example/", auth: { bearer: tok } }
              c: { url: "s3://pics/p", region: eu-west-1, auth: { access-key: A, secret-key: s/+ } }
              d:
                url: "s3://pics/"
                endpoint: "HTTP://127.0.0.1:9000/"
                auth: { access-key: A, secret-key: s, session-token: t== }
            """
        )
        let rules = configuration.sources.map(\.rule)
        #expect(
            rules.map(\.credentials) == [
                .basic(user: "u", password: Secret("p w")), .bearer(Secret("tok")),
                .accessKey(id: "A", secret: Secret("s/+"), session: nil),
                .accessKey(id: "A", secret: Secret("s"), session: Secret("t==")),
            ]
        )
        #expect(rules[0].cache == CachePolicy(.memory) && rules[1].cache == CachePolicy(.all))
        #expect(rules[2].location == .bucket(ObjectBucket(name: "pics", prefix: "p/", region: "eu-west-1")))
        #expect(rules[3].location == .bucket(ObjectBucket(name: "pics", prefix: "", endpoint: "http://127.0.0.1:9000")))
    }

    @Test func `credentials are never shown`() throws {
        let yaml = """
            sources:
              a: { url: "https://a.example/", auth: { basic: { user: u, password: canary-1 } } }
              b: { url: "https://a.example/", auth: { bearer: canary-2 } }
              c: { url: "s3://pics/", region: r, auth: { access-key: AKID, secret-key: canary-3, session-token: canary-4 } }
            """
        let configuration = try load(yaml)
        var shown = configuration.yaml + "\(configuration)"
        dump(configuration, to: &shown)
        #expect(!shown.contains("canary"))
        #expect(configuration.yaml.contains("access-key: \"AKID\""))
        #expect(configuration.yaml.contains("bearer: \"[redacted]\""))
    }

    @Test(arguments: [
        ("https://a.example", SourceRule.Location.http(prefix: "https://a.example/")),
        ("http://127.0.0.1:80/a", .http(prefix: "http://127.0.0.1:80/a/")),
        ("HTTP://[::1]:8/", .http(prefix: "HTTP://[::1]:8/")),
        ("https://a.example/%C3%A9/", .http(prefix: "https://a.example/%C3%A9/")), ("file:///", .file(root: "/")),
        ("file:///srv/images/", .file(root: "/srv/images")), ("file:///srv/a%20b//", .file(root: "/srv/a b")),
        ("s3://pics", .bucket(ObjectBucket(name: "pics", prefix: ""))),
        ("s3://my.pics-1/a b/100%+ä", .bucket(ObjectBucket(name: "my.pics-1", prefix: "a b/100%+ä/"))),
        ("file://localhost/srv", .file(root: "/srv")), ("file:///srv/ä b", .file(root: "/srv/ä b")),
    ])
    func `reads locations`(text: String, location: SourceRule.Location) {
        #expect(LocationParser.parse(text) == .success(location))
    }

    @Test(arguments: [
        "s3://Bucket/", "s3://ab/", "s3://a..b/", "s3://-ab/", "s3://pics//a/", "s3://pics/a/../b/", "s3://pics/\u{7}/",
        "s3://pics:80/", "s3://u@pics/",
        "", "a.example", "//a.example/", "ftp://a/", "s3://b/", "https://", "https:///a", "https://u:p@a/",
        "https://a@b/",
        "https://a/?q=", "https://a/#f", "https://a b/", "https://a/%zz", "https://a/%", "https://a:0/",
        "https://a:99999/",
        "https://a:x/", "https://a\\b/", "https://.a/", "https://ä.example/", "https://[::1/", "https://[]/",
        "https://[x]/",
        "file://srv/images", "file:/srv", "file:///a?b", "file:///a%00b", "file:///a%zz", "file:///%FF", "file:///a\nb",
    ])
    func `refuses invalid locations`(text: String) {
        #expect(throws: LocationParser.BadLocation.self) { try LocationParser.parse(text).get() }
    }

    @Test(arguments: [
        ("Photos: { url: \"https://x/\" }", "sources.Photos: is not a valid source name"),
        ("-a: { url: \"https://x/\" }", "sources.-a: is not a valid source name"),
        ("a_b: { url: \"https://x/\" }", "sources.a_b: is not a valid source name"),
        ("fetch: { url: \"https://x/\" }", "sources.fetch: is reserved"),
        ("a: {}", "sources.a: has no url"), ("a: x", "sources.a: expected a map with a url"),
        ("a: { url: \"https://x/\", tll: 5s }", "sources.a.tll: is not a known key; did you mean sources.a.ttl?"),
        ("a: { url: \"https://x/\", limits: { queue: 5 } }", "sources.a.limits.queue: is not a known key"),
        ("a: { url: \"https://x/\", ttl: 500ms }", "sources.a.ttl: expected a time in whole seconds"),
        ("a: { url: \"https://x/\", ttl-min: 2h, ttl-max: 1h }", "sources.a.ttl-min: is more than ttl-max"),
        ("a: { url: \"https://x/\", forward-query: [w] }", "sources.a.forward-query: contains a parameter"),
        ("a: { url: \"https://x/\", forward-query: [sig] }", "sources.a.forward-query: contains a parameter"),
        ("a: { url: \"https://x/\", ignore-query: [format] }", "sources.a.ignore-query: contains a parameter"),
        ("a: { url: \"https://x/\", forward-query: [v], ignore-query: [v] }", "is both forwarded and ignored: v"),
        (
            "a: { url: \"https://x/\", forward-query: [\"a&b\"] }",
            "sources.a.forward-query: expected a query parameter's name"
        ),
        ("a: { url: \"https://x/\", preset: nope }", "sources.a.preset: there is no preset 'nope'"),
        ("a: { url: \"https://x/\", headers: { \"A B\": x } }", "sources.a.headers.A B: is not a valid field name"),
        ("a: { url: \"https://x/\", headers: { Content-Length: 5 } }", "is a field that the server sets itself"),
        (
            "a: { url: \"https://x/\", headers: { A: \"b\\r\\nc: d\" } }",
            "sources.a.headers.A: must not contain control"
        ),
        ("a: { url: \"file:///a\", headers: { A: b } }", "sources.a.headers: does not apply to a file:// source"),
        ("a: { url: \"file:///a\", serialize: lossless }", "sources.a.serialize: does not apply to a file:// source"),
        ("a: { url: \"https://x/\", cache: ram }", "sources.a.cache: expected one of all, memory, disk, none"),
        ("a: { url: \"https://x/\", auth: hidden }", "sources.a.auth: expected a map of keys"),
        ("a: { url: \"https://x/\", auth: { baerer: hidden } }", "did you mean sources.a.auth.bearer?"),
        ("a: { url: \"https://x/\", auth: { digest: {} } }", "sources.a.auth.digest: is not a known key"),
        ("a: { url: \"https://x/\", auth: { bassic: { user: u } } }", "did you mean sources.a.auth.basic?"),
        (
            "a: { url: \"https://x/\", auth: { bearer: \"hidden hidden\" } }",
            "sources.a.auth.bearer: expected visible ASCII"
        ),
        (
            "a: { url: \"https://x/\", auth: { basic: { user: \"a:b\", password: hidden } } }",
            "expected a user name without a colon"
        ),
        (
            "a: { url: \"https://x/\", auth: { basic: { user: u } } }",
            "sources.a.auth.basic.user: requires auth.basic.password"
        ),
        (
            "a: { url: \"https://x/\", auth: { basic: { password: hidden } } }",
            "sources.a.auth.basic.password: requires auth.basic.user"
        ),
        (
            "a: { url: \"https://x/\", auth: { bearer: hidden, basic: { user: u, password: hidden } } }",
            "sources.a.auth.bearer: cannot be combined with auth.basic"
        ),
        (
            "a: { url: \"https://x/\", auth: { bearer: hidden }, headers: { authorization: hidden } }",
            "sources.a.headers: contains authorization"
        ),
        ("a: { url: \"file:///a\", auth: { bearer: hidden } }", "sources.a.auth: does not apply to a file:// source"),
        ("a: { url: \"https://x/\", region: eu-west-1 }", "sources.a.region: only applies to s3:// sources"),
        ("a: { url: \"https://x/\", endpoint: \"http://y\" }", "sources.a.endpoint: only applies to s3:// sources"),
        (
            "a: { url: \"https://x/\", auth: { access-key: A, secret-key: hidden } }",
            "sources.a.auth.access-key: only applies to s3:// sources"
        ),
        ("a: { url: \"s3://pics/\" }", "sources.a.url: requires the bucket's region"),
        ("a: { url: \"s3://pics/\", region: EU }", "sources.a.region: expected a region such as eu-central-1"),
        (
            "a: { url: \"s3://pics/\", endpoint: \"http://y/path\" }",
            "sources.a.endpoint: expected a URL without a path"
        ),
        (
            "a: { url: \"s3://pics/\", region: r, auth: { bearer: hidden } }",
            "sources.a.auth.bearer: does not apply to an s3:// source"
        ),
        (
            "a: { url: \"s3://pics/\", region: r, auth: { access-key: A } }",
            "sources.a.auth.access-key: requires auth.secret-key"
        ),
        (
            "a: { url: \"s3://pics/\", region: r, auth: { session-token: hidden } }",
            "sources.a.auth.session-token: requires auth.access-key"
        ),
        (
            "a: { url: \"s3://pics/\", region: r, auth: { access-key: A, secret-key: hidden }, headers: { X-Amz-Date: x } }",
            "sources.a.headers: contains X-Amz-Date"
        ),
    ])
    func `refuses invalid sources`(yaml: String, expected: String) {
        let found = problems("sources:\n  \(yaml)")
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("test.yaml:2: ") == true)
        #expect(found.first?.contains(expected) == true, "\(found)")
        #expect(!found.joined().contains("hidden"))
    }

    @Test func `reads credentials without showing them`() throws {
        let configuration = try load(
            """
            sources:
              a: { url: "https://a/", auth: { basic: { user: "Aladdin", password: "open sesame" } } }
              b: { url: "https://b/", auth: { bearer: hunter2 } }
            """
        )
        #expect(configuration.sources[0].rule.credentials == .basic(user: "Aladdin", password: Secret("open sesame")))
        #expect(configuration.sources[1].rule.credentials == .bearer(Secret("hunter2")))
        var dumped = configuration.yaml
        dump(configuration, to: &dumped)
        #expect(!dumped.contains("sesame") && !dumped.contains("hunter2"))
        #expect(
            configuration.yaml.contains("user: \"Aladdin\"") && configuration.yaml.contains("bearer: \"[redacted]\"")
        )
    }
}
