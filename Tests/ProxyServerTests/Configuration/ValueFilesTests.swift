import ImagePipeline
import Testing
import LinuxSystem
import OriginTransfer

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct ValueFilesTests {
    private static let key = String(repeating: "ab", count: 16)
    private static let other = String(repeating: "cd", count: 16)

    private func outcome(
        _ yaml: String,
        _ files: [String: String],
        environment: [String: String] = [:]
    ) -> Result<Configuration, ConfigurationError> {
        let loader = ConfigurationLoader(
            environment: environment,
            flags: ConfigurationLoader.Flags(config: "/etc/e/e.yaml")
        ) { path throws(ConfigurationProblem) in path == "/etc/e/e.yaml" ? yaml : files[path] }
        return Result { () throws(ConfigurationError) in try loader.load() }
    }

    private func problem(_ yaml: String, _ files: [String: String], environment: [String: String] = [:]) -> String {
        guard case .failure(let error) = outcome(yaml, files, environment: environment) else { return "" }
        return error.description
    }

    @Test func `reads a value from a relative or absolute path`() throws {
        let found = try outcome(
            """
            admin: { token: !file token }
            signing: { keys: !file /run/keys }
            sources: { a: { url: "https://a.example/", headers: { X-Key: !file "/run/${NAME}" } } }
            """,
            ["/etc/e/token": "hunter2\n", "/run/keys": "\(Self.key)\r\n\(Self.other)\n", "/run/x y": "v w"],
            environment: ["NAME": "x y"]
        ).get()
        #expect(found.admin.token.value == "hunter2")
        #expect(found.signing.keys.map(\.bytes.first) == [0xAB, 0xCD])
        #expect(found.sources.first?.rule.headers.first?.value == "v w")
        #expect(!found.yaml.contains("hunter2") && !found.yaml.contains(Self.key) && !found.yaml.contains("v w"))
    }

    @Test func `reads a list's entries from files`() throws {
        let keys = try outcome("signing: { keys: [!file k1, \(Self.other)] }", ["/etc/e/k1": Self.key]).get().signing
            .keys
        #expect(keys.map(\.bytes.first) == [0xAB, 0xCD])
    }

    @Test func `reads the file that a variable names`() throws {
        let found = try outcome(
            "{}",
            ["/run/token": "hunter2\n", "/run/keys": Self.key],
            environment: ["EDGEPRINT_ADMIN_TOKEN_FILE": "/run/token", "EDGEPRINT_SIGNING_KEYS_FILE": "/run/keys"]
        ).get()
        #expect(found.admin.token.value == "hunter2" && found.signing.keys.count == 1)
    }

    @Test(arguments: [
        ("/run/none", "/run/none: there is no such file"), ("/run/empty", "/run/empty is empty"),
        ("/run/blank", "/run/blank is empty"),
        ("\"\"", "!file requires a path"), ("/run/long", "/run/long is larger than 64 KiB"),
        ("/run/bad", "expected visible ASCII"),
        ("/run/two", "expected visible ASCII"),
    ])
    func `reports an invalid file without its content`(path: String, message: String) {
        let found = problem(
            "log: {}\nadmin: { token: !file \(path) }",
            [
                "/run/empty": "", "/run/blank": "\n\n", "/run/long": String(repeating: "a", count: 70_000),
                "/run/bad": "hunter2 hunter3",
                "/run/two": "hunter2\nhunter3\n",
            ]
        )
        #expect(found.hasPrefix("/etc/e/e.yaml:2: admin.token: ") && found.contains(message), "\(found)")
        #expect(!found.contains("hunter") && !found.contains("\n"), "\(found)")
    }

    @Test func `reports an unknown tag, and a value that is set twice`() {
        #expect(
            problem("admin: { token: !vault x }", [:]).hasPrefix(
                "/etc/e/e.yaml:1: admin.token: !vault is not a known tag"
            )
        )
        #expect(problem("cache: { path: !!str /a }", [:]) == "")
        let twice = problem(
            "{}",
            ["/t": "a"],
            environment: ["EDGEPRINT_ADMIN_TOKEN": "b", "EDGEPRINT_ADMIN_TOKEN_FILE": "/t"]
        )
        #expect(twice.contains("EDGEPRINT_ADMIN_TOKEN_FILE: admin.token: is set twice"), "\(twice)")
        #expect(problem("{}", [:], environment: ["EDGEPRINT_NONE_FILE": "/t"]).contains("is not a known variable"))
    }

    @Test(arguments: [
        ("log: { level: debugg }", "did you mean debug?"), ("log: { level: WARNING }", "did you mean warning?"),
        ("sources: { a: { url: \"https://x/\", ttl-mn: 1s } }", "did you mean sources.a.ttl-min?"),
        ("presets: { p: \"witdh=3\" }", "presets.p: witdh: is not a known parameter"),
        ("presets: { p: \"fromat=png\" }", "did you mean format?"),
        ("limts: {}", "did you mean limits?"),
    ])
    func `suggests the nearest name`(yaml: String, text: String) {
        let found = problem(yaml, [:])
        #expect(found.contains(text), "\(found)")
    }
}
