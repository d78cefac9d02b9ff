import ImagePlan
import Testing

/// The grammar of `scope`, and what a query may have under it.
@Suite(.timeLimit(.minutes(1)))
struct SignatureScopeTests {
    private func scope(_ text: String) throws -> SignatureScope {
        try SignatureScope(parsing: Parameter("scope", text))
    }

    @Test(arguments: [
        (
            "w:320-1920", "w", ["320", "1920", "1000", "0320", "500.5"],
            ["319", "1921", "", "auto", "1e3", "-400", "3-20"]
        ),
        ("dpr:1-3", "dpr", ["1", "2.5", "3"], ["0.9", "3.1"]),
        ("rotate:-90-90", "rotate", ["-90", "0", "90"], ["-91", "91"]),
        ("rotate:-90--10", "rotate", ["-90", "-10"], ["0", "10"]),
        ("format:webp|avif", "format", ["webp", "avif"], ["jpeg", "webp|avif", "WEBP"]),
        // jpg is another spelling of jpeg.
        ("format:jpg", "format", ["jpg", "jpeg"], ["JPG", "jpe", "webp"]),
        ("format:webp|jpeg", "format", ["webp", "jpg", "jpeg"], ["png"]),
        ("v:jpg", "v", ["jpg"], ["jpeg"]),
        ("w:auto|100-200|640", "w", ["auto", "150", "640"], ["641", "99"]),
        ("format:*", "format", ["webp", "anything", "*", ""], []),
        ("watermark:logo%2C1.png%2Csoutheast", "watermark", ["logo,1.png,southeast"], ["logo%2C1.png%2Csoutheast"]),
        ("v:1%2D2|a%7Cb|%2A", "v", ["1-2", "a|b", "*"], ["1", "2", "a", "b"]),
        ("url:https://cdn.example/a.png", "url", ["https://cdn.example/a.png"], ["https://cdn.example/b.png"]),
        ("v:50%25", "v", ["50%"], ["50", "50%25"]),
    ])
    func `permits the values of ranges, lists and texts, and no others`(
        text: String,
        name: String,
        permitted: [String],
        refused: [String]
    ) throws {
        let scope = try scope(text)
        for value in permitted { #expect(scope.refusal(of: name, value: value) == nil, "\(value)") }
        for value in refused {
            let refusal = try #require(scope.refusal(of: name, value: value), "\(value)")
            #expect(refusal.parameter == name && refusal.status == .forbidden)
        }
    }

    @Test func `refuses parameters that it does not name, whatever their value`() throws {
        let scope = try scope("w:320-1920,dpr:1-3,format:*")
        for name in ["h", "blur", "preset", "refresh", "timing", "retry", "wait-store", "url", "W", "w ", "v", "", "*"]
        {
            let refusal = try #require(scope.refusal(of: name, value: "1"), "\(name)")
            #expect(refusal.parameter == name && refusal.status == .forbidden)
            #expect(refusal.reason == "is not in the signed scope, which permits w, dpr, format")
        }
        for name in ["sig", "exp", "scope"] { #expect(scope.refusal(of: name, value: "x") == nil) }
        let wide = try #require(scope.refusal(of: "w", value: "2000"))
        #expect(wide.reason == "is outside the signed scope, which permits 320-1920")
    }

    @Test(arguments: [
        "w", "w:", ":1", "w:1,", ",w:1", "w:1,,h:1", "w:1-2,w:3", "w:2-1", "w:1|", "w:|1", "w:*|1", "w:1|*", "sig:*",
        "exp:1-2", "scope:*", "w:%2", "w:%00", "%:1", "w:1,%77:2", "!:1", "w!", "w:1,w!:2", "exp!:*",
    ])
    func `refuses what is not in the grammar`(text: String) {
        let error = #expect(throws: RequestError.self) { try scope(text) }
        #expect(error?.parameter == "scope" && error?.status == .malformed)
    }

    @Test func `has at most 64 entries`() throws {
        let entries = (0..<65).map { "n\($0):*" }
        #expect(try scope(entries.dropLast().joined(separator: ",")).names.count == 64)
        #expect(throws: RequestError.self) { try scope(entries.joined(separator: ",")) }
    }

    private func parse(_ query: String) throws -> ParsedQuery {
        try RequestLanguage.parse(query: query, options: ParseOptions(forwardNames: ["v"], ignoreNames: ["utm"]))
    }

    @Test(arguments: [
        ("scope=w:1-9&w=5&sig=x", "scope=w:1-9"), ("w=5&sig=x&scope=w:1-9", "scope=w:1-9"),
        ("exp=9&w=5&scope=w:1-9&sig=x", "exp=9&scope=w:1-9"), ("scope=w:1-9&sig=x&&w=5&exp=9", "scope=w:1-9&exp=9"),
        ("%73cope=w%3A1-9&sig=x&w=5", "%73cope=w%3A1-9"), ("scope=w:1-9&%65xp=9", "scope=w:1-9&%65xp=9"),
        ("scope=w:1-9", "scope=w:1-9"),
    ])
    func `the signed text has the pairs scope and exp alone, as sent`(query: String, signed: String) throws {
        let parsed = try parse(query)
        #expect(parsed.signedQuery == signed && parsed.scopeViolation == nil)
    }

    @Test(arguments: [
        ("h=5", "h"), ("w=5&w=5", nil), ("w=10", "w"), ("v=1", "v"), ("utm=1", "utm"), ("refresh=1", "refresh"),
        ("filename=a", "filename"), ("w=5&blur=1", "blur"), ("%68=5", "h"), ("preset=none", "preset"),
    ])
    func `names the first parameter that is not permitted`(query: String, name: String?) throws {
        guard let name else {
            #expect(throws: RequestError.self) { try parse("scope=w:1-9&\(query)") }
            return
        }
        #expect(try parse("scope=w:1-9&\(query)").scopeViolation?.parameter == name)
        #expect(try parse("\(query)&scope=w:1-9").scopeViolation?.parameter == name)
    }

    @Test func `permits repetition of steps only`() throws {
        #expect(try parse("scope=w:1-9&w=5").scopeViolation == nil)
        #expect(try parse("scope=watermark:*&watermark=a/b.png&watermark=a/c.png").scopeViolation == nil)
        let twice = try parse("scope=v:1|2&v=1&v=2").scopeViolation
        #expect(twice?.parameter == "v" && twice?.status == .forbidden)
    }

    @Test func `requires the parameters with an exclamation mark`() throws {
        #expect(try parse("scope=w!:1-9,h:1-9&w=5").scopeViolation == nil)
        #expect(try parse("w=5&scope=w%21:1-9,h:1-9&h=2").scopeViolation == nil)
        for query in ["", "&h=5"] {
            #expect(try parse("scope=w!:1-9,h:1-9\(query)").scopeViolation != nil, "\(query)")
        }
        let missing = try #require(try parse("scope=w!:1-9").scopeViolation)
        #expect(missing.parameter == "w" && missing.reason == "is required by the signed scope")
        // An encoded mark is part of the name.
        #expect(try scope("a%21:*").refusal(of: "a!", value: "1") == nil)
    }

    @Test func `a scope is given once, is not part of the plan, and requests no transform`() throws {
        #expect(throws: RequestError.self) { try parse("scope=w:1-9&scope=w:1-9") }
        #expect(throws: RequestError.self) { try parse("scope=") }
        #expect(try parse("scope=w:1-9").isBare)
        #expect(try parse("scope=w:1-9&w=5").plan == parse("w=5").plan)
        #expect(RequestLanguage.isReserved("scope"))
        #expect(throws: RequestError.self) { try Preset(name: "a", text: "scope=w:1-9") }
    }

    @Test func `texts with and without a scope are disjoint`() throws {
        for query in ["w=5", "exp=9", "w=5&exp=9&sig=x", "v=scope%3Dw:1&sig=x", "", "filename=scope"] {
            let signed = try parse(query).signedQuery
            let names = try QueryPair.split(Array(signed.utf8)).map(\.name)
            #expect(!names.contains("scope"), "\(query)")
        }
        for query in ["scope=w:1-9&sig=x", "exp=9&scope=w:1-9", "w=5&scope=w:1-9"] {
            let names = try QueryPair.split(Array(parse(query).signedQuery.utf8)).map(\.name)
            #expect(names.count { $0 == "scope" } == 1, "\(query)")
        }
    }
}
