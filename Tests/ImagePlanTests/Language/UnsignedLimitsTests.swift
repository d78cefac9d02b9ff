import ImagePlan
import Testing

/// What queries without a signature come to under `unsigned`.
@Suite(.timeLimit(.minutes(1)))
struct UnsignedLimitsTests {
    private static let widths = limits { $0.widths = [320, 640, 1280] }
    private static let refusing = limits {
        $0.widths = [320, 640]
        $0.snap = .refuse
    }
    private static let only = limits { $0.presets = .only }

    private static func limits(_ change: (inout UnsignedLimits) -> Void) -> UnsignedLimits {
        var limits = UnsignedLimits()
        change(&limits)
        return limits
    }

    private func options(_ limits: UnsignedLimits?, isEnforced: Bool = true) throws -> ParseOptions {
        var options = ParseOptions(
            forwardNames: ["v"],
            presets: [
                "thumb": try Preset(name: "thumb", text: "w=200&h=100&fit=cover"),
                "odd": try Preset(name: "odd", text: "w=333&effort=9&format=gif"),
            ],
            hints: ClientHintOptions(fields: [.width, .dpr], ladder: HintLadder())
        )
        options.unsigned = limits
        options.enforcesUnsigned = isEnforced
        return options
    }

    private func plan(_ query: String, _ limits: UnsignedLimits?, isEnforced: Bool = true) throws -> String {
        let text = try RequestLanguage.parse(query: query, options: options(limits, isEnforced: isEnforced)).plan
            .canonicalText
        return String(text.dropFirst(2))
    }

    @Test(arguments: [
        ("w=333", "w=640"), ("w=320", "w=320"), ("w=321", "w=640"), ("w=1", "w=320"), ("w=1281", "w=1280"),
        ("w=16384", "w=1280"), ("w=200&dpr=2", "w=640"), ("w=160&dpr=2", "w=320"), ("w=500&dpr=1.28", "w=640"),
        ("w=300&h=200", "w=320&h=213"), ("h=200&w=300", "w=320&h=213"), ("w=160&h=90&dpr=2", "w=320&h=180"),
        ("w=2560&h=10&fit=cover", "w=1280&h=5&fit=cover"), ("w=1&h=1", "w=320&h=320"), ("w=1280&h=1", "w=1280&h=1"),
        ("blur=2&w=100&dpr=2", "blur=4&w=320"), ("format=webp", "format=webp"), ("w=auto", "w=1280"),
        ("preset=thumb", "w=200&h=100&fit=cover"), ("preset=odd", "w=333&effort=9&format=gif"),
        ("preset=thumb&w=300", "w=320&h=107&fit=cover"), ("preset=thumb&h=50", "w=320&h=80&fit=cover"),
        ("preset=thumb&dpr=2", "w=400&h=200&fit=cover"), ("preset=thumb&dpr=1.7", "w=400&h=200&fit=cover"),
        ("preset=thumb&dpr=4", "w=600&h=300&fit=cover"),
    ])
    func `a width becomes the next listed one, and the ratio of the sides stays`(query: String, plan: String) throws {
        #expect(try self.plan(query, Self.widths) == plan)
        // Already snapped.
        #expect(try self.plan(query, Self.widths, isEnforced: false) == plan)
    }

    @Test func `signed queries, and those without limits, keep their width`() throws {
        #expect(try plan("w=333&sig=x", Self.widths) == "w=333")
        #expect(try plan("w=333&%73ig=x", Self.widths) == "w=333")
        #expect(try plan("h=3&effort=9&sig=x", Self.only) == "h=3&effort=9")
        #expect(try plan("w=333", nil) == "w=333")
    }

    @Test(arguments: [
        ("h=10", "h", "requires w without a signature: one of 320, 640, 1280 (unsigned.widths)"),
        ("w=1&h=9999", "h", "is at most 51 for this w without a signature, which is raised to 320 (unsigned.widths)"),
    ])
    func `a height that no listed width can have is refused`(query: String, name: String, reason: String) {
        let error = #expect(throws: RequestError.self) { try plan(query, Self.widths) }
        #expect(error?.status == .forbidden && error?.parameter == name && error?.reason == reason, "\(error as Any)")
    }

