import ImagePipeline
import ImagePlan
import TestSupport
import Testing

@testable import ProxyServer

/// Signatures over a scope: `sig` over the path and the pairs `scope` and `exp`.
@Suite(.timeLimit(.minutes(1)))
struct ScopedSignatureTests {
    private static let key = String(repeating: "ab", count: 32)
    private static let other = String(repeating: "cd", count: 32)
    private static let yaml = """
        sources:
          a: { url: "https://a.example/", forward-query: [v], ignore-query: [utm] }
          files: { url: "https://files.example/", raw: true }
        presets: { thumb: "w=200&blur=2", wide: "w=900" }
        signing: { keys: [\(key)], required: true }
        """

    private func signer(_ key: String = key) -> RequestSigner {
        RequestSigner(keys: [SigningKey(hexadecimal: key)].compactMap(\.self))
    }

    /// The result of a target: 200, or the status and the parameter of the problem.
    private func result(_ target: String, _ yaml: String = yaml, mount: String = "") throws -> String {
        let resolver = try RequestResolver(try load(yaml), time: ManualTime(), mount: mount)
        do throws(Problem) {
            _ = try resolver.resolve(Array(target.utf8))
            return "200"
        } catch {
            return "\(error.status) \(error.parameter ?? "")"
        }
    }

    /// A target with a signature over some of its query.
    private func target(_ path: String, signing signed: String, query: String, key: String = key) throws -> String {
        let signature = try #require(signer(key).signature(path: path.utf8, query: signed.utf8))
        return "\(path)?\(query)&sig=\(signature)"
    }

    @Test(arguments: [
        ("w=320", "200"), ("w=1920&dpr=1", "200"), ("dpr=3&w=400", "200"), ("w=400&format=avif", "200"), ("", "200"),
        ("format=webp", "200"), ("w=319", "403 w"), ("w=1921", "403 w"), ("w=400&dpr=3.5", "403 dpr"),
        ("w=400&h=300", "403 h"), ("w=400&blur=3", "403 blur"), ("w=400&preset=thumb", "403 preset"),
        ("preset=none", "403 preset"), ("w=400&v=1", "403 v"), ("w=400&utm=1", "403 utm"), ("refresh=1", "403 refresh"),
        ("w=400&timing=1", "403 timing"), ("retry=1", "403 retry"), ("wait-store=1", "403 wait-store"),
        ("filename=a.jpg", "403 filename"), ("w=400&nope=1", "400 nope"), ("w=0400", "200"), ("w=%34%30%30", "200"),
        ("%77=400", "200"), ("w=400&w=500", "400 w"), ("w=400.5", "400 w"), ("w=auto", "400 w"),
    ])
    func `permits the parameters of the scope, in any order, and no others`(query: String, result: String) throws {
        let scope = "scope=w:320-1920,dpr:1-3,format:*"
        for query in [query.isEmpty ? scope : "\(query)&\(scope)", query.isEmpty ? scope : "\(scope)&\(query)"] {
            let target = try target("/a/b.jpg", signing: scope, query: query)
            #expect(try self.result(target) == result, "\(target)")
        }
    }

    @Test func `costly options and presets are permitted by name`() throws {
        for (scope, query) in [
            ("scope=refresh:1", "refresh=1"), ("scope=timing:1,w:*", "w=9&timing=1"),
            ("scope=preset:thumb%7Cwide", "preset=wide"),
            ("scope=blur:*,w:*", "blur=2&w=9&blur=3"), ("scope=v:1,utm:*", "v=1&utm=x"),
        ] {
            #expect(try result(target("/a/b", signing: scope, query: "\(scope)&\(query)")) == "200", "\(query)")
        }
        let scope = "scope=preset:thumb"
        #expect(try result(target("/a/b", signing: scope, query: "\(scope)&preset=wide")) == "403 preset")
    }

