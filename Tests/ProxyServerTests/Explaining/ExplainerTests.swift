import ImagePipeline
import ImagePlan
import LinuxSystem
import TestSupport
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct ExplainerTests {
    static let yaml = """
        admin: { token: very-secret-token }
        presets:
          thumb: "w=400&h=300&fit=cover&q=70"
          soft: "blur=2"
        limits: { pixels: 40MP }
        remote: { allow: ["*.example.com"] }
        signing: { keys: [00112233445566778899aabbccddeeff] }
        sources:
          photos:
            url: "https://photos.example.com/originals/"
            headers: { Authorization: "Bearer hidden-credential", X-Plain: "hidden-plain" }
            forward-query: [v]
            ignore-query: [utm_source]
            preset: soft
            ttl: 2h
            limits: { frames: 3 }
          local: { url: "file:///srv/images/", originals: refuse }
          inner: { url: "http://10.0.0.3/" }
          open: { url: "http://127.0.0.1:81/", allow-private: true }
        """

    static func explainer(
        _ yaml: String = yaml,
        environment: [String: String] = [:],
        flags: ConfigurationLoader.Flags = .init(config: "test.yaml"),
        time: ManualTime = ManualTime()
    ) throws -> Explainer {
        let loader = ConfigurationLoader(environment: environment, flags: flags) { _ throws(ConfigurationProblem) in
            yaml
        }
        return try Explainer(try loader.loadWithOrigins(), time: time)
    }

    /// A fact's text and origin, as `value < origin`.
    private func line(_ explanation: Explanation, _ section: String, _ name: String) -> String? {
        guard let fact = explanation.section(section)?[name] else { return nil }
        return fact.value.words + (fact.origin.map { " < \($0)" } ?? "")
    }

    @Test func `a raw request is explained without a plan`() throws {
        let yaml = """
            sources:
              files: { url: "https://files.example.com/base/", raw: true, methods: [PUT], cache: disk, stale-if-error: 1h }
            remote: { raw: true }
            signing: { keys: [00112233445566778899aabbccddeeff], required: true }
            """
        let explanation = try Self.explainer(yaml).explain("/files/a//b?w=x&w=y&exp=1900000000")
        #expect(explanation.problem?.status == 403)
        #expect(explanation.sections.map(\.name).starts(with: ["request", "source", "upstream", "signature", "cache"]))
        #expect(line(explanation, "request", "raw") == "true < test.yaml:2 sources.files.raw")
        #expect(
            line(explanation, "request", "methods") == "GET, HEAD, OPTIONS, PUT < test.yaml:2 sources.files.methods"
        )
        #expect(line(explanation, "upstream", "url") == "https://files.example.com/base/a//b?w=x&w=y < URL path")
        #expect(line(explanation, "signature", "verdict") == "missing < test.yaml:4 signing.required")
        #expect(line(explanation, "cache", "tiers") == "disk < test.yaml:2 sources.files.cache")
        #expect(line(explanation, "source", "stale-if-error")?.hasPrefix("1h") == true)
        // Nothing that only applies to images.
        #expect(explanation.section("source")?["originals"] == nil && explanation.section("limits")?["pixels"] == nil)
        #expect(explanation.section("quality") == nil && explanation.section("freshness") == nil)
        // The key is that of the origin's URL, without the signature.
        let other = try Self.explainer(yaml).explain("/files/a//b?w=x&w=y&sig=AAAA")
        #expect(line(other, "cache", "key") == line(explanation, "cache", "key") && line(other, "cache", "key") != nil)
        #expect(line(other, "signature", "verdict")?.hasPrefix("wrong") == true)
        let remote = try Self.explainer(yaml).explain("/fetch?url=http%3A%2F%2F10.0.0.3%2Fa")
        #expect(line(remote, "upstream", "url")?.hasPrefix("http://10.0.0.3/a < ") == true)
        #expect(remote.problem?.status == 403)
        #expect(try Self.explainer(yaml).explain("/fetch?url=http%3A%2F%2Fa.example%2Fa&w=5").problem?.status == 400)
    }

    @Test func `shows the origin of each value`() throws {
        let explainer = try Self.explainer(environment: ["EDGEPRINT_LIMITS_SOURCE_BYTES": "1MiB"])
        let explanation = explainer.explain("/photos/a.jpg?preset=thumb&w=800&v=3&utm_source=x&exp=1900000000")
        func check(_ section: String, _ name: String, _ expected: String) {
            #expect(line(explanation, section, name) == expected)
        }
        #expect(explanation.problem == nil)
        check("request", "source", "photos < URL path")
        check("request", "forwarded", "v=3 < test.yaml:12 sources.photos.forward-query")
        check("request", "ignored", "utm_source=x < test.yaml:13 sources.photos.ignore-query")
        check("request", "exp", "1900000000 < URL parameter exp")
        check("source", "url", "https://photos.example.com/originals/ < test.yaml:10 sources.photos.url")
        check("source", "headers", "Authorization, X-Plain < test.yaml:11 sources.photos.headers")
        check("source", "connections", "6 < default of sources.photos.connections")
        #expect(explanation.section("source")?["set-cookie"] == nil && explanation.section("source")?["methods"] == nil)
        check("upstream", "url", "https://photos.example.com/originals/a.jpg?v=3 < URL path")
        check("limits", "pixels", "40MP < test.yaml:5 limits.pixels")
        check("limits", "frames", "3 < test.yaml:16 sources.photos.limits.frames")
        check("limits", "source-bytes", "1MiB < environment EDGEPRINT_LIMITS_SOURCE_BYTES limits.source-bytes")
        check("limits", "redirects", "5 < default of limits.redirects")
        check("timeouts", "first-byte", "10s < default of timeouts.first-byte")
        check("quality", "webp", "79 < default of quality.webp")
        check("freshness", "ttl", "2h < test.yaml:15 sources.photos.ttl")
        check("freshness", "ttl-max", "none < default of sources.photos.ttl-max")
        check("settings", "q", "70 < preset thumb (test.yaml:3)")
        check("settings", "format", "auto < default")
    }

    @Test func `lists the steps in order, each with its origin`() throws {
        let explanation = try Self.explainer().explain("/photos/a.jpg?preset=thumb&w=800")
        let steps = try #require(explanation.section("steps"))
        #expect(steps.facts.map(\.value.words) == ["blur=2", "w=800 h=300 fit=cover"])
        #expect(steps.facts[0].details.map(\.origin) == [.sourcePreset("soft", .file("test.yaml", line: 4))])
        let thumb = FactOrigin.preset("thumb", .file("test.yaml", line: 3))
        #expect(steps.facts[1].details.map(\.name) == ["w", "h", "fit"])
        #expect(steps.facts[1].details.map(\.origin) == [.parameter("w"), thumb, thumb])
    }

    @Test(arguments: [
        ("w=9", "every frame within limits.animation (50000000 pixels) and limits.frames (3), else fewer or the first"),
        ("anim=keep", "every frame within limits.animation (50000000 pixels) and limits.frames (3), else 422"),
        ("frame=4", "frame 4 of an animation"), ("format=jpeg", "the first frame of an animation"),
        ("format=jpeg&strict=1", "422 for an animation: it would become a still"),
    ])
    func `shows how an animation is handled`(query: String, words: String) throws {
        let settings = try Self.explainer().explain("/photos/a.gif?preset=none&\(query)").section("settings")
        #expect(settings?["animation"]?.value == .string(words))
    }

    @Test(arguments: [
        "/photos/a.jpg?w=800", "/photos/a.jpg?w=8&format=png&v=1", "/photos/a.jpg?preset=none", "/open/%41",
    ])
    func `shows the daemon's cache keys`(_ target: String) throws {
        let explainer = try Self.explainer()
        let resolver = try RequestResolver(explainer.loaded.configuration, time: ManualTime())
        let request = try resolver.resolve(Array(target.utf8))
        for (accept, bucket) in [
            (nil, FormatBucket.rest), ("image/webp,*/*", .webp), ("image/*", .rest), ("image/avif,image/webp", .avif),
        ] {
            let cache = try #require(explainer.explain(target, accept: accept).section("cache"))
            let variant = request.variant(for: bucket)
            #expect(cache["key"]?.value == .string("\(variant.key)"))
            #expect(cache["original"]?.value == .string("\(variant.origin.key)"))
            #expect(cache["plan"]?.value == variant.plan.map(JSONValue.string) ?? .null)
            #expect(cache["bucket"]?.value == (request.isNegotiated ? .string(bucket.name) : .null))
        }
    }

    @Test func `shows what a response depends on, and the size within AVIF's budget`() throws {
        let yaml = """
            ladder: { widths: [100, 200] }
            avif: { budget: 199ms }
            sources:
              photos: { url: "http://a.test/", client-hints: [width], quality: { save-data: 20 } }
              plain: { url: "http://b.test/", avif: { auto: off } }
            """
        let explainer = try Self.explainer(yaml)
        let both = "image/avif,image/webp"
        let first = explainer.explain("/photos/a.jpg?w=auto", accept: both)
        #expect(line(first, "cache", "vary") == "Accept, Save-Data, Sec-CH-Width, Width")
        #expect(line(first, "cache", "w=auto") == "1080 < test.yaml:1 ladder.widths")
        #expect(line(first, "cache", "avif") == "1000000 < test.yaml:2 avif.budget")
        let resolved = try #require(try? explainer.resolver.resolve(Array("/photos/a.jpg?w=auto".utf8)))
        let key = try #require(resolved.saving).variant(for: .avif).key
        let lowered = "jpeg 60, webp 59, avif 40, jxl 59 < test.yaml:4 sources.photos.quality.save-data"
        #expect(line(first, "cache", "save-data") == lowered)
        #expect(first.section("cache")?["save-data"]?.details.first?.value == .string("\(key)"))
        #expect(line(explainer.explain("/plain/a.jpg?w=9&q=5", accept: both), "cache", "vary") == "Accept")
        let off = explainer.explain("/plain/a.jpg?w=9&q=5", accept: both)
        #expect(line(off, "cache", "avif") == "off < test.yaml:5 sources.plain.avif.auto")
        let lossless = explainer.explain("/photos/a.jpg?lossless=1", accept: both)
        #expect(line(lossless, "cache", "avif") == "never < default of avif.auto")
        let all = both + ",image/jxl"
        let third = explainer.explain("/photos/a.jpg?w=9", accept: all)
        #expect(line(third, "cache", "jxl") == "on < default of formats.jxl")
        #expect(line(third, "cache", "avif") == "1000000 < test.yaml:2 avif.budget")
        #expect(third.section("cache")?["bucket"]?.value == .string("avif-jxl"))
        let exact = explainer.explain("/photos/a.jpg?lossless=1", accept: all)
        #expect(line(exact, "cache", "jxl") == "never < default of formats.jxl")
        let bare = explainer.explain("/plain/a.jpg", accept: both)
        #expect(line(bare, "cache", "vary") == nil && line(bare, "cache", "avif") == nil)
    }

    @Test(arguments: [
        ("/inner/a.jpg?w=1", "block", "private"), ("/open/a.jpg?w=1", "allow", "allow-private"),
        ("/photos/a.jpg?w=1", "allow", "name"),
    ])
    func `shows the address policy's verdict without connecting`(_ target: String, _ verdict: String, _ rule: String)
        throws
    {
        let explanation = try Self.explainer().explain(target)
        let expected = JSONValue.object([.init("verdict", .string(verdict)), .init("rule", .string(rule))])
        #expect(explanation.section("upstream")?["address"]?.value == expected)
        let refusal = verdict == "block" ? Problem(.addressRefused(rule)).ofSource : nil
        #expect(explanation.problem == refusal)
    }

    @Test func `names the file of a folder's source`() throws {
        let explanation = try Self.explainer().explain("/local/b%20c/a.jpg?w=1")
        #expect(line(explanation, "upstream", "file") == "/srv/images/b c/a.jpg < URL path")
        #expect(explanation.problem == nil)
    }

    @Test func `explains refused requests, too`() throws {
        let explainer = try Self.explainer()
        let remote = explainer.explain("/fetch?url=https%3A%2F%2Fother.example%2Fa.png&w=10")
        #expect(remote.problem?.status == 403)
        #expect(line(remote, "upstream", "url") == "https://other.example/a.png < URL parameter url")
        #expect(line(remote, "source", "allow") == "*.example.com < test.yaml:6 remote.allow")
        let original = explainer.explain("/local/a.jpg")
        #expect(original.problem == Problem(403, "This source does not serve its originals.").ofSource)
        #expect(line(original, "source", "originals") == "refuse < test.yaml:17 sources.local.originals")
        #expect(explainer.explain("/fetch?url=https%3A%2F%2Fa.example.com%2Fa.png").problem == nil)
    }

    @Test(arguments: [
        ("/photos/a.jpg?w=1", "", "none, not required", false),
        ("/photos/a.jpg?w=1", "required: true", "missing but required", true),
        ("/photos/a.jpg?w=1&sig=abc", "", "wrong: it does not match path and query as sent", true),
        ("/photos/a.jpg?w=1&SIG", "required: true", "valid, key 1", false),
        ("/photos/a.jpg?w=1&exp=1000&SIG", "", "expired at 1970-01-01T00:16:40Z", true),
        ("/photos/a.jpg?w=1&exp=1000", "", "expired at 1970-01-01T00:16:40Z", true),
        ("/photos/a.jpg?w=1&exp=1000", "required: true", "missing but required", true),
        ("/fetch?url=http%3A%2F%2Fa.example%2F&w=1", "", "missing but required", true),
        ("/fetch?url=http%3A%2F%2Fa.example%2F&w=1&SIG", "", "valid, key 1", false),
        ("/fetch?url=http%3A%2F%2Fimg.good.example%2F&w=1", "", "none, not required", false),
    ])
    func `shows the verdict on a signature`(_ target: String, _ signing: String, _ words: String, _ isRefused: Bool)
        throws
    {
        let yaml = """
            signing: { keys: [00112233445566778899aabbccddeeff], \(signing) }
            remote: { allow: ["*.good.example"] }
            sources: { photos: { url: "https://photos.example.com/" } }
            """
        let explainer = try Self.explainer(yaml, time: ManualTime(wallSeconds: 2_000))
        let signer = RequestSigner(keys: explainer.loaded.configuration.signing.keys)
        let unsigned = target.replacing("&SIG", with: "")
        let parts = unsigned.split(separator: "?")
        let signature = try #require(signer.signature(path: parts[0].utf8, query: parts[1].utf8))
        let explanation = explainer.explain(target.replacing("&SIG", with: "&sig=\(signature)"))
        #expect(explanation.section("signature")?["verdict"]?.words == words)
        #expect(explanation.problem?.status == (isRefused ? 403 : nil))
        // The correct signature must not be shown.
        if !target.contains("SIG") { #expect(!explanation.json.text.contains(signature)) }
    }

    @Test func `cannot verify without a key`() throws {
        let explanation = try Self.explainer("sources: { a: { url: \"https://a.example/\" } }").explain(
            "/a/b?w=1&sig=x"
        )
        #expect(explanation.section("signature")?["verdict"]?.value == .string("unverifiable"))
        #expect(explanation.problem?.parameter == "sig")
    }

    @Test func `recognises constant responses`() throws {
        let explainer = try Self.explainer()
        for target in ["/", "/robots.txt", "/favicon.ico"] {
            #expect(explainer.explain(target).section("request")?["fixed"]?.value == .bool(true))
            #expect(explainer.explain(target).problem == nil)
        }
    }

    @Test func `recognises plain images, and what is refused of them`() throws {
        let explainer = try Self.explainer()
        let target = "/placeholder/30x20/ff8800.png"
        #expect(explainer.explain(target).section("request")?["fixed"]?.value == .bool(true))
        #expect(explainer.explain(target).problem == nil)
        let keys = #expect(throws: Problem.self) { try explainer.keys(of: target) }
        #expect(keys?.detail == "This response is constant and not cached.")
        for (wrong, status) in [
            ("/placeholder/30x20/ff8800.bmp", 400), (target + "?w=1", 400), (target + "?exp=1", 403),
        ] {
            #expect(explainer.explain(wrong).problem?.status == UInt16(status), "\(wrong)")
        }
        let off = try Self.explainer("placeholders: { largest: 0 }")
        #expect(off.explain(target).problem?.status == 404)
    }

    @Test func `shows no secrets, as text or as JSON`() throws {
        for target in [
            "/photos/a.jpg?w=1&exp=1", "/photos/a.jpg?w=1&sig=x", "/photos/a.jpg?w=0", "/local/a.jpg",
            "/fetch?url=http://a.example/",
        ] {
            let explanation = try Self.explainer().explain(target)
            for shown in [explanation.text, explanation.json.document] {
                for secret in ["very-secret", "hidden", "00112233"] { #expect(!shown.contains(secret), "\(shown)") }
            }
        }
    }

    @Test func `cannot be used to control a terminal`() throws {
        let yaml = "sources: { a: { url: \"file:///srv/\\u202ex/\" } }"
        let explanation = try Self.explainer(yaml).explain("/a/%C2%9Bx?filename=%E2%80%AEgnp.exe")
        #expect(explanation.problem?.status == 400 || !explanation.text.unicodeScalars.contains("\u{9B}"))
        #expect(!explanation.text.unicodeScalars.contains("\u{202E}"))
    }

    @Test func `writes valid JSON`() throws {
        let json = try Self.explainer().explain("/photos/a.jpg?w=800").json
        #expect(json.text.hasPrefix("{\"target\":\"/photos/a.jpg?w=800\",\"problem\":null,\"request\":{"))
        #expect(
            json.text.contains(
                "\"frames\":{\"value\":3,\"from\":{\"kind\":\"file\",\"key\":\"sources.photos.limits.frames\""
            )
        )
        #expect(json.document.filter { !$0.isWhitespace } == json.text.filter { !$0.isWhitespace })
    }
}
