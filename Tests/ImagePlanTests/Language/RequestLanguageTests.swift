import ImagePlan
import Testing

@Suite(.timeLimit(.minutes(1)))
struct RequestLanguageTests {
    private func canonical(_ query: String) throws -> String {
        try RequestLanguage.parse(query: query, options: ParseOptions()).plan.canonicalText
    }

    @Test(arguments: [
        // Resize: one step, at the place of its first parameter; defaults omitted.
        ("w=300", "1?w=300"),
        ("h=300", "1?h=300"),
        ("h=300&w=400", "1?w=400&h=300"),
        ("w=300&fit=contain&enlarge=0&gravity=center&dpr=1", "1?w=300"),
        ("w=400&h=300&fit=cover&gravity=attention", "1?w=400&h=300&fit=cover&gravity=attention"),
        ("gravity=attention&fit=cover&w=400&h=300", "1?w=400&h=300&fit=cover&gravity=attention"),
        ("crop=400x300&gravity=subject", "1?crop=400x300&gravity=subject"),
        ("w=400&h=300&fit=cover&gravity=subject", "1?w=400&h=300&fit=cover&gravity=subject"),
        ("w=400&h=300&fit=cover&gravity=0.3,0.7", "1?w=400&h=300&fit=cover&gravity=0.3,0.7"),
        ("w=400&h=300&fit=cover&gravity=.300,0.70", "1?w=400&h=300&fit=cover&gravity=0.3,0.7"),
        ("w=400&h=300&fit=cover&gravity=0.5,0.5", "1?w=400&h=300&fit=cover"),
        ("w=400&h=300&fit=cover&gravity=1,0", "1?w=400&h=300&fit=cover&gravity=northeast"),
        ("w=400&h=300&fit=fill&enlarge=1", "1?w=400&h=300&enlarge=1&fit=fill"),
        ("linear=1&w=400", "1?w=400&linear=1"), ("w=400&linear=0", "1?w=400"),
        ("w=400&h=300&fit=pad&bg=fff", "1?w=400&h=300&bg=ffffff&fit=pad"),
        // Attributes without effect are dropped.
        ("w=400&fit=cover", "1?w=400"),
        ("w=400&h=300&gravity=north", "1?w=400&h=300"),
        ("w=400&h=300&fit=pad&gravity=entropy", "1?w=400&h=300&fit=pad"),
        ("w=400&h=300&fit=pad&gravity=subject", "1?w=400&h=300&fit=pad"),
        ("w=007", "1?w=7"),
        // dpr scales lengths, except those of crop.
        ("w=300&dpr=2", "1?w=600"),
        ("dpr=1.5&w=101", "1?w=152"),
        ("w=300&h=200&dpr=2&round=10&border=2,f80&blur=1.5", "1?w=600&h=400&round=20&border=4,ff8800&blur=3"),
        ("crop=10,10,50,50&w=300&dpr=2", "1?crop=10,10,50,50&w=600"),
        ("w=300&dpr=2&sharpen=1&round=50%25", "1?w=600&sharpen=1&round=max"),
        // Steps keep their order.
        ("blur=8&w=300", "1?blur=8&w=300"),
        ("w=300&blur=8", "1?w=300&blur=8"),
        ("w=300&blur=8&h=200", "1?w=300&h=200&blur=8"),
        ("blur=1&blur=2&blur=1", "1?blur=1&blur=2&blur=1"),
        // The spellings of each step.
        ("crop=400x300", "1?crop=400x300"),
        ("crop=400x300&gravity=south", "1?crop=400x300&gravity=south"),
        ("crop=10%25,20%25,50.50%25,100%25", "1?crop=10%25,20%25,50.5%25,100%25"),
        ("crop=50%25x100", "1?crop=50%25x100"),
        ("crop=-10,-5,100,100", "1?crop=-10,-5,100,100"),
        ("round=max", "1?round=max"),
        ("round=20,20,20,20", "1?round=20"),
        ("round=20,0,0%25,max", "1?round=20,0,0,max"),
        ("round=10%25", "1?round=10%25"),
        ("border=2.50,FF8800FF", "1?border=2.5,ff8800"),
        ("border=1,%23abcdef80", "1?border=1,abcdef80"),
        ("blur=0.30", "1?blur=0.3"),
        ("sharpen=10.0", "1?sharpen=10"),
        ("flip=h&flip=v&flip=hv&flip=vh", "1?flip=h&flip=v&flip=hv&flip=hv"),
        ("rotate=90", "1?rotate=90"),
        ("rotate=90&expand=1", "1?rotate=90"), ("expand=0&rotate=90", "1?rotate=90&expand=0"),
        ("rotate=30&expand=0&rotate=180", "1?rotate=30&rotate=180&expand=0"), ("rotate=180&expand=0", "1?rotate=180"),
        ("rotate=-90", "1?rotate=270"),
        ("rotate=450", "1?rotate=90"),
        ("rotate=12.50", "1?rotate=12.5"),
        ("rotate=360&rotate=0&rotate=-720", "1?"),
        // Settings, sorted.
        ("q=80&format=webp&meta=keep", "1?format=webp&meta=keep&q=80"),
        ("format=auto&meta=strip", "1?"),
        ("format=source", "1?format=source"),
        ("bg=ff880000", "1?"),
        ("bg=FF8800", "1?bg=ff8800"),
        // Grammar.
        ("", "1?"),
        ("&&w=300&&", "1?w=300"),
        ("%77=3%300", "1?w=300"),
    ])
    func `parses a query into its canonical text`(query: String, expected: String) throws {
        #expect(try canonical(query) == expected)
    }

