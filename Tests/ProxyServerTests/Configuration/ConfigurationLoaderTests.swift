import HTTPKit
import ImagePipeline
import ImagePlan
import Testing
import LinuxSystem
import OriginTransfer

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct ConfigurationLoaderTests {
    @Test func `has the documented defaults`() throws {
        let configuration = try load()
        #expect(configuration == Configuration())
        #expect(configuration.listen == [ListenAddress("127.0.0.1:8080")])
        #expect(configuration.cache.memorySize == .automatic)
        #expect(configuration.limits.origin.pixels == 50_000_000)
        #expect(configuration.timeouts.idle == 60_000)
        #expect(try load("") == configuration)
        #expect(try load("# nothing\n") == configuration)
    }

    @Test func `reads every section of the file`() throws {
        let configuration = try load(
            """
            listen: ["127.0.0.1:1", "[::1]:2", "unix:/run/e.sock"]
            admin: { listen: off, token: secret }
            remote: { allow: ["*.example.com", img.example.org], allow-private: true }
            cache: { path: /c, memory: 1.5GiB, originals: 2GB, variants: 3000000 }
            limits: { pixels: 10MP, frames: 3, source-bytes: 2kB, redirects: 0, connections: 4, waiters: 5, queue: 6 }
            timeouts: { header: 1s, idle: 2s, write: 3s, connect: 400ms, first-byte: 1.5s, total: 1m, transform: 1h }
            shutdown: { grace: 0 }
            quality: { jpeg: 1, webp: 2, avif: 100 }
            log: { format: text, level: debug, access: off }
            presets: { a: "w=1", b: 'h=2&q=3' }
            workers: { count: 3, memory: 1GiB, rss: 100MiB, jobs: 9 }
            """
        )
        #expect(configuration.listen.map(\.description) == ["127.0.0.1:1", "[::1]:2", "unix:/run/e.sock"])
        #expect(configuration.admin.listen == [])
        #expect(configuration.admin.token.value == "secret")
        #expect(configuration.remote.allow.map(\.text) == ["*.example.com", "img.example.org"])
        #expect(configuration.remote.allowPrivate)
        #expect(
            configuration.cache
                == Configuration.Cache(
                    path: "/c",
                    memorySize: .bytes(3 << 29),
                    originals: 2_000_000_000,
                    variants: 3_000_000
                )
        )
        #expect(
            configuration.limits.origin
                == SourceRule.Limits(pixels: 10_000_000, frames: 3, sourceBytes: 2_000, redirects: 0)
        )
        #expect(
            [configuration.limits.connections, configuration.limits.waiters, configuration.limits.queue] == [4, 5, 6]
        )
        let timeouts = configuration.timeouts
        #expect([timeouts.header, timeouts.idle, timeouts.write] == [1_000, 2_000, 3_000])
        #expect(
            timeouts.origin
                == SourceRule.Timeouts(connect: 400, firstByte: 1_500, total: 60_000, transform: 3_600_000)
        )
        #expect(configuration.shutdown.grace == 0)
        #expect(configuration.quality == QualityDefaults(jpeg: 1, webp: 2, avif: 100))
        #expect(configuration.log == Configuration.Log(format: .text, level: .debug, access: false))
        #expect(configuration.presets.map(\.name) == ["a", "b"])
        #expect(configuration.preset(named: "b")?.text == "h=2&q=3")
        #expect(configuration.workers == Configuration.Workers(count: 3, memory: 1 << 30, rss: 100 << 20, jobs: 9))
    }

    @Test func `reads libwebp's options, for every source`() throws {
        let file = """
            webp: { method: 4, sns-strength: 70, filter-type: 0, use-sharp-yuv: true, lossless: true, thread-level: 0 }
            sources: { a: { url: "https://a.example/", quality: { webp: 50 } } }
            """
        let configuration = try load(file, environment: ["EDGEPRINT_WEBP_SNS_STRENGTH": "71"])
        var expected = WebPOptions()
        (expected.method, expected.snsStrength, expected.filterType) = (4, 71, 0)
        (expected.useSharpYUV, expected.lossless) = (true, true)
        #expect(configuration.quality == QualityDefaults(webpOptions: expected))
        #expect(configuration.sources.first?.rule.quality == QualityDefaults(webp: 50, webpOptions: expected))
    }

    @Test func `the environment overrides the file, and flags override both`() throws {
        let file = "cache: { path: /file, memory: 1MiB, variants: 5MiB }\nlog: { access: on }"
        let environment = [
            "EDGEPRINT_CACHE_PATH": "/environment", "EDGEPRINT_CACHE_MEMORY": "2MiB", "EDGEPRINT_LOG_ACCESS": "off",
            "EDGEPRINT_LIMITS_SOURCE_BYTES": "3MiB", "HOME": "/nowhere",
        ]
        let flags = ConfigurationLoader.Flags(listen: "127.0.0.1:1, 127.0.0.1:2", admin: "off", cachePath: "/flag")
        let configuration = try load(file, environment: environment, flags: flags)
        #expect(configuration.cache.path == "/flag")
        #expect(configuration.cache.memorySize == .bytes(2 << 20))
        #expect(configuration.cache.variants == 5 << 20)
        #expect(!configuration.log.access)
        #expect(configuration.limits.origin.sourceBytes == 3 << 20)
        #expect(configuration.listen.map(\.description) == ["127.0.0.1:1", "127.0.0.1:2"])
        #expect(configuration.admin.listen == [])
    }

    @Test func `splits lists in the environment at commas`() throws {
        let allow = try load(environment: ["EDGEPRINT_REMOTE_ALLOW": "a.example, *.b.example"]).remote.allow
        #expect(allow.map(\.text) == ["a.example", "*.b.example"])
        #expect(
            try load("remote: { allow: a.example }", environment: ["EDGEPRINT_REMOTE_ALLOW": ""]).remote.allow.isEmpty
        )
    }

    @Test func `finds the file by flag, else by variable, else at the default path`() throws {
        func memory(flag: String?, variable: String?) throws -> Int {
            let files = ["flag": "1MiB", "variable": "2MiB", ConfigurationLoader.standardPath: "3MiB"]
            let loader = ConfigurationLoader(
                environment: variable.map { ["EDGEPRINT_CONFIG": $0] } ?? [:],
                flags: ConfigurationLoader.Flags(config: flag)
            ) { path throws(ConfigurationProblem) in
                files[path].map { "cache: { memory: \($0) }" }
            }
            return try loader.load().memoryPlan.cache >> 20
        }
        #expect(try memory(flag: "flag", variable: "variable") == 1)
        #expect(try memory(flag: nil, variable: "variable") == 2)
        #expect(try memory(flag: nil, variable: "") == 3)
        #expect(try memory(flag: nil, variable: nil) == 3)
    }

    @Test func `a missing file is an error only if it was named`() {
        #expect(problems(flags: .init(config: "absent.yaml")) == ["absent.yaml: there is no such file"])
        #expect(problems(environment: ["EDGEPRINT_CONFIG": "absent.yaml"]) == ["absent.yaml: there is no such file"])
    }

    @Test func `replaces variables in values`() throws {
        let yaml = "admin: { token: \"${TOKEN}-x\" }\ncache: { path: \"$${A}/$b\" }"
        let configuration = try load(yaml, environment: ["TOKEN": "${not again}".replacing(" ", with: "-")])
        #expect(configuration.admin.token.value == "${not-again}-x")
        #expect(configuration.cache.path == "${A}/$b")
        #expect(
            problems("cache:\n  path: \"${NO_SUCH}/a\"") == [
                "test.yaml:2: cache.path: the environment variable NO_SUCH is not set"
            ]
        )
        #expect(problems("cache: { path: \"${A\" }").count == 1)
        #expect(problems("cache: { path: \"${A-B}\" }", environment: ["A-B": "x"]).count == 1)
    }

    @Test func `every variable has a unique name`() {
        let names = ConfigurationSchema.root.settings.map { EnvironmentLayer.name(of: $0.name) }
        #expect(Set(names).count == names.count)
        #expect(EnvironmentLayer.name(of: "limits.source-bytes") == "EDGEPRINT_LIMITS_SOURCE_BYTES")
    }
}
