import ImagePipeline
import ImagePlan
import LinuxSystem
import TestSupport
import Testing

@testable import ProxyServer

/// The content of `Vary` for every kind of request.
@Suite(.timeLimit(.minutes(1)))
struct VaryTests {
    private static func resolver(_ source: String, _ extra: String = "") throws -> RequestResolver {
        let yaml = "sources: { photos: { url: \"http://a.test/\", allow-private: true\(source) } }\n\(extra)"
        let loader = ConfigurationLoader(environment: [:], flags: .init(config: "test.yaml")) {
            _ throws(ConfigurationProblem) in yaml
        }
        return try RequestResolver(try loader.loadWithOrigins().configuration, time: ManualTime())
    }

    private static func resolve(_ query: String, _ source: String = "", _ extra: String = "") throws -> ResolvedRequest
    {
        try resolver(source, extra).resolve(Array("/photos/a.jpg\(query)".utf8))
    }

    /// Every format, with and without a quality and `lossless`.
    private static let formats: [(format: String, isAuto: Bool, isLossy: Bool)] = [
        ("", true, true), ("auto", true, true), ("source", false, true), ("jpeg", false, true), ("webp", false, true),
        ("avif", false, true), ("jxl", false, true), ("png", false, false), ("gif", false, false),
        ("tiff", false, false), ("json", false, false), ("blurhash", false, false), ("lqip", false, false),
    ]

    @Test(arguments: formats, ["", "q=50", "q=auto:eco", "lossless=1"])
    func `has Accept for auto, and Save-Data for default qualities`(
        format: (format: String, isAuto: Bool, isLossy: Bool),
        more: String
    ) throws {
        guard format.format != "jpeg" || more != "lossless=1" else { return }
        let parameters = ["w=10", format.format.isEmpty ? "" : "format=\(format.format)", more]
        let query = "?" + parameters.filter { !$0.isEmpty }.joined(separator: "&")
        for (source, honours) in [("", true), (", quality: { save-data: 0 }", false)] {
            var expected: [String] = format.isAuto ? ["Accept"] : []
            if format.isLossy, honours, more.isEmpty { expected.append("Save-Data") }
            let resolved = try Self.resolve(query, source)
            #expect(resolved.vary.text == expected.joined(separator: ", "), "\(query) \(source)")
            #expect((resolved.saving != nil) == expected.contains("Save-Data"))
        }
    }

    @Test(arguments: [
        ("w=auto", "[width]", "Sec-CH-Width, Width"), ("w=auto", "[width, dpr]", "Sec-CH-Width, Width"),
        ("w=auto&dpr=auto", "[dpr, width]", "Sec-CH-Width, Width, Sec-CH-DPR, DPR"),
        ("w=9&dpr=auto", "[width, dpr]", "Sec-CH-DPR, DPR"), ("w=9", "[width, dpr, viewport-width]", ""),
        ("w=auto", "[viewport-width]", "Sec-CH-Viewport-Width, Viewport-Width"),
        ("w=auto", "[viewport-width, dpr]", "Sec-CH-Viewport-Width, Viewport-Width, Sec-CH-DPR, DPR"),
        (
            "w=auto", "[viewport-width, dpr, width]",
            "Sec-CH-Width, Width, Sec-CH-Viewport-Width, Viewport-Width, Sec-CH-DPR, DPR"
        ),
    ])
    func `has the hints that are used, and no others`(query: String, hints: String, expected: String) throws {
        for (format, first) in [("&format=png", ""), ("&q=5", "Accept"), ("", "Accept, Save-Data")] {
            let resolved = try Self.resolve("?\(query)\(format)", ", client-hints: \(hints)")
            let text = [first, expected].filter { !$0.isEmpty }.joined(separator: ", ")
            #expect(resolved.vary.text == text)
        }
    }

    @Test func `a quality of another format leaves the default, which Save-Data lowers`() throws {
        #expect(try Self.resolve("?w=9&format=webp&q=jpeg:50").vary.text == "Save-Data")
        #expect(try Self.resolve("?w=9&format=webp&q=jpeg:50,webp:70").vary.text == "")
        #expect(try Self.resolve("?w=9&q=jpeg:50").vary.text == "Accept")
    }

