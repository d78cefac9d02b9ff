import HTTPSemantics
import ImagePipeline
import ImagePlan
import OriginTransfer
import TestSupport
import Testing

@testable import ProxyServer

/// What rules decide, without a daemon.
@Suite(.timeLimit(.minutes(1)))
struct RuleSetTests {
    private func resolver(_ rules: String, more: String = "") throws -> RequestResolver {
        let yaml = """
            presets: { thumb: "w=200", wide: "w=900" }
            sources:
              photos: { url: "https://photos.example.com/a/", preset: wide, forward-query: [v], ttl: 10s }
              other: { url: "https://other.example.com/" }
            remote: { allow: ["*"] }
            \(more)
            rules:
            \(rules.split(separator: "\n").map { "  - \($0)" }.joined(separator: "\n"))
            """
        return try RequestResolver(try load(yaml), time: ManualTime())
    }

    private func variant(
        _ resolver: RequestResolver,
        _ target: String,
        _ fields: [(String, String)] = []
    ) throws -> VariantRequest {
        var resolver = resolver
        let lines = FieldLines(fields.compactMap { FieldLine($0, $1) })
        resolver.traits = resolver.table.rules.matchers?.traits(of: lines) ?? []
        return try resolver.resolve(Array(target.utf8)).variant(for: .rest)
    }

    @Test func `all conditions of a rule must hold`() throws {
        let resolver = try resolver(
            """
            { match: { source: photos, host: "photos.*.com", path: "b/**", request-header: { X-Kind: "a*" } }, set: { ttl: 1d } }
            """
        )
        let cases: [(String, [(String, String)], Int64)] = [
            ("/photos/b/x", [("X-Kind", "ab")], 86_400), ("/photos/b/x", [("X-Kind", "b")], 10),
            ("/photos/b/x", [], 10),
            ("/photos/c/x", [("X-Kind", "ab")], 10), ("/other/b/x", [("X-Kind", "ab")], 3_600),
        ]
        for (target, fields, ttl) in cases {
            #expect(try variant(resolver, target, fields).origin.source.ttl == ttl, "\(target) \(fields)")
        }
    }

    @Test func `all matching rules apply in order, a later set wins, and last ends`() throws {
        let resolver = try resolver(
            """
            { set: { ttl: 1m, quality: { jpeg: 11, webp: 12 }, preset: thumb } }
            { match: { path: "b/**" }, set: { quality: { jpeg: 21 } } }
            { match: { path: "b/c/**" }, set: { ttl: 3m }, last: true }
            { set: { ttl: 4m } }
            """
        )
        let plain = try variant(resolver, "/photos/x")
        #expect(plain.origin.source.ttl == 240 && plain.quality.jpeg == 11 && plain.plan?.contains("w=200") == true)
        let below = try variant(resolver, "/photos/b/x")
        #expect(below.origin.source.ttl == 240 && below.quality.jpeg == 21 && below.quality.webp == 12)
        #expect(try variant(resolver, "/photos/b/c/x").origin.source.ttl == 180)
    }

    @Test func `a rule's preset replaces the source's, and comes before one of the URL`() throws {
        let resolver = try resolver("{ match: { path: \"b/**\" }, set: { preset: thumb } }")
        #expect(try variant(resolver, "/photos/x").presets == ["wide"])
        #expect(try variant(resolver, "/photos/b/x").presets == ["thumb"])
        #expect(try variant(resolver, "/photos/x?preset=thumb").presets == ["wide", "thumb"])
        #expect(try variant(resolver, "/photos/b/x?preset=wide").presets == ["thumb", "wide"])
        #expect(try variant(resolver, "/photos/b/x?preset=thumb").presets == ["thumb"])
        #expect(try variant(resolver, "/photos/b/x?w=5").plan?.contains("w=5") == true)
        #expect(try variant(resolver, "/photos/b/x?preset=none").plan == nil)
        #expect(try variant(resolver, "/fetch?url=https%3A%2F%2Fa.example%2Fb%2Fx").presets == ["thumb"])
    }

    @Test func `host is that of the original's URL, for /fetch that of the URL`() throws {
        let resolver = try resolver("{ match: { host: \"*.example.com\" }, set: { ttl: 1d } }")
        #expect(try variant(resolver, "/photos/x").origin.source.ttl == 86_400)
        #expect(try variant(resolver, "/fetch?url=http%3A%2F%2FA.example.com%2Fx").origin.source.ttl == 86_400)
        #expect(try variant(resolver, "/fetch?url=http%3A%2F%2Fexample.org%2Fx").origin.source.ttl == 3_600)
    }

