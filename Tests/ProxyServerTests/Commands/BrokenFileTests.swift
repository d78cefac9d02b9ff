import Foundation
import TestSupport
import Testing

/// `edgeprint check` on invalid files: each is rejected with key and line.
@Suite(.timeLimit(.minutes(2)))
struct BrokenFileTests {
    private static let key = String(repeating: "5e", count: 16)

    /// The content of a file, and the required part of the message: line and key first.
    private static let files: [(content: String, found: String)] = [
        ("cache: [", "is not valid YAML"), ("cache:\n\tmemory: 1MiB", ":2: is not valid YAML"),
        ("a: b: c", ":1: is not valid YAML"),
        ("- a\n- b", "a configuration must be a map of keys"), ("just text", "a configuration must be a map of keys"),
        ("cache: { memory: 1MiB }\ncache: { path: /a }", ":2: cache: is repeated"),
        ("listen: 127.0.0.1:1\nlimits:\n  pixels: 1\n  pixels: 2", ":4: limits.pixels: is repeated"),
        ("[a]: 1", ":1: a key must be a plain name"), ("a: &x [*x]", "is not valid YAML: found undefined alias"),
        ("cahce: {}", ":1: cahce: is not a known key; did you mean cache?"),
        ("cache:\n  memroy: 1MiB", ":2: cache.memroy: is not a known key; did you mean cache.memory?"),
        ("cache.memory: 1MiB", ":1: cache.memory: must be written as nested maps"),
        ("memory: 1MiB", "did you mean cache.memory?"),
        ("cache: 5", ":1: cache: expected a map of keys"),
        ("cache: { memory: lots }", ":1: cache.memory: expected a size such as 256MiB"),
        ("cache: { memory: -1 }", ":1: cache.memory: expected a size"),
        ("cache: { memory: 1XB }", ":1: cache.memory: expected a size"),
        ("cache: { originals: 1 }", ":1: cache.originals: expected a size such as 256MiB, from 1MiB"),
        ("timeouts:\n  idle: 60", ":2: timeouts.idle: expected a time such as 500ms or 10s"),
        ("timeouts: { idle: 0s }", ":1: timeouts.idle: expected a time"),
        ("limits: { queue: 1.5 }", ":1: limits.queue: expected a whole number"),
        ("limits: { pixels: 50 megapixels }", ":1: limits.pixels: expected"),
        ("quality: { jpeg: 101 }", ":1: quality.jpeg: expected a whole number"),
        ("log: { level: debugg }", ":1: log.level: expected one of"),
        ("log: { access: maybe }", ":1: log.access: expected on or off"),
        ("listen: 8080", ":1: listen: expected HOST:PORT"), ("listen: []", ":1: listen: is empty"),
        ("listen: example.com:80", ":1: listen: expected HOST:PORT"),
        ("listen: [127.0.0.1:1, 127.0.0.1:1]", ":1: listen: contains a duplicate"),
        ("admin: { listen: 0.0.0.0:81 }", ":1: admin.token: is required"),
        (
            "listen: 127.0.0.1:81\nadmin: { listen: 127.0.0.1:81 }",
            ":2: admin.listen: is also the address of the public listener"
        ),
        ("admin: { token: !file /nowhere/token }", ":1: admin.token: /nowhere/token: there is no such file"),
        ("admin: { token: \"two words\" }", ":1: admin.token: expected visible ASCII"),
        ("admin: { token: \"${UNSET_HERE}\" }", ":1: admin.token: the environment variable UNSET_HERE is not set"),
        ("signing: { keys: [\(key)zz] }", ":1: signing.keys: expected a key"),
        ("signing: { required: true }", ":1: signing.required: requires signing.keys"),
        ("sources: { a: {} }", ":1: sources.a: has no url"),
        ("sources: { fetch: { url: \"https://x/\" } }", ":1: sources.fetch: is reserved"),
        ("sources: { A_b: { url: \"https://x/\" } }", ":1: sources.A_b: is not a valid source name"),
        ("sources:\n  a: { url: \"gopher://x/\" }", ":2: sources.a.url: expected"),
        ("sources: { a: \"https://x/\" }", ":1: sources.a: expected a map"),
        (
            "sources: { a: { url: \"https://x/\", ttl-min: 2d, ttl-max: 1d } }",
            ":1: sources.a.ttl-min: is more than ttl-max"
        ),
        (
            "sources: { a: { url: \"https://x/\", forward-query: [w] } }",
            ":1: sources.a.forward-query: contains a parameter"
        ),
        ("sources: { a: { url: \"https://x/\", headers: { Host : \"a\\nb\" } } }", ":1: sources.a.headers.Host"),
        ("sources: { a: { url: \"https://x/\", preset: none-such } }", ":1: sources.a.preset: there is no preset"),
        (
            "sources:\n  a:\n    url: \"https://x/\"\n    auth: { bearer: \"\(key) \" }",
            ":4: sources.a.auth.bearer: expected visible ASCII"
        ),
        ("sources:\n  a:\n    url: \"s3://pics/\"", ":3: sources.a.url: requires the bucket's region"),
        ("presets: { p: \"w=9999999\" }", ":1: presets.p: "), ("presets: { p: \"preset=q\" }", ":1: presets.p: "),
        ("presets:\n  p: \"w=1\"\n  q: \"hight=2\"", ":3: presets.q: hight: is not a known parameter"),
        ("purge: { allow: [10.0.0.1/8] }", ":1: purge.allow: expected an address"),
        ("proxies: { proxy-protocol: on }", ":1: proxies.proxy-protocol: requires proxies.trust"),
        ("remote: { allow: [\"http://x/\"] }", ":1: remote.allow: expected a host"),
        (
            "sources:\n  a:\n    url: \"https://x/\"\n    raw: true\n    originals: clean",
            ":5: sources.a.originals: has no effect with raw: true"
        ),
        (
            "sources: { a: { url: \"https://x/\", raw: true, fallback: { image: /a/b } } }",
            ":1: sources.a.fallback.image: has no effect with raw: true"
        ),
        ("sources: { a: { url: \"file:///x\", raw: true } }", ":1: sources.a.raw: requires an http:// or https:// url"),
    ]

