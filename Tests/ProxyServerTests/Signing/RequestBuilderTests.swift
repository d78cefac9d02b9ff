import HTTPKit
import ImagePlan
import LinuxSystem
import TestSupport
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct RequestBuilderTests {
    private static let yaml = """
        sources:
          photos: { url: "https://photos.example.com/originals/", forward-query: [v], ignore-query: [utm] }
          files: { url: "file:///srv/images/" }
        presets: { thumb: "w=200" }
        signing: { keys: [\(String(repeating: "ab", count: 32))], required: true }
        """

    private func resolver() throws -> RequestResolver {
        try RequestResolver(try load(Self.yaml), time: ManualTime())
    }

    private func target(_ request: RequestBuilder.Request) throws -> String {
        try RequestBuilder(resolver()).target(of: request)
    }

    @Test(arguments: [
        ("photos/a b.jpg", "/photos/a%20b.jpg?"), ("/photos/ä?#%.jpg", "/photos/%C3%A4%3F%23%25.jpg?"),
        ("photos/a%2Fb.jpg", "/photos/a%252Fb.jpg?"), ("photos/a+b&c=d;e,f.jpg", "/photos/a+b&c=d;e,f.jpg?"),
        ("https://x.example/a b?c=d&e", "/fetch?url=https:%2F%2Fx.example%2Fa%20b%3Fc%3Dd%26e&"),
    ])
    func `encodes reserved characters`(subject: String, start: String) throws {
        let built = try target(RequestBuilder.Request(subject: subject))
        #expect(built.hasPrefix(start + "sig="), "\(built)")
    }

    @Test func `encodes the path of a watermark as a value`() throws {
        var request = RequestBuilder.Request(subject: "photos/a.jpg")
        request.parameters = [(name: "watermark", value: "files/my logo%2C1.png,southeast")]
        let built = try target(request)
        #expect(built.hasPrefix("/photos/a.jpg?watermark=files%2Fmy%20logo%252C1.png,southeast&sig="), "\(built)")
        request.parameters = [(name: "watermark", value: "nobody/logo.png")]
        let problem = #expect(throws: Problem.self) { try target(request) }
        #expect(problem?.parameter == "watermark")
    }

    @Test func `leaves an encoded path unchanged`() throws {
        let built = try target(RequestBuilder.Request(subject: "photos/a%2Fb%20c.jpg", isEncoded: true))
        #expect(built.hasPrefix("/photos/a%2Fb%20c.jpg?sig="))
    }

    @Test(
        arguments: [
            ("nowhere/a.jpg", [], nil), ("photos/a.jpg", [("w", "x")], "w"), ("photos/a.jpg", [("nope", "1")], "nope"),
            ("photos/a.jpg", [("sig", "1")], "sig"), ("photos/a.jpg", [("exp", "1")], "exp"),
            ("photos/../a.jpg", [], "path"), ("files/a//b.jpg", [], "path"), ("https://u:p@x.example/", [], "url"),
            ("photos/a.jpg", [("preset", "unknown")], "preset"), ("photos/a.jpg", [("url", "https://x/")], "url"),
        ] as [(String, [(String, String)], String?)]
    )
    func `refuses what the daemon would refuse`(
        subject: String,
        parameters: [(String, String)],
        parameter: String?
    ) throws {
        var request = RequestBuilder.Request(subject: subject)
        request.parameters = parameters.map { (name: $0.0, value: $0.1) }
        let problem = #expect(throws: Problem.self) { try target(request) }
        #expect(problem?.parameter == parameter)
    }

    @Test(arguments: [
        ("ftp://x.example/a.jpg", "url", "not ftp"), ("s3://bucket/a.jpg", "url", "not s3"),
        ("/photos/a.jpg?w=5", "path", "as an argument: /photos/a.jpg w=5."),
        ("photos/a.jpg?w=5&fit=cover", "path", "as an argument: photos/a.jpg w=5 fit=cover."),
    ])
    func `refuses other schemes, and parameters within the path`(subject: String, parameter: String, text: String) {
        let problem = #expect(throws: Problem.self) { try target(RequestBuilder.Request(subject: subject)) }
        #expect(problem?.status == 400 && problem?.parameter == parameter)
        #expect(problem?.detail.contains(text) == true, "\(problem?.detail ?? "")")
    }

    @Test(arguments: ["photos/a?.jpg", "photos/a?w", "photos/who?me=1&w=5", "photos/?", "photos/x/ftp://y"])
    func `a name may have a question mark or a scheme`(subject: String) throws {
        let built = try target(RequestBuilder.Request(subject: subject))
        #expect(built.hasPrefix("/" + subject.split(separator: "?")[0]), "\(built)")
    }

    @Test func `every built target is accepted and requests exactly its parts`() throws {
        let resolver = try resolver()
        var random = SeededGenerator(seed: 20_261_121)
        let letters = Array(" !\"#$%&'()*+,-.:;<=>?@[]^_`{|}~aZ09äß€😀\u{301}")
        for round in 0..<500 {
            let name =
                "x"
                + String(
                    (0..<Int.random(in: 1...12, using: &random)).compactMap { _ in letters.randomElement(using: &random)
                    }
                )
            let tag = String(
                (0..<Int.random(in: 1...9, using: &random)).compactMap { _ in letters.randomElement(using: &random) }
            )
            var request = RequestBuilder.Request(subject: "photos/\(name)/b")
            request.parameters = [("v", tag), ("w", "\(round + 1)"), ("utm", tag), ("filename", "f" + tag)]
            request.expires = 4_000_000_000
            let built = try RequestBuilder(resolver).target(of: request)
            // Forms that clients send and proxies do not change.
            #expect(built.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
            #expect(throws: Never.self) { try resolver.resolve(Array(built.utf8)) }
            let path = try #require(try RequestPath.parse(Array(built.utf8.prefix { $0 != UInt8(ascii: "?") })))
            #expect(path.segments == [name, "b"])
            let query = Array(built.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst())
            let pairs = try QueryPair.split(query)
            #expect(pairs.first?.value == tag)
            // One byte more, less or different is refused.
            for wrong in [
                built + "0", String(built.dropLast()), built.replacing("w=\(round + 1)&", with: "w=\(round + 2)&"),
            ] {
                #expect(throws: Problem.self) { try resolver.resolve(Array(wrong.utf8)) }
            }
        }
    }
}
