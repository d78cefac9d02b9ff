import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct ConfigurationProblemTests {
    private static func rawSource(_ keys: String) -> String {
        "sources: { a: { url: \"https://x/\", raw: true, \(keys) } }"
    }

    @Test(arguments: [
        ("cache:\n  memroy: 1MiB", "test.yaml:2: cache.memroy: is not a known key; did you mean cache.memory?"),
        ("memory: 1MiB", "test.yaml:1: memory: is not a known key; did you mean cache.memory?"),
        ("cahce: { memory: 1MiB }", "test.yaml:1: cahce: is not a known key; did you mean cache?"),
        ("zzz: 1", "test.yaml:1: zzz: is not a known key"),
        ("cache.memory: 1MiB", "test.yaml:1: cache.memory: must be written as nested maps, without dots"),
        ("limits: [1]", "test.yaml:1: limits: expected a map of keys"),
        (
            "\n\nlisten: 5",
            "test.yaml:3: listen: expected HOST:PORT with a numeric host or localhost, or unix:/PATH, found '5'"
        ),
        ("listen: []", "test.yaml:1: listen: is empty"),
        ("listen: [\"127.0.0.1:1\", \"127.0.0.1:1\"]", "test.yaml:1: listen: contains a duplicate"),
        ("listen: example.com:80", "example.com:80"), ("listen: 127.0.0.1:65536", "65536"),
        ("listen: unix:x", "unix:x"),
        ("log: { format: xml }", "test.yaml:1: log.format: expected one of json, text, found 'xml'"),
        ("log: { access: }", "test.yaml:1: log.access: expected on or off, found nothing"),
        ("quality: { jpeg: 0 }", "expected a whole number from 1 to 100, found '0'"),
        ("quality: { jpeg: 80.5 }", "found '80.5'"), ("quality: { jpeg: -1 }", "found '-1'"),
        ("quality: { distance: 0 }", "from 0.1 to 10, found '0'"), ("quality: { distance: 10.001 }", "found '10.001'"),
        ("quality: { distance: 0.5001 }", "found '0.5001'"),
        ("webp: { method: 7 }", "webp.method: expected a whole number from 0 to 6, found '7'"),
        ("webp: { segments: 0 }", "from 1 to 4"), ("webp: { pass: 11 }", "from 1 to 10"),
        ("webp: { target-psnr: 100 }", "from 0 to 99"), ("webp: { exact: 2 }", "webp.exact"),
        ("webp: { thread-level: 1 }", "webp.thread-level: is not supported"),
        ("webp: { snsStrength: 1 }", "did you mean webp.sns-strength?"),
        ("cache: { memory: 1 GiB }", "found '1 GiB'"), ("cache: { memory: 1gib }", "found '1gib'"),
        ("cache: { memory: -1 }", "found '-1'"), ("cache: { memory: 99999999TiB }", "found '99999999TiB'"),
        ("cache: { memory: 0.3B }", "found '0.3B'"), ("cache: { path: \"\" }", "found an empty string"),
        ("timeouts: { idle: 10 }", "found '10'"), ("timeouts: { idle: 0 }", "found '0'"),
        ("timeouts: { idle: 2h }", "found '2h'"),
        ("remote: { allow: [\"a b\"] }", "found 'a b'"), ("presets: { a: 1, b: [] }", nil),
        ("presets: { none: \"w=1\" }", "presets.none"),
        ("presets:\n  a: \"w=1\"\n  b: \"nope=1\"", "test.yaml:3: presets.b: nope"),
        (
            "presets:\n  a: \"w=1&watermark=logos/a.png\"",
            "test.yaml:2: presets.a: watermark: there is no source 'logos'"
        ),
        (
            "sources: { logos: { url: \"http://a.test/\", raw: true } }\npresets:\n  a: \"mask=logos/a.png\"",
            "test.yaml:3: presets.a: mask: source 'logos' is raw"
        ),
        (
            "presets: { a: \"watermark=text:x,,,,,,,comic\" }",
            "watermark: there is no font 'comic'; fonts: sans, serif"
        ),
        (rawSource("methods: [POST, TRACE]"), "test.yaml:1: sources.a.methods: TRACE is never forwarded"),
        (rawSource("methods: connect"), "sources.a.methods: CONNECT is never forwarded"),
        (rawSource("methods: [post]"), "did you mean POST?"),
        (rawSource("methods: [\"A B\"]"), "expected a method such as POST, found 'A B'"),
        (rawSource("set-cookie: keep"), "expected one of refuse, store, found 'keep'"),
        (
            "sources: { a: { url: \"https://x/\", methods: [POST] } }",
            "sources.a.methods: only applies to raw sources (raw: true)"
        ),
        (
            "sources: { a: { url: \"https://x/\", set-cookie: store } }",
            "sources.a.set-cookie: only applies to raw sources (raw: true)"
        ),
        ("fonts: [\"a<b\"]", "test.yaml:1: fonts: expected a font family's name"),
        ("limits: { auxiliaries: 9 }", "expected a whole number from 0 to 8, found '9'"),
        ("sources: []", "test.yaml:1: sources: expected a map of sources"),
        ("- a", "test.yaml:1: a configuration must be a map of keys"),
        ("a: [1", "test.yaml:2: is not valid YAML"), ("a: 1\n b: 2", "test.yaml:2: is not valid YAML"),
        ("a: b: c", "test.yaml:1: is not valid YAML"),
        ("a: 1\n---\nb: 2", "test.yaml:2: is not valid YAML"), ("\tx: 1", "is not valid YAML"),
        ("x: *a", "test.yaml:1: is not valid YAML"),
        ("? [a]\n: 1", "a key must be a plain name"),
        ("cache:\n  memory: 1\n  path: /a\n  memory: 2", "test.yaml:4: cache.memory: is repeated"),
        ("sources: { a: { \"url\": x, ttl: 1s, 'url': y } }", "test.yaml:1: sources.a.url: is repeated"),
        ("a: 1\r\nb: 2\r\nb: 3\r\na: 4", "test.yaml:3: b: is repeated"),
    ])
    func `names key and line`(yaml: String, expected: String?) {
        let found = problems(yaml)
        #expect(found.count >= 1)
        if let expected { #expect(found.first?.contains(expected) == true, "\(found)") }
    }

    @Test func `collects every problem of every layer, the file's by line`() {
        let found = problems(
            """
            sources:
              a: { url: "ftp://x/" }
            limits: { pixels: 0, frames: x }
            log: { level: loud }
            """,
            environment: ["EDGEPRINT_QUALITY_JPEG": "900", "EDGEPRINT_NO_SUCH": "1", "EDGEPRINT_SOURCES": "x"],
            flags: .init(listen: "nowhere")
        )
        let prefixes = [
            "test.yaml:2: sources.a.url: ", "test.yaml:3: limits.pixels: ", "test.yaml:3: limits.frames: ",
            "test.yaml:4: log.level: ", "environment EDGEPRINT_NO_SUCH: is not a known variable",
            "environment EDGEPRINT_QUALITY_JPEG: quality.jpeg: ", "environment EDGEPRINT_SOURCES: sources: is a map",
            "flag --listen: listen: ",
        ]
        #expect(found.count == prefixes.count)
        for (line, prefix) in zip(found, prefixes) { #expect(line.hasPrefix(prefix), "\(line)") }
    }

    @Test func `placeholder is headers or none`() throws {
        let found = problems("sources: { a: { url: \"https://x/\", placeholder: body } }")
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("test.yaml:1: sources.a.placeholder: ") == true, "\(found)")
        #expect(problems("sources: { a: { url: \"https://x/\", placeholder: headers } }").isEmpty)
        let raw = problems("sources: { a: { url: \"https://x/\", raw: true, placeholder: headers } }")
        #expect(raw.count == 1 && raw.first?.contains("sources.a.placeholder") == true, "\(raw)")
    }

    @Test(arguments: [
        ("signing: { required: true }", "signing.required: requires signing.keys"),
        ("signing: { rate: 5 }", "signing.rate: requires signing.keys"),
        ("signing: { keys: [\"c0ffee\"] }", "signing.keys: expected a key of 32 to 256 hexadecimal digits"),
        ("signing: { keys: [\"\(String(repeating: "xy", count: 32))\"] }", "signing.keys: expected a key"),
        ("proxies: { proxy-protocol: on }", "proxies.proxy-protocol: requires proxies.trust"),
        ("answers: { accel-redirect: { prefix: /a } }", "answers.accel-redirect.prefix: expected off, or a path"),
        ("answers: { accel-redirect: { prefix: /a/ } }", "answers.accel-redirect.prefix: requires proxies.trust"),
        (
            "answers: { accel-redirect: { prefix: /a/ } }\nproxies: { trust: [unix] }\ncache: { path: off }",
            "answers.accel-redirect.prefix: requires cache.path"
        ),
        (
            "answers: { accel-redirect: { from: 1MiB } }",
            "answers.accel-redirect.from: requires answers.accel-redirect.prefix"
        ),
        ("purge: { allow: [10.0.0.1/8] }", "purge.allow: expected an address"),
        ("purge: { allow: [10.0.0.0/33] }", "purge.allow: expected an address"),
        ("purge: { allow: [example.com] }", "purge.allow: expected an address"),
    ])
    func `reports contradictions of signing, purging and proxies`(yaml: String, start: String) {
        let found = problems(yaml)
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("test.yaml:1: \(start)") == true, "\(found)")
        #expect(found.first?.contains("c0ffee") == false)
    }

    @Test func `accepts an unsupported key at its default`() {
        let yaml = """
            signing: { keys: [], required: false }
            remote: { raw: false }
            purge: { allow: [] }
            sources: { a: { url: "https://x/", raw: no, cache: all } }
            """
        #expect(problems(yaml).isEmpty)
        #expect(problems(environment: ["EDGEPRINT_SIGNING_KEYS": "", "EDGEPRINT_SIGNING_REQUIRED": "false"]).isEmpty)
    }

    @Test(arguments: [
        ("127.0.0.1:9", "", true), ("127.1.2.3:9", "", true), ("[::1]:9", "", true), ("localhost:9", "", true),
        ("unix:/run/a.sock", "", true), ("off", "", true), ("0.0.0.0:9", "", false), (":9", "", false),
        ("[::]:9", "", false),
        ("10.0.0.1:9", "", false), ("0.0.0.0:9", "t", true), ("1.127.0.1:9", "", false),
    ])
    func `requires a token if other machines can connect`(address: String, token: String, isFine: Bool) {
        let found = problems("admin: { listen: \"\(address)\", token: \"\(token)\" }")
        #expect(found.isEmpty == isFine)
        if !isFine {
            #expect(found == ["test.yaml:1: admin.token: is required if admin.listen is not loopback or a Unix socket"])
        }
    }

    @Test func `refuses the same address for both listeners`() {
        #expect(
            problems("listen: 127.0.0.1:8081").first?.contains("is also the address of the public listener") == true
        )
        #expect(problems("listen: 127.0.0.1:0\nadmin: { listen: 127.0.0.1:0 }").isEmpty)
    }

    @Test func `errors contain no secrets`() {
        let yaml = """
            admin: { token: "hunter 2" }
            sources: { a: { url: "https://user:hunter2@x/", headers: { Authorization: ["hunter2"], "X-A": "hunter2\\n" } } }
            """
        let found = problems(yaml)
        #expect(found.count == 4)
        #expect(!found.joined().contains("hunter"))
    }

    @Test func `limits the size of the file`() {
        let laughs = (1...9).map { "l\($0): &l\($0) [*l\($0 - 1), *l\($0 - 1), *l\($0 - 1), *l\($0 - 1), *l\($0 - 1)]" }
        let found = problems("l0: &l0 [1, 2, 3, 4, 5]\n" + laughs.joined(separator: "\n"))
        #expect(found.contains { $0.contains("more than 20000 values") })
    }

    @Test func `ignores the variables that Kubernetes sets for a service of this name, but no misspelt ones`() {
        let links = [
            "EDGEPRINT_SERVICE_HOST": "10.0.0.1", "EDGEPRINT_SERVICE_PORT": "80", "EDGEPRINT_SERVICE_PORT_HTTP": "80",
            "EDGEPRINT_PORT": "tcp://10.0.0.1:80", "EDGEPRINT_PORT_80_TCP": "tcp://10.0.0.1:80",
            "EDGEPRINT_PORT_80_TCP_PROTO": "tcp", "EDGEPRINT_PORT_80_TCP_PORT": "80",
            "EDGEPRINT_PORT_80_TCP_ADDR": "10.0.0.1", "EDGEPRINT_PORT_53_UDP": "udp://10.0.0.1:53",
        ]
        #expect(problems("{}", environment: links).isEmpty)
        for name in ["EDGEPRINT_PORTS", "EDGEPRINT_PORT_X", "EDGEPRINT_PORT_80", "EDGEPRINT_SERVICE"] {
            #expect(problems("{}", environment: [name: "1"]).count == 1, "\(name)")
        }
    }

    @Test func `refuses excessive times`() {
        #expect(
            problems("negative: { missing: 1000000d }").first?.contains("negative.missing: expected a time") == true
        )
        #expect(problems("negative: { missing: 36500d }").isEmpty)
    }

    @Test func `errors do not contain a secret in the wrong place`() {
        let texts = [
            "sources: { a: { url: \"https://x/\", headers: \"Authorization: Bearer hunter2\" } }",
            "sources: { a: { url: \"s3://pics/\", region: r, auth: { access-key: \"hunter2/\", secret-key: A } } }",
        ]
        for text in texts { #expect(!problems(text).isEmpty && !problems(text).joined().contains("hunter2")) }
    }
}