    @Test func `the pairs scope and exp are signed as sent, in their order`() throws {
        let signed = "exp=4000000000&scope=w:1-9"
        #expect(try result(target("/a/b", signing: signed, query: "exp=4000000000&w=5&scope=w:1-9")) == "200")
        for query in [
            "scope=w:1-9&exp=4000000000&w=5", "exp=4000000001&scope=w:1-9", "exp=4000000000&scope=w:1-99",
            "exp=4000000000&scope=w%3A1-9", "exp=4000000000&%73cope=w:1-9", "scope=w:1-9",
            "exp=4000000000&scope=w:1-9,h:1", "exp=4000000000&w=5",
        ] {
            #expect(try result(target("/a/b", signing: signed, query: query)) == "403 sig", "\(query)")
        }
        #expect(try result(target("/a/b", signing: "scope=w:1-9", query: "exp=4000000000&scope=w:1-9")) == "403 sig")
        let signature = try #require(signer().signature(path: "/a/b".utf8, query: signed.utf8))
        #expect(try result("/a/c?\(signed)&sig=\(signature)") == "403 sig")
        #expect(try result("/a/b?sig=\(signature)&\(signed)&w=3") == "200")
    }

    @Test func `a scoped signature is no full one, nor the reverse`() throws {
        let scope = "scope=w:1-9"
        // Signed as a whole, but sent with a scope.
        #expect(try result(target("/a/b", signing: "\(scope)&w=5", query: "\(scope)&w=5")) == "403 sig")
        #expect(try result(target("/a/b", signing: "w=5", query: "w=5&\(scope)")) == "403 sig")
        #expect(try result(target("/a/b", signing: "", query: scope)) == "403 sig")
        #expect(try result(target("/a/b", signing: "exp=4000000000", query: "exp=4000000000&\(scope)")) == "403 sig")
        // Signed as a scope, but sent without it.
        for query in ["w=5", "exp=4000000000", "", "filename=scope=w:1-9", "v=\(scope)", "w=5&v=scope"] {
            #expect(try result(target("/a/b", signing: scope, query: query)) == "403 sig", "\(query)")
            let timed = "\(scope)&exp=4000000000"
            #expect(try result(target("/a/b", signing: timed, query: query)) == "403 sig", "\(query)")
        }
        // A query of scope and exp alone has one meaning, whoever signs it: that of the scope.
        #expect(try result(target("/a/b", signing: scope, query: scope)) == "200")
        #expect(try result(target("/a/b", signing: scope, query: "\(scope)&h=5")) == "403 h")
    }

    @Test func `a scope without a signature, or without a key, is refused`() throws {
        let open = Self.yaml.replacing(", required: true", with: "")
        #expect(try result("/a/b?w=5&scope=w:1-9") == "403 sig")
        #expect(try result("/a/b?w=5&scope=w:1-9", open) == "403 sig")
        let keyless = "sources: { a: { url: \"https://a.example/\" } }"
        #expect(try result("/a/b?w=5&scope=w:1-9&sig=x", keyless) == "403 sig")
        #expect(try result("/a/b?w=5&scope=w:1-9", keyless) == "403 sig")
        #expect(try result("/a/b?w=5&scope=w&sig=x") == "400 scope")
    }

    @Test func `keys rotate, sites have their own, and their prefix is signed`() throws {
        let scope = "scope=w:1-9"
        let both = Self.yaml.replacing("keys: [\(Self.key)]", with: "keys: [\(Self.key), \(Self.other)]")
        let old = try target("/a/b", signing: scope, query: "\(scope)&w=5", key: Self.other)
        #expect(try result(old, both) == "200")
        #expect(try result(old) == "403 sig")
        let mounted = try #require(signer().signature(path: "/shop/a/b".utf8, query: scope.utf8))
        #expect(try result("/a/b?\(scope)&sig=\(mounted)", mount: "/shop") == "200")
        #expect(try result("/a/b?\(scope)&sig=\(mounted)") == "403 sig")
    }

