import Foundation
import ImagePipeline
import TestSupport
import Testing
import Yams
import LinuxSystem
import OriginTransfer

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct ConfigurationFileTests {
    static let folder = URL(filePath: Checkout.path("config"))

    static func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    }

    @Test func `contains every key with its default`() throws {
        let text = try Self.text("edgeprint.yaml")
        #expect(try load(text) == Configuration())
        let tree = try #require(try compose(yaml: text))
        for setting in ConfigurationSchema.root.settings {
            var node: Node? = tree
            for part in setting.name.split(separator: ".") { node = node?[String(part)] }
            #expect(node != nil, "\(setting.name) is missing")
        }
    }

    @Test func `describes every key in a sentence`() throws {
        var commented = false
        for line in try Self.text("edgeprint.yaml").split(separator: "\n") {
            let trimmed = line.trimmingCharacters(in: .whitespaces)
            if trimmed.hasPrefix("#") {
                commented = true
            } else if !trimmed.hasSuffix(":") {
                #expect(commented, "\(trimmed)")
                commented = false
            }
        }
    }

    @Test func `shows every key of a source with its default`() throws {
        let example = try Self.example(of: "sources")
        let source = try #require(try load(example + "\npresets: { thumb: \"w=1\" }").sources.first)
        var expected = try #require(
            try load("sources: { photos: { url: \"https://photos.example.com/originals/\" } }").sources.first
        )
        expected.preset = "thumb"
        expected.fallback = ConfiguredSource.Fallback(image: "/photos/missing.png", status: 404, ttl: 60)
        expected.rule.credentials = .basic(user: "edge", password: Secret("secret"))
        #expect(source == expected)
        for setting in SourceSchema.table.settings {
            let name = setting.name.split(separator: ".").map(String.init).last ?? ""
            #expect(
                example.contains("\(name):") || example.contains(name + ",") || example.contains(name + " "),
                "\(setting.name)"
            )
        }
    }

    @Test func `shows every key of a site`() throws {
        let example = try Self.example(of: "sites")
        let site = try #require(try load(example).sites.first)
        #expect(
            site.name == "shop" && site.hosts.count == 2 && site.settings.sources.map(\.rule.name) == ["shop/photos"]
        )
        for setting in SiteSchema.table.settings {
            let parts = setting.name.split(separator: ".").map(String.init)
            #expect(example.contains(parts[0]), "\(setting.name)")
            // The sections that override those at the file's top are shown by name.
            if !InheritedSetting.sections.contains(parts[0]), parts[0] != "remote" {
                #expect(example.contains((parts.last ?? "") + ":"), "\(setting.name)")
            }
        }
    }

    /// The commented entry of a map that is empty by default, as a map with this entry.
    private static func example(of map: String) throws -> String {
        let lines = try text("edgeprint.yaml").split(separator: "\n").drop { $0 != "\(map): {}" }.dropFirst()
        let entry = lines.prefix { $0.hasPrefix("#") }.filter { $0.hasPrefix("#  ") }
        return "\(map):\n" + entry.map { $0.dropFirst() }.joined(separator: "\n")
    }

    @Test func `loads the development configuration from any checkout`() throws {
        let text = try Self.text("edgeprint.dev.yaml")
        let configuration = try load(text, environment: ["CHECKOUT": "/home/a b/edgeprint"])
        #expect(configuration.source(named: "demo")?.rule.location == .file(root: "/home/a b/edgeprint/demo"))
        #expect(problems(text).allSatisfy { $0.contains("CHECKOUT is not set") })
    }

    @Test func `prints a file that it can read again`() throws {
        let yaml = """
            listen: ["127.0.0.1:1", "unix:/run/e.sock"]
            admin: { listen: off }
            presets: { thumb: "w=200&h=1", "odd.name-1": "q=5" }
            remote: { allow: ["*.example.com"] }
            cache: { path: "/a \\"b\\" \\\\ $${HOME} \\u00e9", memory: 1500kB }
            timeouts: { idle: 90s, header: 1500ms }
            sources:
              photos: { url: "https://x.example/a", headers: { User-Agent: "1: 2 # 3" }, ttl-max: 1d, preset: thumb, forward-query: [v] }
              files: { url: "file:///srv/a%20b", quality: { jpeg: 3 } }
            """
        let configuration = try load(yaml)
        #expect(try load(configuration.yaml) == configuration)
        #expect(try load(Configuration().yaml) == Configuration())
    }

    @Test func `prints no secrets`() throws {
        let configuration = try load(
            """
            admin: { token: hunter2 }
            sources:
              a: { url: "https://x/", headers: { Authorization: "hunter2", X-Api-Key: hunter2, X-Odd: "Bearer hunter2", X-Origin-Verify: hunter2, Accept: visible } }
            """
        )
        #expect(!configuration.yaml.contains("hunter2"))
        #expect(configuration.yaml.contains("visible"))
        #expect(configuration.yaml.contains("token: \"[redacted]\""))
        #expect(!"\(configuration.admin)".contains("hunter2"))
        var dumped = ""
        dump(configuration.admin, to: &dumped)
        #expect(!dumped.contains("hunter2"))
    }
}
