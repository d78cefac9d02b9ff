import ImagePlan
import Testing

/// `w=auto` and `dpr=auto` in the request language.
@Suite(.timeLimit(.minutes(1)))
struct ClientHintTests {
    private let ladder = HintLadder()

    private func parse(_ query: String, _ fields: Set<ClientHint>, _ values: HintValues? = nil) throws -> ParsedQuery {
        var hints = ClientHintOptions(fields: fields, ladder: ladder)
        if let values { hints.values = values }
        return try RequestLanguage.parse(query: query, options: ParseOptions(hints: hints))
    }

    @Test(arguments: [(1, 320), (320, 320), (321, 480), (1_081, 1_440), (3_840, 3_840), (99_999, 3_840)])
    func `a width is rounded up to the ladder`(wanted: Int, expected: Int) {
        #expect(ladder.width(for: wanted) == expected)
    }

    @Test(arguments: [("0.5", "1"), ("1", "1"), ("1.1", "1.5"), ("2", "2"), ("2.625", "3"), ("16", "3")])
    func `a ratio is rounded up to the ladder`(wanted: String, expected: String) throws {
        #expect(ladder.ratio(for: try #require(FixedDecimal(parsing: wanted))).text == expected)
    }

    @Test func `auto resolves to a number of device pixels`() throws {
        let values = HintValues(width: 640, ratio: FixedDecimal(2))
        for (query, same) in [
            ("w=auto", "w=640"), ("w=auto&q=50", "w=640&q=50"), ("w=100&dpr=auto", "w=200"),
            ("w=auto&h=100&dpr=auto&fit=cover", "w=640&h=200&fit=cover"), ("w=auto&dpr=3&round=10", "w=640&round=30"),
            ("dpr=auto&h=7", "h=14"),
        ] {
            let plain = try RequestLanguage.parse(query: same, options: ParseOptions()).plan
            #expect(try parse(query, [.width, .dpr], values).plan == plain, "\(query)")
        }
    }

    @Test func `reports the hints a result depends on`() throws {
        #expect(try parse("w=auto", [.width]).hints == [.width])
        #expect(try parse("w=auto&dpr=auto", [.viewportWidth, .dpr]).hints == [.width, .dpr])
        #expect(try parse("w=100&dpr=auto", [.dpr]).hints == [.dpr])
        #expect(try parse("w=100&dpr=2", [.width, .dpr]).hints.isEmpty)
        #expect(try parse("w=auto", [.width]).plan.canonicalText == "1?w=1080")
    }

    @Test(arguments: [
        ("w=auto", [], "w"), ("w=auto", [ClientHint.dpr], "w"), ("w=9&dpr=auto", [.width], "dpr"),
        ("h=auto", [.width, .dpr], "h"), ("w=AUTO", [.width], "w"), ("dpr=auto", [.dpr], "dpr"),
        ("w=auto&w=auto", [.width], "w"), ("blur=auto", [.width], "blur"),
    ])
    func `rejects auto without a hint, and for other parameters`(query: String, fields: [ClientHint], name: String) {
        let error = #expect(throws: RequestError.self) { try parse(query, Set(fields)) }
        #expect(error?.parameter == name)
    }

    @Test func `a query without hints is parsed as before`() throws {
        let error = #expect(throws: RequestError.self) {
            try RequestLanguage.parse(query: "w=auto", options: ParseOptions())
        }
        #expect(error?.parameter == "w" && error?.status == .malformed)
    }

    @Test func `clients that save data get a lower quality`() {
        let lowered = QualityDefaults(jpeg: 80, webp: 40, avif: 20).lowered(by: 15)
        #expect([lowered.jpeg, lowered.webp, lowered.avif] == [65, 30, 20])
        #expect(QualityDefaults().lowered(by: 0) == QualityDefaults())
        #expect(QualityDefaults().lowered(by: 99).keyText == "30,30,30;jxl=30")
    }
}