    @Test func `fetch requires the scope to name the URL`() throws {
        let url = "url=https://x.example/a.png"
        for (scope, result) in [
            ("scope=w:1-9", "403 url"), ("scope=w:1-9,url:*", "200"), ("scope=url:https://x.example/a.png,w:*", "200"),
            ("scope=url:https://x.example/b.png,w:*", "403 url"), ("scope=url64:*,w:*", "403 url"),
        ] {
            #expect(
                try self.result(target("/fetch", signing: scope, query: "\(url)&\(scope)&w=5")) == result,
                "\(scope)"
            )
        }
        let open = Self.yaml.replacing(", required: true", with: "") + "\nremote: { allow: [\"*\"] }"
        #expect(try result("/fetch?\(url)&w=5&scope=w:1-9", open) == "403 sig")
    }

    @Test func `scope, signature and expiry are not part of the key`() throws {
        let resolver = try RequestResolver(try load(Self.yaml), time: ManualTime())
        let targets = try [
            target("/a/b", signing: "w=5", query: "w=5"),
            target("/a/b", signing: "scope=w:1-9", query: "w=5&scope=w:1-9"),
            target("/a/b", signing: "scope=w:*&exp=4000000000", query: "scope=w:*&w=5&exp=4000000000"),
        ]
        let resolved = try targets.map { try resolver.resolve(Array($0.utf8)) }
        #expect(Set(resolved.map { $0.variant(for: .rest).key }).count == 1)
        #expect(resolved[2].expires == 4_000_000_000)
    }

    private func built(_ subject: String, _ parameters: [(name: String, value: String)], _ scope: String) throws
        -> String
    {
        var request = RequestBuilder.Request(subject: subject)
        request.parameters = parameters
        request.scope = scope
        request.expires = 4_000_000_000
        return try RequestBuilder(try RequestResolver(try load(Self.yaml), time: ManualTime())).target(of: request)
    }

    @Test func `edgeprint url signs the scope, so that clients change the parameters`() throws {
        let target = try built("a/ä b.jpg", [("w", "320")], "w:320-1920,format:webp|avif,v:*")
        #expect(
            target.hasPrefix("/a/%C3%A4%20b.jpg?w=320&scope=w:320-1920,format:webp%7Cavif,v:%2A&exp=4000000000&sig=")
        )
        #expect(try result(target) == "200")
        #expect(try result(target.replacing("?w=320", with: "?w=640")) == "200")
        #expect(try result(target + "&format=avif&v=2") == "200")
        #expect(try result(target.replacing("?w=320", with: "?w=300")) == "403 w")
        #expect(try result(target.replacing("exp=4000000000", with: "exp=4000000001")) == "403 sig")
    }

    @Test func `edgeprint url leaves required parameters to clients`() throws {
        let target = try built("a/b.jpg", [], "w!:320-1920,q:*")
        #expect(try result(target) == "403 w")
        #expect(try result(target + "&w=400&q=50") == "200")
        #expect(try result(target + "&w=40") == "403 w")
    }

    @Test(
        arguments: [
            ("a/b.jpg", [("w", "100")], "w:320-1920", 403, "w"), ("a/b.jpg", [("h", "400")], "w:320-1920", 403, "h"),
            ("a/b.jpg", [], "width:320-1920", 400, "scope"), ("a/b.jpg", [], "w=3", 400, "scope"),
            ("a/b.jpg", [("scope", "w:1")], "w:*", 400, "scope"), ("files/b", [], "w:*", 400, "scope"),
            ("https://x.example/a.png", [], "w:*", 403, "url"),
        ] as [(String, [(String, String)], String, UInt16, String)]
    )
    func `edgeprint url refuses scopes that the daemon would refuse, and unknown names`(
        subject: String,
        parameters: [(String, String)],
        scope: String,
        status: UInt16,
        name: String
    ) throws {
        let problem = #expect(throws: Problem.self) {
            try built(subject, parameters.map { (name: $0.0, value: $0.1) }, scope)
        }
        #expect(problem?.status == status && problem?.parameter == name, "\(problem as Any)")
        if scope.hasPrefix("width") { #expect(problem?.detail.contains("did you mean w?") == true) }
    }
}
