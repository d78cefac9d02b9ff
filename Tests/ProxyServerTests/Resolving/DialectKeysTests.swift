import ImagePipeline
import TestSupport
import Testing

@testable import ProxyServer

/// What the keys of a dialect, and what a source serves, mean for requests that reach the source in other ways.
@Suite(.timeLimit(.minutes(1)))
struct DialectKeysTests {
    private static let yaml = """
        sources:
          photos: { url: "https://photos.example/" }
          www: { dialect: thumbor, url: "https://www.example/" }
          secret: { dialect: imagor, url: "https://secret.example/" }
        """

    private func resolver(_ extra: String = "dialects: { imagor: { keys: k } }") throws -> RequestResolver {
        try RequestResolver(try load("\(Self.yaml)\n\(extra)"), time: ManualTime())
    }

    private func problem(_ target: String, _ resolver: RequestResolver) -> Problem? {
        do throws(Problem) {
            _ = try resolver.resolve(Array(target.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        ("/secret/unsafe/300x200/cat.jpg", "path"), ("/www/unsafe/300x200/https://secret.example/cat.jpg", "sig"),
        ("/www/unsafe/https://secret.example/cat.jpg", "sig"),
        ("/photos/cat.jpg?w=9&watermark=secret/cat.jpg", "watermark"),
    ])
    func `no other source leads around the keys of a source's dialect`(target: String, parameter: String) throws {
        let refused = problem(target, try resolver())
        #expect(refused?.status == 403 && refused?.parameter == parameter, "\(refused as Any)")
        #expect(refused?.detail.contains("dialects.imagor.keys") == true)
        #expect(try problem(target, resolver("")) == nil)
        #expect(try problem(target, resolver().withoutPermission) == nil)
    }

    @Test func `keys bind the source whose dialect has them alone`() throws {
        let resolver = try resolver()
        for target in ["/photos/cat.jpg?w=9&watermark=www/cat.jpg", "/www/unsafe/9x9/https://photos.example/cat.jpg"] {
            #expect(problem(target, resolver) == nil, "\(target)")
        }
    }

    @Test(arguments: ["serve", "clean", "refuse"])
    func `imagor keeps metadata where the source serves it`(originals: String) throws {
        let yaml = "sources: { a: { url: \"https://a.example/\", dialect: imagor, originals: \(originals) } }"
        let resolver = try RequestResolver(try load(yaml), time: ManualTime())
        let plan = try resolver.resolve(Array("/a/unsafe/9x9/cat.jpg".utf8)).anyVariant.plan
        #expect(plan?.contains("meta=keep") == (originals == "serve"), "\(plan as Any)")
    }

    @Test(arguments: ["/old/_/raw:1/att:1/plain/cat.jpg", "/new/unsafe/300x200/filters:raw()/cat.jpg"])
    func `the original itself is not what a preset makes of it`(target: String) throws {
        let yaml = """
            presets: { faint: "saturation=0.5" }
            sources:
              old: { url: "https://a.example/", dialect: imgproxy, preset: faint }
              new: { url: "https://a.example/", dialect: imagor, preset: faint }
            """
        let resolver = try RequestResolver(try load(yaml), time: ManualTime())
        #expect(try resolver.resolve(Array(target.utf8)).anyVariant.plan == nil)
        let other = target.replacing("raw:1", with: "bl:0").replacing("raw()", with: "blur(0)")
        #expect(try resolver.resolve(Array(other.utf8)).anyVariant.plan?.contains("saturation=0.5") == true)
    }

    @Test func `encrypted URLs need signatures`() {
        let key = String(repeating: "5a", count: 32)
        let found = problems("dialects: { imgproxy: { url-keys: [\(key)] } }")
        #expect(found.count == 1 && found[0].contains("dialects.imgproxy.url-keys: requires keys"), "\(found)")
        #expect(problems("dialects: { imgproxy: { url-keys: [\(key)], keys: [\(key)], salts: [\(key)] } }").isEmpty)
    }
}
