import HTTPSemantics
import Testing

@testable import HTTPCache
@testable import ImagePipeline

@Suite(.timeLimit(.minutes(1)))
struct CacheDecisionTests {
    static let now: Int64 = 1_700_000_000

    private func lines(_ lines: [String]) -> FieldLines { FieldLines(lines.compactMap { FieldLine(line: $0.utf8) }) }

    private func request(_ fields: [String] = [], method: String = "GET", swr: Int64 = 0, sie: Int64 = 0)
        -> CacheRequest<OriginRequest>
    {
        var rule = SourceRule(
            name: "x",
            location: .http(prefix: "http://x.test/"),
            staleWhileRevalidate: swr,
            staleIfError: sie
        )
        rule.isRaw = true
        let origin = OriginRequest(source: rule, at: "http://x.test/a")
        return CacheRequest(method: method, origin: origin, fields: lines(fields))
    }

    private func stored(_ fields: [String], to request: CacheRequest<OriginRequest>? = nil, age: Int64 = 0) throws
        -> StoredResponse
    {
        let request = request ?? self.request()
        let stored = received(fields, to: request, age: age)
        return try #require(stored.isStorable(for: request) ? stored : nil)
    }

    private func received(_ fields: [String], to request: CacheRequest<OriginRequest>, age: Int64 = 0)
        -> StoredResponse
    {
        let response = FetchedResponse(
            status: 200,
            fields: lines(fields),
            content: .bytes([1]),
            requestTime: Self.now - age,
            responseTime: Self.now - age
        )
        return StoredResponse(response, to: request, policy: response.policy(for: request))
    }

    private func word(_ request: CacheRequest<OriginRequest>, _ stored: [StoredResponse]) -> String {
        switch CacheDecision(request, stored: stored, now: Self.now) {
        case .serve(_, isStale: false, refreshes: false): "hit"
        case .serve(_, isStale: true, refreshes: false): "stale"
        case .serve(_, isStale: _, refreshes: true): "refresh"
        case .complete: "complete"
        case .validate(_, let reason): "validate \(reason.rawValue)"
        case .forward(let reason): "forward \(reason.rawValue)"
        case .unavailable: "504"
        case .refuse: "503"
        }
    }

    @Test(
        arguments: [
            ("max-age=60", 10, [], "hit"), ("max-age=60", 59, [], "hit"), ("max-age=60", 60, [], "validate stale"),
            ("max-age=60, no-cache", 1, [], "validate stale"), ("max-age=60, no-cache=\"x\"", 1, [], "hit"),
            ("max-age=60", 10, ["Cache-Control: no-cache"], "validate request"),
            ("max-age=60", 10, ["Pragma: no-cache"], "validate request"),
            ("max-age=60", 10, ["Pragma: no-cache", "Cache-Control: x"], "hit"),
            ("max-age=60", 10, ["Cache-Control: max-age=9"], "validate request"),
            ("max-age=60", 10, ["Cache-Control: max-age=10"], "hit"),
            ("max-age=60", 10, ["Cache-Control: min-fresh=50"], "hit"),
            ("max-age=60", 10, ["Cache-Control: min-fresh=51"], "validate request"),
            ("max-age=60", 10, ["Cache-Control: no-store"], "forward request"),
            ("max-age=60", 10, ["If-Match: \"a\""], "forward request"),
            ("max-age=60", 70, ["Cache-Control: max-stale"], "stale"),
            ("max-age=60", 70, ["Cache-Control: max-stale=10"], "stale"),
            ("max-age=60", 70, ["Cache-Control: max-stale=9"], "validate stale"),
            ("max-age=60, must-revalidate", 70, ["Cache-Control: max-stale"], "validate stale"),
            ("max-age=60, proxy-revalidate", 70, ["Cache-Control: max-stale"], "validate stale"),
            ("s-maxage=60", 70, ["Cache-Control: max-stale"], "validate stale"),
            ("max-age=60, stale-while-revalidate=20", 79, [], "refresh"),
            ("max-age=60, stale-while-revalidate=20", 80, [], "validate stale"),
            ("max-age=60, stale-while-revalidate=20, must-revalidate", 70, [], "validate stale"),
            ("max-age=60, stale-while-revalidate=20", 70, ["Cache-Control: max-age=100"], "validate stale"),
            ("max-age=60", 10, ["Cache-Control: only-if-cached"], "hit"),
            ("max-age=60", 70, ["Cache-Control: only-if-cached"], "504"),
            ("max-age=60", 70, ["Cache-Control: only-if-cached, max-stale"], "stale"),
            ("max-age=60", 70, ["Range: bytes=0-0"], "validate stale"),
        ] as [(String, Int64, [String], String)]
    )
    func `decides by age and the directives of both sides`(
        control: String,
        age: Int64,
        fields: [String],
        decision: String
    ) throws {
        let response = try stored(["Cache-Control: \(control)", "ETag: \"a\""], age: age)
        #expect(word(request(fields), [response]) == decision)
    }

