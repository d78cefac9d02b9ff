import ImagePipeline
import ImagePlan
import TestSupport
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct RequestPermissionTests {
    private static let key = String(repeating: "ab", count: 32)

    private func status(_ target: String, _ yaml: String) throws -> UInt16 {
        let configuration = try load(
            "sources: { a: { url: \"https://a.example/\" } }\nremote: { allow: [ok.example] }\n" + yaml
        )
        let resolver = try RequestResolver(configuration, time: ManualTime())
        do throws(Problem) {
            _ = try resolver.resolve(Array(target.utf8))
            return 200
        } catch {
            return error.status
        }
    }

    private func signed(_ target: String) throws -> String {
        let key = try #require(SigningKey(hexadecimal: Self.key))
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let query = parts.count > 1 ? String(parts[1]) : ""
        let signature = RequestSigner(keys: [key]).signature(path: parts[0].utf8, query: query.utf8)
        return "\(parts[0])?\(query)\(query.isEmpty ? "" : "&")sig=\(try #require(signature))"
    }

    @Test func `requires a signature if the configuration does`() throws {
        let keys = "signing: { keys: [\(Self.key)] }"
        let required = "signing: { keys: [\(Self.key)], required: true }"
        let remote = "/fetch?url=https://ok.example/b"
        let other = "/fetch?url=https://no.example/b"
        for (target, none, some, all) in [
            ("/a/b?w=1", 200, 200, 403), ("/a/b", 200, 200, 403), (remote, 200, 200, 403), (other, 403, 403, 403),
            (try signed("/a/b?w=1"), 403, 200, 200), (try signed("/a/b"), 403, 200, 200),
            (try signed(remote), 403, 200, 200), (try signed(other), 403, 200, 200),
            ("/a/b?w=1&sig=x", 403, 403, 403), (try signed("/a/b?w=1") + "&h=2", 403, 403, 403),
        ] as [(String, UInt16, UInt16, UInt16)] {
            #expect(try status(target, "") == none, "\(target)")
            #expect(try status(target, keys) == some, "\(target)")
            #expect(try status(target, required) == all, "\(target)")
        }
    }

    @Test(arguments: [
        "sig=", "sig", "sig=a&sig=b", "exp=", "exp=x", "exp=-1", "exp=1&exp=2", "exp=1e9", "exp=99999999999999",
    ])
    func `refuses malformed and repeated signatures first`(query: String) throws {
        #expect(try status("/a/b?\(query)", "signing: { keys: [\(Self.key)] }") == 400)
    }

    @Test func `a signature may be anywhere in the query, and be percent-encoded`() throws {
        let keys = "signing: { keys: [\(Self.key)], required: true }"
        let target = try signed("/a/b?w=1&h=2")
        let signature = try #require(target.split(separator: "sig=").last)
        #expect(try status("/a/b?sig=\(signature)&w=1&h=2", keys) == 200)
        #expect(try status("/a/b?w=1&sig=\(signature)&h=2", keys) == 200)
        #expect(try status("/a/b?w=1&%73ig=\(signature)&h=2", keys) == 200)
        // Another order or spelling of the signed query is another request.
        #expect(try status("/a/b?h=2&w=1&sig=\(signature)", keys) == 403)
        #expect(try status("/a/b?w=1&h=%32&sig=\(signature)", keys) == 403)
        for path in ["/a/%62", "/%61/b"] {
            #expect(try status("\(path)?w=1&h=2&sig=\(signature)", keys) == 403)
            #expect(try status(signed("\(path)?w=1&h=2"), keys) == 200)
        }
    }

    @Test func `neither signature nor expiry is part of the cache key`() throws {
        let configuration = try load(
            "sources: { a: { url: \"https://a.example/\" } }\nsigning: { keys: [\(Self.key)] }"
        )
        let resolver = try RequestResolver(configuration, time: ManualTime())
        let keys = try [
            "/a/b?w=1", signed("/a/b?w=1"), signed("/a/b?w=1&exp=4000000000"), "/a/b?exp=4000000001&w=1",
        ].map { try resolver.resolve(Array($0.utf8)).variant(for: .rest).key }
        #expect(Set(keys).count == 1)
        #expect(try resolver.resolve(Array("/a/b?exp=4000000001&w=1".utf8)).expires == 4_000_000_001)
    }
}
