import ImagePipeline
import ImagePlan
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct InheritedSettingTests {
    /// Each setting with three values: the default, one for the file's top and one for the source.
    private static let examples: [String: (standard: String, top: String, own: String)] = [
        "offline": ("false", "true", "false"), "limits.pixels": ("50MP", "40MP", "30MP"),
        "brownout": ("off", "on", "off"), "brownout-original": ("512KiB", "1MiB", "0"),
        "recompress-after": ("3", "5", "0"), "jxl-originals": ("off", "on", "off"), "limits.frames": ("256", "9", "8"),
        "limits.animation": ("50MP", "40MP", "30MP"), "limits.source-bytes": ("64MiB", "5MiB", "4MiB"),
        "limits.redirects": ("5", "4", "0"), "limits.retries": ("1", "3", "0"),
        "limits.auxiliaries": ("4", "2", "0"),
        "timeouts.connect": ("5s", "4s", "3s"), "timeouts.first-byte": ("10s", "9s", "8s"),
        "timeouts.total": ("30s", "29s", "28s"), "timeouts.transform": ("10s", "7s", "6s"),
        "quality.jpeg": ("80", "70", "60"), "quality.webp": ("79", "71", "61"), "quality.avif": ("60", "50", "40"),
        "quality.jxl": ("79", "69", "59"), "quality.distance": ("1", "2", "0.5"),
        "quality.save-data": ("15", "10", "0"),
        "formats.pdf": ("off", "on", "off"), "limits.decode-bytes": ("1GiB", "8MiB", "4MiB"),
        "formats.jpeg": ("on", "read", "write"), "formats.png": ("on", "off", "on"),
        "formats.gif": ("on", "off", "read"),
        "formats.webp": ("on", "read", "off"), "formats.avif": ("on", "off", "on"), "formats.heic": ("on", "off", "on"),
        "formats.tiff": ("on", "write", "off"), "formats.jxl": ("on", "off", "on"), "formats.jp2": ("on", "off", "on"),
        "formats.bmp": ("on", "off", "on"), "formats.ico": ("on", "off", "on"), "formats.svg": ("on", "off", "on"),
        "avif.auto": ("on", "off", "on"), "avif.budget": ("100ms", "90ms", "80ms"),
        "avif.effort": ("1", "2", "3"), "avif.stand-in": ("30s", "20s", "10s"),
    ]

    /// The documented keys that a source may override.
    private static let contract = [
        "limits.pixels", "limits.frames", "limits.source-bytes", "limits.redirects", "timeouts.connect",
        "timeouts.first-byte", "timeouts.total", "timeouts.transform", "quality.jpeg", "quality.webp", "quality.avif",
        "quality.jxl",
    ]

    /// The file's top and the source, each with the key if it has a value.
    private func yaml(_ name: String, top: String?, own: String?) -> String {
        let parts = name.split(separator: ".")
        func map(_ value: String?) -> String? {
            value.map { parts.count == 1 ? "\(name): \($0)" : "\(parts[0]): { \(parts[1]): \($0) }" }
        }
        return """
            \(map(top) ?? "# as it is")
            sources:
              s: { url: "https://s.example/"\(map(own).map { ", " + $0 } ?? "") }
            """
    }

    /// A rule's value as a configuration file would contain it.
    private func value(_ setting: InheritedSetting, _ rule: SourceRule?) throws -> JSONValue? {
        try setting.source.write(SourceSchema.Draft(rule: #require(rule))).map(JSONValue.init)
    }

    /// A configuration text after parsing and printing.
    private func normal(_ setting: InheritedSetting, _ text: String) throws -> JSONValue? {
        try value(setting, load(yaml(setting.top.name, top: nil, own: text)).sources.first?.rule)
    }

    @Test func `every inherited setting is declared once, with an example here`() {
        let names = InheritedSetting.all.map(\.top.name)
        #expect(Set(names).count == names.count && Set(names) == Set(Self.examples.keys))
        #expect(Set(Self.contract).isSubset(of: names))
        #expect(InheritedSetting.all.map(\.source.name) == names)
        // No other key exists in both places, as it would have to be merged elsewhere.
        let top = Set(ConfigurationSchema.root.settings.map(\.name))
        // At the top, a dialect is that of all paths, and not of sources.
        let apart = top.subtracting(["dialect", "dialect-source"])
        #expect(apart.intersection(SourceSchema.table.settings.map(\.name)) == Set(names))
    }

    @Test func `a source's value overrides the file's top, and that overrides the default`() throws {
        for setting in InheritedSetting.all {
            let name = setting.top.name
            let example = try #require(Self.examples[name])
            func rules(top: String?, own: String?) throws -> (source: JSONValue?, fetch: JSONValue?) {
                let configuration = try load(yaml(name, top: top, own: own))
                return try (
                    value(setting, configuration.sources.first?.rule), value(setting, configuration.remoteRule)
                )
            }
            let (standard, top, own) = try (
                normal(setting, example.standard), normal(setting, example.top), normal(setting, example.own)
            )
            #expect(standard != top && top != own, "\(name)")
            #expect(try rules(top: nil, own: nil) == (standard, standard), "\(name)")
            #expect(try rules(top: example.top, own: nil) == (top, top), "\(name)")
            #expect(try rules(top: example.top, own: example.own) == (own, top), "\(name)")
            #expect(try rules(top: nil, own: example.own) == (own, standard), "\(name)")
        }
    }

    @Test func `sources inherit libwebp's options from the file's top`() throws {
        let configuration = try load(
            "webp: { pass: 7 }\nsources: { s: { url: \"https://s.example/\", quality: { webp: 5 } } }"
        )
        #expect(configuration.source(named: "s")?.rule.quality.webpOptions.pass == 7)
        #expect(configuration.remoteRule.quality.webpOptions.pass == 7)
    }

    @Test func `a key without effect for raw sources is refused there`() {
        for setting in InheritedSetting.all where setting.source.kind == .pictures {
            let name = setting.top.name
            let parts = name.split(separator: ".")
            let value = Self.examples[name]?.own ?? ""
            let own = parts.count == 1 ? "\(name): \(value)" : "\(parts[0]): { \(parts[1]): \(value) }"
            let found = problems("sources: { s: { url: \"https://s.example/\", raw: true, \(own) } }")
            let message = "sources.s.\(name): has no effect with raw: true"
            #expect(found.contains { $0.contains(message) }, "\(found)")
        }
    }
}