    @Test func `the request's Host is compared as a field, without its port`() throws {
        let resolver = try resolver("{ match: { request-header: { Host: \"img.*\" } }, set: { preset: thumb } }")
        #expect(try variant(resolver, "/other/x", [("Host", "IMG.shop.example:8080")]).presets == ["thumb"])
        #expect(try variant(resolver, "/other/x", [("Host", "www.shop.example")]).presets.isEmpty)
        #expect(try variant(resolver, "/other/x", [("Host", "[::1]:80")]).presets.isEmpty)
    }

    @Test func `rewriting comes before the key, so that both spellings share an original`() throws {
        let resolver = try resolver(
            """
            { match: { path: "old/*/**" }, set: { path: "new/$2/$1", query: { v: "1", debug: null } } }
            """,
            more: "signing: { required: false }"
        )
        let old = try variant(resolver, "/photos/old/a%20b/c.png?v=9")
        #expect(old.origin.target.text == "https://photos.example.com/a/new/c.png/a%20b?v=1")
        #expect(old.origin.key == (try variant(resolver, "/photos/new/c.png/a%20b?v=1")).origin.key)
        let fetched = try variant(resolver, "/fetch?url=https%3A%2F%2Fa.example%2Fold%2Fx%2Fy%3Fdebug%3D1%26z%3D2")
        #expect(fetched.origin.target.text == "https://a.example/new/y/x?z=2&v=1")
    }

    @Test func `a rewritten path cannot leave its source`() throws {
        let resolver = try resolver("{ match: { path: \"a*/**\" }, set: { path: \"$1./x\" } }")
        #expect(throws: Problem.self) { try variant(resolver, "/photos/a./y") }
        #expect(throws: Problem.self) { try variant(resolver, "/fetch?url=https%3A%2F%2Fa.example%2Fa.%2Fy") }
    }

