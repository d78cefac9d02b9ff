import HTTPCache
import HTTPSemantics
import ImagePipeline
import ImagePlan
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

@testable import ProxyServer

/// Spellings of a URL that share a cache key are one request to the origin: some origins do not treat them alike, and a client could
/// make one spelling fail for those who use another.
@Suite(.timeLimit(.minutes(1)))
struct SpellingTests {
    private static let yaml = """
        sources:
          photos: { url: "https://photos.example.com/%7euser/x/../b/", forward-query: [v, size], mirrors: ["https://m.example/%7eu/"] }
          sorted: { url: "https://photos.example.com/", forward-query: [v, size], sort-query: true }
          files: { url: "https://files.example.com/", raw: true }
          bucket: { url: "s3://pics/a b~/", region: eu-west-1, forward-query: [v], auth: { access-key: A, secret-key: b } }
          folder: { url: "file:///srv/images/" }
        remote: { allow: ["*"] }
        """
    private static let paths = [
        "2.jpg", "%32.jpg", "2%2ejpg", "2%2Ejpg", "~u/2.jpg", "%7eu/2.jpg", "%7Eu/2.jpg", "caf%c3%a9.jpg",
        "caf%C3%A9.jpg", "a b.jpg", "a%20b.jpg", "a+b.jpg", "a%2bb.jpg", "a%2Bb.jpg", "a:b.jpg", "a%3ab.jpg", "a/b.jpg",
        "a%2fb.jpg", "a%2Fb.jpg", "a//b.jpg", "[a].jpg", "%5ba%5d.jpg", "{a}.jpg", "%7ba%7D.jpg", "%41.jpg", "A.jpg",
        "a.jpg", "%2541.jpg", "%2f%2Fa.jpg",
    ]
    private static let queries = [
        "", "v", "v=", "v=1", "v=%31", "%76=1", "v=a/b", "v=a%2fb", "v=a%2Fb", "v=~", "v=%7e", "v=+", "v=%20", "v=%2b",
    ]

    /// The originals of targets; those that a source refuses are left out.
    private func origins(_ targets: [String], _ resolver: RequestResolver) -> [OriginRequest] {
        targets.compactMap { target in
            let bytes = Array(target.utf8)
            if let raw = try? resolver.rawOrigin(of: bytes) { return raw }
            return try? resolver.resolve(bytes).variant(for: .rest).origin
        }
    }

    /// Finds keys that more than one request has.
    private func ambiguous(_ origins: [OriginRequest]) -> [Set<String>] {
        Dictionary(grouping: origins, by: \.key).values
            .map { Set($0.map(\.target.text)) }
            .filter { $0.count > 1 }
    }

    @Test(arguments: ["photos", "sorted", "files", "bucket", "folder"])
    func `one key of a source is one request`(source: String) throws {
        let resolver = try RequestResolver(try load(Self.yaml), time: ManualTime())
        let targets = Self.paths.flatMap { path in
            (source == "folder" ? [""] : Self.queries).map { "/\(source)/\(path)\($0.isEmpty ? "" : "?")\($0)" }
        }
        let origins = origins(targets, resolver)
        #expect(ambiguous(origins).isEmpty)
        // Spellings do share keys, so that this tests something.
        #expect(origins.count > Set(origins.map(\.key)).count && origins.count > Self.paths.count / 2)
    }

    @Test(arguments: [false, true])
    func `one key of a URL of fetch is one request`(isRaw: Bool) throws {
        let resolver = try RequestResolver(
            try load(isRaw ? "remote: { allow: [\"*\"], raw: true }" : Self.yaml),
            time: ManualTime()
        )
        let paths = Self.paths + ["x/../2.jpg", "x/%2e%2E/2.jpg", "./2.jpg", "../2.jpg", "x/..%2f2.jpg"]
        let targets = paths.flatMap { path in
            ["https://a.example", "HTTPS://A.example:443"].flatMap { origin in
                Self.queries.map { query in
                    let url = "\(origin)/\(path)\(query.isEmpty ? "" : "?")\(query)"
                    return "/fetch?url=\(PercentEncoding.encode(url.utf8, except: PercentEncoding.isUnreserved))"
                }
            }
        }
        let origins = origins(targets, resolver)
        #expect(ambiguous(origins).isEmpty)
        #expect(origins.count == targets.count && Set(origins.map(\.key)).count < targets.count / 2)
        // A purge and a warm job by URL name the same originals.
        for origin in origins {
            let url = try #require(origin.target.url)
            #expect(url.text == origin.identity)
        }
    }

    /// An origin that compares paths as they are sent, as object stores and signed URLs do.
    @Test(arguments: ["", ", raw: true"], [["%32.png", "2.png"], ["2.png", "%32.png"]])
    func `no spelling of a URL makes another one fail`(source: String, names: [String]) throws {
        let picture = TestImages.gradient(width: 32, height: 32)
        let rig = try EndToEndRig(
            "remote: { allow: [\"127.0.0.1\"], allow-private: true }",
            source: source,
            script: ScriptedOrigin.pictures(["2.png": picture])
        )
        for name in names {
            let answer = try rig.get("/photos/\(name)")
            #expect(answer.status == 200 && answer.body == picture, "\(name)")
        }
        #expect(rig.origin.requests == 1)
        let url = "http://127.0.0.1:\(rig.origin.port)/"
        for name in names {
            let text = PercentEncoding.encode("\(url)\(name)".utf8, except: PercentEncoding.isUnreserved)
            #expect(try rig.get("/fetch?url=\(text)&w=8").status == 200, "\(name)")
        }
        #expect(rig.origin.requests == 2)
        #expect(rig.origin.heads.allSatisfy { $0.hasPrefix("GET /2.png HTTP/1.1\r\n") })
    }
}
