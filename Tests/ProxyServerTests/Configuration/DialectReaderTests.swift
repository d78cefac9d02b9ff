import Dialects
import ImagePipeline
import LinuxSystem
import Testing

@testable import ProxyServer

/// `dialect`, `dialect-source` and `path-style` of sources and sites, and the keys below `dialects`.
@Suite(.timeLimit(.minutes(1)))
struct DialectReaderTests {
    private static let photos = "sources: { photos: { url: \"https://x.example/\" }"

    @Test func `reads languages of sources and sites`() throws {
        let configuration = try load(
            """
            sources:
              photos: { url: "https://x.example/a/", path-style: true }
              old: { dialect: imgproxy, dialect-source: photos }
              older: { url: "https://y.example/", dialect: thumbor }
            sites:
              shop:
                prefix: /shop
                dialect: weserv
                sources: { main: { url: "https://z.example/" } }
            dialects: { thumbor: { keys: [a, b] } }
            """
        )
        #expect(configuration.source(named: "photos")?.reading.isPathStyle == true)
        let old = try #require(configuration.source(named: "old"))
        #expect(old.reading.dialect == .imgproxy && old.reading.dialectSource == "photos")
        #expect(old.rule.location == .http(prefix: "https://x.example/a/"))
        #expect(configuration.source(named: "older")?.reading.dialect == .thumbor && configuration.dialect == nil)
        let shop = try #require(configuration.site(named: "shop")?.settings)
        #expect(shop.dialect == .weserv && shop.dialectBase == "main" && shop.dialects.thumbor.keys.isEmpty)
        #expect(configuration.dialects.thumbor.keys.map(\.value) == ["a", "b"] && configuration.dialectBase == nil)
        #expect(!"\(configuration.dialects)".contains("\"a\""))
    }

    @Test func `a source with raw is not the base of a site`() throws {
        let yaml = "dialect: thumbor\nsources: { a: { url: \"https://x/\" }, b: { url: \"https://y/\", raw: true } }"
        #expect(try load(yaml).dialectBase == "a")
        #expect(try load("dialect: thumbor").dialectBase == nil)
    }

    @Test(arguments: [
        (", dialect: imgprxy }}", "sources.a.dialect", "expected one of none, imgproxy"),
        (", dialect-source: photos }}", "sources.a.dialect-source", "has no effect without dialect"),
        (", dialect: imgproxy, path-style: true }}", "sources.a.path-style", "cannot be combined with dialect"),
        (
            ", dialect: weserv }}\nsigning: { required: true, keys: [00112233445566778899aabbccddeeff] }",
            "sources.a.dialect", "weserv has no signatures"
        ),
        (
            ", dialect: imgproxy }}\nsigning: { required: true, keys: [00112233445566778899aabbccddeeff] }",
            "sources.a.dialect", "requires dialects.imgproxy.keys"
        ),
        ("}}\ndialect: thumbor\ndialect-source: phots", "dialect-source", "did you mean"),
        ("}}\ndialect-source: photos", "dialect-source", "has no effect without dialect"),
        (", path-style: true }}\ndialect: thumbor", "sources.a.path-style", "in which all paths here are read"),
        (", dialect: imagor }}\ndialect: thumbor", "sources.a.dialect", "in which all paths here are read"),
        ("}}\ndialects: { imgproxy: { keys: [\"00\"] } }", "dialects.imgproxy.salts", "must be as many as keys (1)"),
        (
            "}}\ndialects: { imgproxy: { keys: [\"0\"], salts: [\"00\"] } }", "dialects.imgproxy.keys",
            "hexadecimal digits"
        ),
        ("}}\ndialects: { imgproxy: { url-keys: [\"00\"] } }", "dialects.imgproxy.url-keys", "32, 48 or 64"),
        ("}}\ndialects: { imgproxy: { signature-size: 4 } }", "dialects.imgproxy.signature-size", "from 8 to 32"),
        ("}}\ndialects: { imagor: { truncate: 16 } }", "dialects.imagor.truncate", "17 to 27"),
        ("}}\ndialects: { imagor: { truncate: 28 } }", "dialects.imagor.truncate", "17 to 27"),
    ])
    func `reports contradictions`(rest: String, key: String, reason: String) {
        let found = problems(Self.photos + ", a: { url: \"https://y.example/\"" + rest)
        #expect(found.contains { $0.contains(" \(key): ") && $0.contains(reason) }, "\(found)")
    }

    @Test(arguments: [("sha1", 0), ("sha1", 17), ("sha1", 27), ("sha256", 43), ("sha512", 86)])
    func `a signature of imagor can be shortened to what it reads`(hash: String, truncate: Int) throws {
        let configuration = try load(
            Self.photos + "}\ndialects: { imagor: { keys: k, hash: \(hash), truncate: \(truncate) } }"
        )
        #expect(configuration.dialects.imagor.truncate == truncate)
    }

    @Test func `a source of another one has no settings of its own`() {
        let found = problems(Self.photos + ", a: { dialect: imgproxy, dialect-source: photos, ttl: 1h }}")
        #expect(found.count == 1 && found[0].contains("sources.a.ttl: has no effect with dialect-source"), "\(found)")
        let missing = problems(Self.photos + ", a: { dialect: imgproxy, dialect-source: fotos }}")
        #expect(missing.count == 1 && missing[0].contains("there is no source 'fotos'"), "\(missing)")
        let chain =
            Self.photos
            + ", a: { dialect: imgproxy, dialect-source: b }, b: { dialect: thumbor, dialect-source: photos }}"
        #expect(problems(chain).contains { $0.contains("'b' has no images of its own") })
        let none = problems(Self.photos + ", a: { dialect: imgproxy }}")
        #expect(none.count == 1 && none[0].contains("sources.a: has no url"), "\(none)")
    }

    @Test func `keys of a language are enough for signing.required`() throws {
        let sources = "sources: { a: { url: \"https://y.example/\", dialect: thumbor, unsigned: none }}\n"
        #expect(
            try load(sources + "dialects: { thumbor: { keys: k }}\nsigning: { required: true, rate: 5 }").signing
                .required
        )
        #expect(!problems(sources + "signing: { required: true }").isEmpty)
        #expect(
            problems(sources + "dialects: { imagor: { keys: k }}").contains { $0.contains("dialects.thumbor.keys") }
        )
    }

    @Test func `prints a configuration that it can read again`() throws {
        let yaml = """
            dialect-source: photos
            dialect: weserv
            sources: { photos: { url: "https://x/" } }
            sites:
              a:
                prefix: /a
                sources:
                  photos: { url: "https://x/", path-style: true }
                  old: { dialect: imgproxy, dialect-source: photos }
                  own: { url: "https://y/", dialect: imagor }
            """
        let configuration = try load(yaml)
        #expect(try load(configuration.yaml) == configuration)
    }

    @Test func `a raw source reads paths as they are`() {
        let found = problems(
            "sources: { a: { url: \"https://y.example/\", raw: true, path-style: true, dialect: weserv }}"
        )
        #expect(found.filter { $0.contains("has no effect with raw: true") }.count == 2, "\(found)")
    }
}