    private func check(_ bytes: Data) throws -> (run: CommandRun, path: String) {
        let folder = try TemporaryFolder()
        let path = folder.path + "/edgeprint.yaml"
        try bytes.write(to: URL(fileURLWithPath: path))
        return (try CommandRun(["check", "--config", path]), path)
    }

    @Test func `there are more than thirty`() { #expect(Self.files.count > 30) }

    @Test(arguments: files.indices)
    func `is refused with line and key`(index: Int) throws {
        let (content, found) = Self.files[index]
        let (run, path) = try check(Data(content.utf8))
        #expect(run.code == 1, "\(content): \(run)")
        #expect(run.output.isEmpty)
        let lines = run.errors.split(separator: "\n")
        #expect(
            lines.contains { $0.hasPrefix("edgeprint: \(path)") && $0.contains(found) },
            "\(content): \(run.errors)"
        )
        #expect(lines.allSatisfy { $0.hasPrefix("edgeprint: ") }, "\(run.errors)")
        #expect(!run.errors.contains(Self.key))
    }

    @Test func `is refused if it is not text, too large, a folder, or missing`() throws {
        #expect(try check(Data([0xFF, 0xFE, 0x00])).run.errors.contains("is not UTF-8"))
        #expect(try check(Data("cache: {}\n\0".utf8)).run.errors.contains("is not valid YAML"))
        #expect(
            try check(Data(repeating: UInt8(ascii: "#"), count: 5 << 20)).run.errors.contains("is larger than 4 MiB")
        )
        for path in ["/", "/nowhere/edgeprint.yaml"] {
            let run = try CommandRun(["check", "--config", path])
            #expect(run.code == 1 && run.errors.hasPrefix("edgeprint: \(path): "), "\(run.errors)")
        }
    }

    @Test func `is refused if nested aliases would exhaust memory`() throws {
        var text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...9 {
            text += "a\(level): &a\(level) [\((0..<10).map { _ in "*a\(level - 1)" }.joined(separator: ", "))]\n"
        }
        let run = try check(Data(text.utf8)).run
        #expect(run.code == 1 && run.errors.contains("values"), "\(run.errors.prefix(500))")
    }

    @Test func `a byte order mark does no harm`() throws {
        let run = try check(Data("\u{FEFF}cache: { memory: 1MiB }\n".utf8)).run
        #expect(run.code == 0 && run.output.contains("memory: 1MiB"), "\(run)")
    }
}