    @Test func `unchanged originals do not vary, and a preset's quality is not a default`() throws {
        #expect(try Self.resolve("").vary == [] && Self.resolve("").fields.all == Self.resolve("").fields.crossOrigin)
        #expect(try Self.resolve("?preset=p", "", "presets: { p: \"w=5&q=9\" }").vary.text == "Accept")
        #expect(try Self.resolve("?preset=p", "", "presets: { p: \"w=5\" }").vary.text == "Accept, Save-Data")
    }

    @Test func `clients that save data get another variant at default qualities`() throws {
        let resolved = try Self.resolve("?w=10")
        let saving = try #require(resolved.saving)
        for bucket in FormatBucket.allCases {
            let (one, other) = (resolved.choice.variant(for: bucket), saving.variant(for: bucket))
            #expect(one.key != other.key && one.plan == other.plan && one.bucket == other.bucket)
            #expect(other.quality == one.quality.lowered(by: 15))
        }
        // It equals the variant of a source with these qualities.
        let low = try Self.resolve("?w=10", ", quality: { jpeg: 65, webp: 64, avif: 45, jxl: 64 }")
        #expect(low.choice.variant(for: .webp).key == saving.variant(for: .webp).key)
    }

    @Test(arguments: [
        ("on", true), ("ON", true), (" on ", true), ("on;x", true), ("x, on", true), ("off", false), ("", false),
        ("only", false), ("1", false), ("o n", false), ("?1", false),
    ])
    func `parses Save-Data`(value: String, isOn: Bool) {
        #expect(SaveData.isOn(Array(value.utf8).span) == isOn)
    }

    @Test(arguments: [
        ("w=9", "", false), ("w=9&lossless=1", "", true), ("w=9&near_lossless=50", "", true),
        ("w=9", ", avif: { auto: off }", true), ("w=9&q=5", ", avif: { effort: 3 }", false),
    ])
    func `clients that accept AVIF share the WebP of others if there is no AVIF`(
        query: String,
        source: String,
        isShared: Bool
    ) throws {
        let choice = try Self.resolve("?\(query)", source).choice
        #expect((choice.variant(for: .avif).key == choice.variant(for: .webp).key) == isShared)
        #expect(choice.variant(for: .rest).key != choice.variant(for: .webp).key)
    }

    @Test func `hinted variants are those of the rounded numbers`() throws {
        let resolver = try Self.resolver(", client-hints: [width, dpr]")
        let values = HintValues(width: 640, ratio: FixedDecimal(2))
        let auto = try resolver.resolve(Array("/photos/a.jpg?w=auto".utf8), hints: values)
        let plain = try resolver.resolve(Array("/photos/a.jpg?w=640".utf8))
        for bucket in FormatBucket.allCases {
            #expect(auto.choice.variant(for: bucket).key == plain.choice.variant(for: bucket).key)
        }
        #expect(auto.vary != plain.vary && plain.hints == nil)
    }

    @Test(arguments: [
        ("client-hints: [width, dpr]", true), ("client-hints: width", true), ("client-hints: [color]", false),
    ])
    func `client-hints lists the fields that a source uses`(key: String, isSound: Bool) throws {
        let result = Result { try Self.resolver(", \(key)") }
        #expect(((try? result.get()) != nil) == isSound)
    }

    @Test(arguments: [
        ("widths: [320, 640]", true), ("widths: [640, 320]", false), ("widths: []", false), ("widths: [0]", false),
        ("widths: [20000]", false), ("widths: [5, 5]", false), ("dpr: [1, 2.5]", true), ("dpr: [0.5]", false),
        ("dpr: [5]", false), ("dpr: [x]", false), ("default-width: 0", false), ("default-width: 500", true),
        ("widths: [\((1...32).map(String.init).joined(separator: ", "))]", true),
        ("widths: [\((1...33).map(String.init).joined(separator: ", "))]", false),
    ])
    func `a ladder is short, ascending, and within the valid range`(key: String, isSound: Bool) throws {
        let result = Result { try Self.resolver("", "ladder: { \(key) }") }
        #expect(((try? result.get()) != nil) == isSound)
    }
}