    @Test func `forwards other methods and misses to the origin`() throws {
        let response = try stored(["Cache-Control: max-age=60"])
        #expect(word(request(method: "POST"), [response]) == "forward method")
        #expect(word(request(method: "HEAD"), [response]) == "hit")
        #expect(word(request(), []) == "forward uri-miss")
        #expect(word(request(["Cache-Control: only-if-cached"]), []) == "504")
        let stale = try stored(["Cache-Control: max-age=1"], age: 5)
        #expect(word(request(["Range: bytes=0-0"]), [stale]) == "forward partial")
        #expect(word(request(swr: 10), [stale]) == "refresh")
    }

    @Test(
        arguments: [
            ("Foo", ["Foo: 1, 2"], ["Foo: 1,2"], true), ("Foo", ["Foo: 1, 2"], ["Foo: 1", "Foo: 2"], true),
            ("Foo", ["Foo: 1"], ["foo: 2"], false), ("Foo", ["Foo: 1"], [], false), ("Foo", [], [], true),
            ("foo, Bar", [], ["Bar: 1"], false),
            ("Foo", ["Foo: a"], ["Foo: A"], false),
            ("Accept-Language", ["Accept-Language: de, en;q=0.5"], ["accept-language: EN;q=0.5,De"], true),
            ("Accept-Language", ["Accept-Language: de, en"], ["Accept-Language: en, de"], true),
            ("Accept-Language", ["Accept-Language: de, en;q=0.5"], ["Accept-Language: en, de;q=0.5"], false),
            ("Accept", ["Accept: a/b, c/d"], ["Accept: c/d, a/b"], false),
            ("Foo", ["Foo: \"a, b\""], ["Foo: \"a,b\""], false),
        ] as [(String, [String], [String], Bool)]
    )
    func `matches the fields of Vary in any spelling`(
        vary: String,
        first: [String],
        second: [String],
        matches: Bool
    ) throws {
        let response = try stored(["Cache-Control: max-age=60", "Vary: \(vary)"], to: request(first))
        #expect(word(request(second), [response]) == (matches ? "hit" : "forward vary-miss"))
    }

    @Test func `a response whose Vary has too many names is not stored`() throws {
        let names = (0...VaryKey.maximumNames).map { "X-\($0)" }
        func vary(_ names: some Sequence<String>) -> String { "Vary: " + names.joined(separator: ", ") }
        let response = try stored(["Cache-Control: max-age=60", vary(names.dropLast())])
        #expect(word(request(), [response]) == "hit")
        #expect(word(request(["X-0: a"]), [response]) == "forward vary-miss")
        let other = received(["Cache-Control: max-age=60", vary(names)], to: request())
        #expect(!other.isStorable(for: request()) && !other.matches(request()))
    }

    @Test func `serves the newest of several matches, and limits the number of variants`() throws {
        let fields = ["Cache-Control: max-age=60"]
        let old = try stored(fields + ["A: old"], age: 20)
        let new = try stored(fields + ["A: new", "Vary: B"], age: 10)
        guard case .serve(let served, _, _) = CacheDecision(request(), stored: [new, old], now: Self.now) else {
            Issue.record("nothing is served")
            return
        }
        #expect(served.fields["a"] == "new")
        var entry = RawEntry(PurgeSubject(origin: CacheKey(hashing: "x"), source: "x"))
        for number in 0..<RawEntry.maximumVariants + 5 {
            let request = request(["B: \(number)"])
            entry.keep(try stored(fields + ["Vary: B"], to: request), for: request)
        }
        #expect(entry.responses.count == RawEntry.maximumVariants)
    }

    @Test(
        arguments: [
            ("max-age=60, stale-if-error=20", 0, 70, true), ("max-age=60, stale-if-error=20", 0, 80, false),
            ("max-age=60", 0, 70, false), ("max-age=60", 20, 70, true), ("max-age=60, must-revalidate", 20, 70, false),
            ("s-maxage=60", 20, 70, false), ("s-maxage=60, stale-if-error=20", 0, 70, true),
            ("max-age=60, no-cache, stale-if-error=20", 20, 70, false),
        ] as [(String, Int64, Int64, Bool)]
    )
    func `serves a stale response in place of an error for as long as either side allows`(
        control: String,
        source: Int64,
        age: Int64,
        allows: Bool
    ) throws {
        let response = try stored(["Cache-Control: \(control)", "ETag: \"a\""], age: age)
        #expect(response.mayReplaceError(at: Self.now, for: request(sie: source)) == allows)
        #expect(!response.mayReplaceError(at: Self.now, for: request(["Cache-Control: no-cache"], sie: source)))
    }

    @Test func `a 304 updates all fields except those of the content`() throws {
        var response = try stored(
            ["Cache-Control: max-age=1", "ETag: \"a\"", "A: 1", "B: 1", "Content-Encoding: x"],
            age: 50
        )
        let news = FetchedResponse(
            status: 304,
            fields: lines(["Cache-Control: max-age=60", "A: 2", "Content-Length: 9", "Content-Encoding: y", "Age: 7"]),
            content: .bytes([]),
            requestTime: Self.now,
            responseTime: Self.now
        )
        response.update(with: news, for: request(), bounds: ResponsePolicy.Bounds())
        #expect(response.fields["a"] == "2" && response.fields["b"] == "1")
        #expect(response.fields["content-encoding"] == "x" && response.fields["content-length"] == nil)
        #expect(response.policy.freshness.age(at: Self.now) == 7)
        #expect(word(request(), [response]) == "hit")
    }
}