    @Test func `the order of steps matters`() throws {
        #expect(try canonical("blur=8&w=300") != canonical("w=300&blur=8"))
    }

    @Test func `a query without transform parameters is bare`() throws {
        let options = ParseOptions(forwardNames: ["v"], ignoreNames: ["utm"])
        for query in ["", "&", "v=1", "utm=2", "filename=a.jpg&download=1", "exp=1&sig=x", "preset=none"] {
            #expect(try RequestLanguage.parse(query: query, options: options).isBare, "\(query)")
        }
        for query in ["w=1", "format=auto", "q=80", "bg=fff", "rotate=0"] {
            #expect(try !RequestLanguage.parse(query: query, options: options).isBare, "\(query)")
        }
    }

    @Test func `forwards pairs raw and in order, and drops ignored ones`() throws {
        let parsed = try RequestLanguage.parse(
            query: "b=%7e+&w=3&a&utm_source=x&b=2&c=",
            options: ParseOptions(forwardNames: ["a", "b", "c"], ignoreNames: ["utm_source"])
        )
        #expect(parsed.forwardedQuery == "b=%7e+&a&b=2&c=")
        #expect(parsed.plan.canonicalText == "1?w=3")
    }

    @Test func `never forwards or ignores a name of the language`() throws {
        let options = ParseOptions(forwardNames: ["w", "watermark"], ignoreNames: ["h"])
        let parsed = try RequestLanguage.parse(query: "w=3&h=4", options: options)
        #expect(parsed.forwardedQuery.isEmpty)
        #expect(parsed.plan.canonicalText == "1?w=3&h=4")
        #expect(throws: RequestError.self) { try RequestLanguage.parse(query: "watermark=a", options: options) }
        for name in ["w", "fit", "bg", "q", "sig", "url", "preset", "watermark", "max_bytes"] {
            #expect(RequestLanguage.isReserved(name), "\(name)")
        }
        #expect(!RequestLanguage.isReserved("v"))
    }

    @Test(arguments: [
        ("w=3&sig=abc", "w=3"),
        ("sig=abc&w=3", "w=3"),
        ("a=%7E&sig=abc&&w=3", "a=%7E&&w=3"),
        ("%73ig=abc", ""),
        ("w=3&exp=5", "w=3&exp=5"),
        ("&w=3&", "&w=3&"),
    ])
    func `keeps the raw query without the signature`(query: String, unsigned: String) throws {
        let parsed = try RequestLanguage.parse(query: query, options: ParseOptions(forwardNames: ["a"]))
        #expect(parsed.signedQuery == unsigned)
    }

    @Test func `parses the parameters of the request`() throws {
        let parsed = try RequestLanguage.parse(
            query: "filename=my%20cat.jpg&download=1&exp=1800000000&sig=aB-_9&url=http%3A%2F%2Fa%2F%3Fb%3Dc%2526d",
            options: ParseOptions(takesURL: true)
        )
        #expect(parsed.filename == "my cat.jpg")
        #expect(parsed.download)
        #expect(parsed.expires == 1_800_000_000)
        #expect(parsed.signature == "aB-_9")
        #expect(parsed.url == .plain("http://a/?b=c%26d"))
        let missing = #expect(throws: RequestError.self) {
            try RequestLanguage.parse(query: "w=3", options: ParseOptions(takesURL: true))
        }
        #expect(missing?.parameter == "url")
    }
}