    @Test func `deny is 403 after the signature, and allow lifts it`() throws {
        let resolver = try resolver(
            """
            { match: { path: "internal/**" }, set: { deny: true } }
            { match: { path: "internal/logo.png" }, set: { allow: true } }
            """
        )
        for target in [
            "/photos/internal/a", "/photos/%69nternal/a", "/fetch?url=https%3A%2F%2Fa.example%2Fx%2F..%2Finternal%2Fa",
            "/fetch?url=https%3A%2F%2Fa.example%2F%2569nternal%2Fa", "/other/a?w=9&watermark=%2Fphotos%2Finternal%2Fa",
        ] {
            let error = #expect(throws: Problem.self, "\(target)") { try variant(resolver, target) }
            #expect(error?.status == 403, "\(target) \(error?.detail ?? "")")
        }
        #expect(try variant(resolver, "/photos/internal/logo.png").origin.target.text.hasSuffix("logo.png"))
        // A path that cannot be compared is refused.
        let error = #expect(throws: Problem.self) {
            try variant(resolver, "/fetch?url=https%3A%2F%2Fa.example%2F%25ff%2Fa")
        }
        #expect(error?.status == 400)
    }

    @Test func `fields for the origin replace the source's, and are part of the key`() throws {
        let resolver = try resolver(
            """
            { match: { path: "b/**" }, set: { request-headers: { X-Tier: gold, Referer: null } } }
            """
        )
        let own = try variant(resolver, "/photos/b/x").origin
        #expect(own.source.headers == [HeaderField(name: "X-Tier", value: "gold")])
        let without = try self.resolver("{ match: { path: \"c/**\" }, set: { ttl: 1d } }")
        #expect(own.key != (try variant(without, "/photos/b/x")).origin.key)
    }

    @Test func `a lifetime alone does not change keys, unless requests for one URL can differ in it`() throws {
        let none = try resolver("{ match: { path: \"z\" }, set: { ttl: 1d } }")
        let plain = try resolver("{ set: { ttl: 2d } }")
        #expect(try variant(none, "/photos/x").origin.key == (try variant(plain, "/photos/x")).origin.key)
        let byClient = try resolver("{ match: { request-header: { X-Kind: a } }, set: { ttl: 2d } }")
        let own = try variant(byClient, "/photos/x", [("X-Kind", "a")])
        let other = try variant(byClient, "/photos/x")
        #expect(own.origin.key != other.origin.key)
        #expect(other.origin.key == (try variant(none, "/photos/x")).origin.key)
    }

    @Test func `conditions on the original change lifetimes and statuses in the rules' order`() {
        var typed = RuleEffects.Condition()
        typed.types = [.svg]
        var marked = RuleEffects.Condition()
        marked.fields = [RuleEffects.Field(name: "x-placeholder", value: Glob("*"))]
        var effects = RuleEffects()
        effects.base = .init(ttl: 1, minimum: 0, maximum: 9)
        effects.steps = [
            .init(condition: typed, lifetimes: .init(ttl: 2), status: [:], isLast: false),
            .init(condition: marked, lifetimes: .init(maximum: 5), status: [200: 404], isLast: true),
            .init(condition: .init(), lifetimes: .init(ttl: 3), status: [403: 404], isLast: false),
        ]
        let fields = FieldLines([FieldLine("X-Placeholder", "1")].compactMap(\.self))
        #expect(effects.lifetimes(.init(type: .jpeg)) == .init(ttl: 3, minimum: 0, maximum: 9))
        #expect(effects.lifetimes(.init(type: .svgz, fields: fields)) == .init(ttl: 2, minimum: 0, maximum: 5))
        #expect(effects.treatedStatus(200, fields) == 404)
        #expect(effects.treatedStatus(200, FieldLines()) == 200)
        #expect(effects.treatedStatus(403, FieldLines()) == 404)
        #expect(effects.treatedStatus(403, fields) == 403)
    }

    @Test func `spellings of tracking parameters share a key, also for /fetch and by host`() throws {
        let resolver = try resolver(
            """
            { match: { source: photos }, set: { ignore-query: ["utm_*", fbclid] } }
            { match: { source: fetch, host: "*.example.org" }, set: { ignore-query: ["*"] } }
            """,
            more: ""
        )
        let key = try variant(resolver, "/photos/x?w=5").key
        for query in ["utm_source=a&w=5", "w=5&utm_campaign=b", "w=5&fbclid=1"] {
            #expect(try variant(resolver, "/photos/x?\(query)").key == key)
        }
        let fetched = try variant(resolver, "/fetch?url=https%3A%2F%2Fa.example.org%2Fx%3Fa%3D1%26b&w=5").origin
        #expect(fetched.target.text == "https://a.example.org/x")
        let other = try variant(resolver, "/fetch?url=https%3A%2F%2Fa.example.net%2Fx%3Fa%3D1&w=5").origin
        #expect(other.target.text == "https://a.example.net/x?a=1")
    }

    @Test func `responses vary by the fields of rules for their auxiliary images, too`() throws {
        let resolver = try resolver(
            "{ match: { path: \"marks/**\", request-header: { X-Kind: a } }, set: { ttl: 1d } }"
        )
        for (target, varies) in [
            ("/photos/x?w=9&watermark=/photos/marks/m", true), ("/photos/x?w=9", false), ("/photos/marks/m?w=9", true),
        ] {
            let fields = try resolver.resolve(Array(target.utf8)).fields.all
            #expect(String(decoding: fields, as: UTF8.self).contains("Vary: x-kind\r\n") == varies, "\(target)")
        }
    }

    @Test func `the originals at a URL have the keys that rules give them`() throws {
        let resolver = try resolver(
            """
            { match: { host: "*.example.org" }, set: { ignore-query: ["*"] } }
            { match: { source: photos, path: "b/**" }, set: { unkeyed-query: [token] } }
            """
        )
        let fetched = try variant(resolver, "/fetch?url=https%3A%2F%2Fa.example.org%2Fx%3Fa%3D1").origin.key
        #expect(try resolver.originals(at: OriginURL("https://a.example.org/x?a=2")).map(\.key).contains(fetched))
        let own = try variant(resolver, "/photos/b/x?v=1&token=2").origin
        #expect(own.unkeyed == "/a/b/x?v=1&token=2")
        let found = try resolver.originals(at: OriginURL("https://photos.example.com/a/b/x?v=1&token=3"))
        #expect(found.map(\.key).contains(own.key))
    }

    @Test func `a source without rules is resolved as before`() throws {
        let resolver = try RequestResolver(try load(ExplainerTests.yaml), time: ManualTime())
        #expect(resolver.table.rules.isEmpty && resolver.table.rules.matchers == nil)
        #expect(try variant(resolver, "/photos/x").origin.source.effects == nil)
    }
}
