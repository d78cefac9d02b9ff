import Foundation
import TestSupport
import Testing
import Yams

@testable import ProxyServer

/// The JSON Schema of the configuration file, judged by a validator of others.
@Suite(.timeLimit(.minutes(1)), .enabled(if: Validators.isEnabled))
struct ConfigurationSchemaTests {
    /// Prints a line for each document: the path of the first mistake, or nothing.
    private static let script = """
        import json, sys, jsonschema
        data = json.load(sys.stdin)
        schema = data["schema"]
        validator = jsonschema.validators.validator_for(schema)
        validator.check_schema(schema)
        for document in data["documents"]:
            error = jsonschema.exceptions.best_match(validator(schema).iter_errors(document))
            print("" if error is None else "/".join(map(str, error.absolute_path)) + ": " + error.message.splitlines()[0])
        """

    /// The first mistake of each document; empty for none.
    private func mistakes(_ documents: [String]) throws -> [String] {
        let values = try documents.map { try Self.json(#require(try compose(yaml: $0), "\($0)")) }
        let input = JSONValue.object([
            .init("schema", ConfigurationSchemaDocument.json), .init("documents", .array(values)),
        ])
        let output = try Validators.run(Self.script, input)
        return output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    /// A document as YAML 1.2's core schema, which editors use, reads it.
    private static func json(_ node: Node) -> JSONValue {
        switch node {
        case .mapping(let map): return .object(map.map { .init($0.key.string ?? "", json($0.value)) })
        case .sequence(let list): return .array(list.map(json))
        case .scalar(let scalar):
            guard [.any, .plain].contains(scalar.style) else { return .string(scalar.string) }
            switch scalar.string {
            case "", "~", "null": return .null
            case "true": return .bool(true)
            case "false": return .bool(false)
            case let text:
                return Int(text).map(JSONValue.number) ?? Double(text).map(JSONValue.decimal) ?? .string(text)
            }
        case .alias: return .null
        }
    }

    /// A commented example of the file, as a map with this entry.
    private static func example(of map: String) throws -> String {
        let lines = try ConfigurationFileTests.text("edgeprint.yaml").split(separator: "\n").drop { $0 != "\(map): {}" }
        let entry = lines.dropFirst().prefix { $0.hasPrefix("#") }.filter { $0.hasPrefix("#  ") }
        return "\(map):\n" + entry.map { $0.dropFirst() }.joined(separator: "\n")
    }

    @Test func `accepts the examples, what the daemon prints, and every shape of value`() throws {
        let documents = [
            try ConfigurationFileTests.text("edgeprint.yaml"), try ConfigurationFileTests.text("edgeprint.dev.yaml"),
            try Self.example(of: "sources"), try Self.example(of: "sites"), Configuration().yaml,
            """
            listen: ["127.0.0.1:1", "unix:/run/e.sock"]
            admin: { listen: off }
            presets: { thumb: "w=200", small: { query: "w=400", cache: memory } }
            remote: { allow: "*.example.com", unsigned: { widths: [320, 640], snap: up, pixels: 4MP } }
            signing: { keys: ["00112233445566778899aabbccddeeff"], required: yes }
            cache: { path: off, memory: 25%, originals: 1.5GiB, variants: 10000000 }
            limits:
            timeouts: { idle: 90s, header: 1500ms }
            workers: { count: "${WORKERS}", sandbox: off }
            keys: { vault: "00" }
            """,
            """
            sources:
              a: { url: "https://x/", ttl: 1d, ttl-max: none, cache: { variants: memory, originals: disk } }
              b: { url: "https://y/", headers: { X-A: 1 }, continue: { past: 75% }, quality: { jpeg: 3, distance: 0.75 } }
              c: { url: "file:///srv", unsigned: any, formats: { pdf: on, avif: off }, fallback: { image: /a, status: 200 } }
            rules:
              - { match: { source: a, path: "x/**", type: [png, jpg], size: { min: 1MiB } }, set: { ttl: 1d, quality: { webp: 3 } } }
              - { match: { request-header: { X-Client: "app/*" } }, set: { deny: true, status: { 403: 404 } }, last: true }
              - { match: { host: "*" }, set: { request-headers: { X-A: b, X-C: null }, priority: low } }
            """,
        ]
        for (mistake, document) in zip(try mistakes(documents), documents) {
            #expect(mistake.isEmpty, "\(mistake) in \(document.prefix(80))")
        }
    }

    /// A mistake, and where the schema must find it.
    private static let wrong: [(text: String, place: String)] = [
        ("listn: 127.0.0.1:8080", ""), ("cache: { memroy: 1GiB }", "cache"), ("cache: 1GiB", "cache"),
        ("cache: { memory: lots }", "cache/memory"), ("cache: { originals: 10 GiB }", "cache/originals"),
        ("cache: { memory-pressure: maybe }", "cache/memory-pressure"), ("limits: { frames: 0 }", "limits/frames"),
        ("limits: { frames: [1] }", "limits/frames"), ("timeouts: { idle: 10 }", "timeouts/idle"),
        ("timeouts: { idle: 10sec }", "timeouts/idle"), ("log: { level: loud }", "log/level"),
        ("workers: { sandbox: strict }", "workers/sandbox"), ("quality: { jpeg: 101 }", "quality/jpeg"),
        ("quality: { distance: 99 }", "quality/distance"), ("sources: { a: { ttl: 1d } }", "sources/a"),
        ("sources: { a: { url: \"x.example.com\" } }", "sources/a/url"),
        ("sources: { a: { url: \"https://x/\", tlt: 1d } }", "sources/a"),
        ("sources: { a: { url: \"https://x/\", quality: { jpg: 3 } } }", "sources/a/quality"),
        ("sources: { a: { url: \"https://x/\", cache: some } }", "sources/a/cache"),
        ("sources: [a]", "sources"), ("rules: [{ mtch: {} }]", "rules/0"),
        ("rules: [{ match: { path: \"a\" }, set: { url: \"https://x/\" } }]", "rules/0/set"),
        ("rules: [{ match: { type: bmpp } }]", "rules/0/match/type"),
        ("sites: { a: { host: [x] } }", "sites/a"), ("presets: { a: { qeury: \"w=1\" } }", "presets/a"),
        ("ladder: { widths: [] }", "ladder/widths"), ("ladder: { dpr: [9] }", "ladder/dpr"),
        ("remote: { unsigned: { width: [1] } }", "remote/unsigned"),
    ]

    @Test func `finds mistakes where they are, all of which the daemon refuses`() throws {
        for (mistake, wrong) in zip(try mistakes(Self.wrong.map(\.text)), Self.wrong) {
            #expect(mistake.hasPrefix(wrong.place + (wrong.place.isEmpty ? ": " : "")), "\(wrong.text): '\(mistake)'")
            #expect(!mistake.isEmpty, "\(wrong.text) is accepted")
            #expect(!problems(wrong.text).isEmpty, "\(wrong.text) is accepted by the daemon")
        }
    }

    @Test func `describes every key, and tells its default`() throws {
        let schema = ConfigurationSchemaDocument.json
        for setting in ConfigurationSchema.root.settings {
            let place = "properties." + setting.name.replacing(".", with: ".properties.")
            let found = try #require(schema[place], "\(setting.name)")
            #expect(found["description"]?.words.hasPrefix(setting.summary) == true, "\(setting.name)")
        }
        #expect(schema["properties.cache.properties.originals.default"] == .string("10GiB"))
        #expect(schema["properties.limits.properties.frames.default"] == .number(256))
    }

    @Test func `is printed by a command, and named by the example and by what init writes`() throws {
        let run = try CommandRun(["check", "--schema"])
        #expect(run.code == 0 && run.output == ConfigurationSchemaDocument.json.document)
        let line = "# yaml-language-server: $schema=/usr/share/edgeprint/edgeprint.schema.json\n"
        #expect(try ConfigurationFileTests.text("edgeprint.yaml").hasPrefix(line))
        let script = try String(contentsOfFile: Checkout.path("scripts/make-deb"), encoding: .utf8)
        #expect(script.contains("check --schema > \"$share/edgeprint/edgeprint.schema.json\""))
    }
}