    @Test(arguments: [
        ("w=333", "w", "the nearest to 333 is 320"), ("w=500", "w", "the nearest to 500 is 640"),
        ("w=9999", "w", "the nearest to 9999 is 640"), ("w=200&dpr=2", "w", "the nearest to 400 is 320"),
        ("preset=thumb&dpr=2.2", "dpr", "the nearest to 2.2 is 2"),
    ])
    func `snap: refuse names the list and the nearest value`(query: String, name: String, end: String) throws {
        let error = #expect(throws: RequestError.self) { try plan(query, Self.refusing) }
        #expect(error?.status == .forbidden && error?.parameter == name, "\(error as Any)")
        #expect(error?.reason.hasSuffix(end) == true, "\(error as Any)")
        if name == "w" { #expect(error?.reason.contains("320, 640") == true) }
        // Where nothing is refused, nothing changes.
        #expect(try plan(query, Self.refusing, isEnforced: false) == plan(query, nil))
    }

    @Test(arguments: [(nil, 640), (1, 320), (320, 320), (480, 640), (3840, 640)] as [(Int?, Int)])
    func `snap: refuse rounds w=auto, with a hint and without`(hint: Int?, width: Int) throws {
        for isEnforced in [true, false] {
            var options = try options(Self.refusing, isEnforced: isEnforced)
            if let hint { options.hints?.values.width = hint }
            let plan = try RequestLanguage.parse(query: "w=auto&dpr=2", options: options).plan
            #expect(plan.canonicalText == "1?w=\(width)")
        }
    }

    @Test(
        arguments: [
            ("w=320", nil, "w=320"), ("w=320", 2, "w=640"), ("w=320", 3, "w=640"), ("w=200", nil, "w=320"),
            ("w=200&h=100", 2, "w=640&h=320"), ("preset=thumb", 2, "w=400&h=200&fit=cover"),
            ("preset=thumb", 4, "w=600&h=300&fit=cover"),
        ] as [(String, Int?, String)]
    )
    func `snap: refuse rounds what dpr=auto scales`(query: String, hint: Int?, plan: String) throws {
        for isEnforced in [true, false] {
            var options = try options(Self.refusing, isEnforced: isEnforced)
            if let hint { options.hints?.values.ratio = FixedDecimal(hint) }
            let parsed = try RequestLanguage.parse(query: "\(query)&dpr=auto", options: options)
            #expect(parsed.plan.canonicalText == "1?\(plan)")
        }
    }

    @Test(arguments: ["w=320", "w=160&dpr=2", "w=640&h=3", "preset=odd", "preset=thumb&dpr=1.5"])
    func `snap: refuse serves what is listed`(query: String) throws {
        #expect(try plan(query, Self.refusing) == plan(query, nil))
    }

    @Test(arguments: ["w=0", "w=x", "w=5&dpr=9", "w=16384&dpr=4", "w=3&h=x", "effort=10", "format=nope"])
    func `invalid values stay malformed`(query: String) {
        let limits = Self.limits {
            $0.widths = [320]
            $0.effort = 4
            $0.formats = [.webp]
        }
        let error = #expect(throws: RequestError.self) { try plan(query, limits) }
        #expect(error?.status == .malformed, "\(error as Any)")
    }

    @Test(arguments: [
        "", "preset=thumb", "preset=thumb&format=auto", "preset=thumb&dpr=2", "preset=thumb&filename=a.jpg&download=1",
        "preset=thumb&v=1", "exp=99", "preset=none",
    ])
    func `presets: only serves presets, with what pages need`(query: String) throws {
        #expect(try plan(query, Self.only) == plan(query, nil))
    }

    @Test(arguments: [
        ("w=200", "w"), ("preset=thumb&w=200", "w"), ("preset=thumb&blur=2", "blur"), ("preset=thumb&q=50", "q"),
        ("preset=thumb&effort=1", "effort"), ("preset=thumb&format=webp", "format"), ("format=auto", "format"),
        ("preset=none&format=auto", "format"), ("preset=thumb&bg=fff", "bg"),
    ])
    func `presets: only refuses other parameters`(query: String, name: String) {
        let error = #expect(throws: RequestError.self) { try plan(query, Self.only) }
        #expect(error?.status == .forbidden && error?.parameter == name, "\(error as Any)")
    }

    @Test func `presets: only permits what has a limit of its own`() throws {
        let limits = Self.limits {
            $0.presets = .only
            $0.widths = [320, 640]
            $0.formats = [.webp]
            $0.effort = 4
        }
        #expect(
            try plan("preset=thumb&w=300&format=webp&effort=4", limits) == "w=320&h=107&effort=4&fit=cover&format=webp"
        )
        // A limited width needs no preset.
        for (query, expected) in [
            ("w=300", "w=320"), ("w=160&dpr=2&format=webp", "w=320&format=webp"), ("w=9999&effort=4", "w=640&effort=4"),
            ("preset=none&w=640&format=auto", "w=640"),
        ] {
            #expect(try plan(query, limits) == expected)
        }
        for (query, name) in [
            ("preset=thumb&h=300", "h"), ("preset=thumb&effort=5", "effort"), ("w=300&h=9", "h"),
            ("w=300&blur=2", "blur"),
            ("w=300&format=avif", "format"), ("format=webp", "format"), ("effort=4", "effort"), ("h=300", "h"),
            ("dpr=2", "dpr"), ("w=50%25", "w"), ("w=300&fit=cover", "fit"),
        ] {
            let error = #expect(throws: RequestError.self) { try plan(query, limits) }
            #expect(error?.status == .forbidden && error?.parameter == name, "\(query)")
        }
    }

    @Test func `formats and efforts are limited, those of presets are not`() throws {
        let limits = Self.limits {
            $0.formats = [.webp, .jpeg]
            $0.effort = 4
        }
        for query in ["format=webp", "format=jpg", "format=auto", "w=5", "effort=4", "preset=odd"] {
            #expect(try plan(query, limits) == plan(query, nil), "\(query)")
        }
        for (query, reason) in [
            ("format=avif", "is one of auto, webp, jpeg without a signature (unsigned.formats)"),
            ("preset=odd&format=png", "is one of auto, webp, jpeg without a signature (unsigned.formats)"),
            ("effort=5", "is at most 4 without a signature (unsigned.effort)"),
        ] {
            let error = #expect(throws: RequestError.self) { try plan(query, limits) }
            #expect(error?.status == .forbidden && error?.reason == reason, "\(query) \(error as Any)")
        }
    }

    @Test func `provenance tells which value was replaced`() throws {
        let provenance = try RequestLanguage.provenance(query: Array("w=333&h=100".utf8), options: options(Self.widths))
        let stated = try #require(provenance.steps.first?.stated)
        #expect(stated.map(\.origin) == [.snapped(from: "333"), .snapped(from: "100")])
        #expect(stated.map(\.parameter.value) == ["640", "192"])
    }
}
