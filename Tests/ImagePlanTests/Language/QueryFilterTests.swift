import Testing

@testable import ImagePlan

@Suite(.timeLimit(.minutes(1)))
struct QueryFilterTests {
    @Test(arguments: [
        ("utm_*", "utm_source", true), ("utm_*", "utm_", true), ("utm_*", "Utm_source", false),
        ("*", "anything", true), ("*", "", true), ("*clid", "fbclid", true), ("*clid", "clide", false),
        ("X-Amz-*", "X-Amz-Date", true), ("a*b*c", "a1b2b3c", true), ("a*b*c", "a1c", false), ("v", "v", true),
        ("v", "vv", false), ("**", "x", true),
    ])
    func `a star stands for any characters`(_ pattern: String, _ name: String, _ isMatch: Bool) {
        #expect(Glob(pattern).matches(name) == isMatch)
    }

    @Test func `captures are as short as possible from the left`() {
        #expect(Glob("a*b*").captures("a1b2b3") == ["1", "2b3"])
        #expect(Glob("*.png").captures("x.png.png") == ["x.png"])
        #expect(Glob("x*").captures("y") == nil)
    }

    @Test func `a hostile name takes time in proportion to both lengths`() {
        let pattern = Glob(String(repeating: "a*", count: 30) + "b")
        #expect(!pattern.matches(String(repeating: "a", count: 5_000)))
    }

    @Test func `the most specific entry decides, a name before a pattern`() {
        let filter = QueryFilter(
            forward: ["v", "*", "size_*"],
            ignore: ["utm_*", "size_old_*", "vx"],
            unkeyed: ["X-Amz-*", "utm_id"]
        )
        let cases: [(String, QueryFilter.Use)] = [
            ("v", .forward), ("other", .forward), ("utm_source", .ignore), ("utm_id", .unkeyed), ("size_a", .forward),
            ("size_old_a", .ignore), ("vx", .ignore), ("X-Amz-Signature", .unkeyed),
        ]
        for (name, use) in cases { #expect(filter.use(of: name) == use, "\(name)") }
        #expect(QueryFilter(ignore: ["utm_*"]).use(of: "v") == nil)
    }

    @Test func `unkeyed parameters are sent and not part of the key, in their place`() throws {
        var options = ParseOptions()
        options.query = QueryFilter(forward: ["v", "a"], ignore: ["*"], unkeyed: ["X-*"])
        let parsed = try RequestLanguage.parse(query: "v=2&X-Sig=b%20c&utm=1&w=10&a=%41&X-Date=3", options: options)
        #expect(parsed.forwarded.sent == "v=2&X-Sig=b%20c&a=%41&X-Date=3")
        #expect(parsed.forwarded.keyed == "v=2&a=%41")
        #expect(parsed.plan.canonicalText.contains("w=10"))
    }

    @Test func `sorting is by name, and equal names keep their order`() throws {
        var options = ParseOptions()
        options.query = QueryFilter(forward: ["*"], isSorted: true)
        for query in ["b=1&a=2&a=1", "a=2&b=1&a=1", "a=2&a=1&b=1"] {
            #expect(try RequestLanguage.parse(query: query, options: options).forwardedQuery == "a=2&a=1&b=1")
        }
    }

    @Test func `parameters of the language are neither ignored nor forwarded by a pattern`() throws {
        for filter in [QueryFilter(ignore: ["*"]), QueryFilter(forward: ["*"]), QueryFilter(unkeyed: ["w*"])] {
            var options = ParseOptions()
            options.query = filter
            let parsed = try RequestLanguage.parse(query: "w=10", options: options)
            #expect(parsed.forwardedQuery.isEmpty && parsed.plan.canonicalText.contains("w=10"))
        }
    }

    @Test func `the query of a whole URL is forwarded unless a name or pattern says otherwise`() {
        let filter = QueryFilter(ignore: ["utm_*"], unkeyed: ["sig"])
        #expect(filter.apply(to: "a=1&utm_x=2&s%69g=3&&b") == .init(sent: "a=1&s%69g=3&b", keyed: "a=1&b"))
        #expect(QueryFilter(ignore: ["*"]).apply(to: "a=1&b=2") == .init())
        #expect(QueryFilter().apply(to: "b=1&&a=2&") == .init(sent: "b=1&&a=2&", keyed: "b=1&&a=2&"))
    }
}
