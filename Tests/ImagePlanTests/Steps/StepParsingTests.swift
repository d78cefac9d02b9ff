import ImagePlan
import Testing

@Suite(.timeLimit(.minutes(1)))
struct StepParsingTests {
    private func plan(_ query: String) throws -> Plan {
        try RequestLanguage.parse(query: query, options: ParseOptions()).plan
    }

    @Test(arguments: [
        // Tones: 1 changes nothing; for pixelate, before or after dpr scaling.
        ("brightness=1.50", "1?brightness=1.5"), ("brightness=1", "1?"), ("brightness=0", "1?brightness=0"),
        ("brightness=10", "1?brightness=10"), ("contrast=.5", "1?contrast=0.5"), ("contrast=1.0", "1?"),
        ("saturation=0", "1?saturation=0"), ("saturation=01", "1?"), ("gamma=2.2", "1?gamma=2.2"), ("gamma=1", "1?"),
        ("gamma=0.1", "1?gamma=0.1"), ("hue=90", "1?hue=90"), ("hue=-90", "1?hue=270"), ("hue=720&hue=0", "1?"),
        ("hue=360.5", "1?hue=0.5"), ("brightness=2&brightness=2", "1?brightness=2&brightness=2"),
        ("pixelate=8", "1?pixelate=8"), ("pixelate=1", "1?"), ("w=9&dpr=2&pixelate=1", "1?w=18&pixelate=2"),
        ("w=9&dpr=1.5&pixelate=3", "1?w=14&pixelate=5"), ("pixelate=16384", "1?pixelate=16384"),
        // Filters: defaults omitted.
        ("filter=grayscale", "1?filter=grayscale"), ("filter=sepia", "1?filter=sepia"),
        ("filter=invert&filter=invert", "1?filter=invert&filter=invert"),
        ("filter=duotone:111,%23EEEEEE", "1?filter=duotone:111111,eeeeee"),
        ("filter=chroma:F80", "1?filter=chroma:ff8800"),
        ("w=30&h=20&fit=adaptive", "1?w=30&h=20&fit=adaptive"),
        ("filter=duotone:111111ff,eee", "1?filter=duotone:111111,eeeeee"),
        ("filter=monochrome", "1?filter=monochrome"), ("filter=monochrome:99734D", "1?filter=monochrome"),
        ("filter=monochrome:f00", "1?filter=monochrome:ff0000"), ("filter=vignette", "1?filter=vignette"),
        ("filter=vignette:.50", "1?filter=vignette"), ("filter=vignette:1.0", "1?filter=vignette:1"),
        ("filter=vignette:0", "1?"),
        // Tint.
        ("tint=F80", "1?tint=ff8800"), ("tint=ff8800,atop", "1?tint=ff8800"),
        ("tint=ff8800,over", "1?tint=ff8800,over"),
        ("tint=ff880080", "1?tint=ff880080"), ("tint=ff8800,multiply", "1?tint=ff8800,multiply"),
        ("tint=fff,in", "1?tint=ffffff,in"), ("tint=fff,colour-dodge", "1?tint=ffffff,colour-dodge"),
        ("tint=fff,dest", "1?"), ("tint=fff,luminosity", "1?tint=ffffff,luminosity"),
        ("tint=fff,plus-darker", "1?tint=ffffff,plus-darker"),
        // Pad: one, two or four as in CSS.
        ("offset=20", "1?offset=20"), ("offset=-1.5,-1.50,-1.5", "1?offset=-1.5"), ("offset=0,0,3", "1?offset=0,0,3"),
        ("offset=0", "1?"), ("pad=5", "1?pad=5"), ("pad=5,5,5,5", "1?pad=5"), ("pad=5,10", "1?pad=5,10"),
        ("pad=5,10,5,10", "1?pad=5,10"), ("pad=1,2,3,4", "1?pad=1,2,3,4"), ("pad=0,3", "1?pad=0,3"),
        ("pad=1,2,1,4", "1?pad=1,2,1,4"), ("w=9&dpr=2&pad=1,2,3,4", "1?w=18&pad=2,4,6,8"),
        ("trim=10", "1?trim=10"), ("trim=255", "1?trim=255"), ("w=9&dpr=2&trim=10", "1?w=18&trim=10"),
        ("mask=circle", "1?mask=circle"), ("mask=heart&mask=star", "1?mask=heart&mask=star"),
        ("mask=masks/a%20b.png", "1?mask=masks%2Fa%2520b.png"),
    ])
    func `parses a step into its canonical text`(query: String, expected: String) throws {
        #expect(try plan(query).canonicalText == expected)
        #expect(try Plan(canonicalText: expected).canonicalText == expected)
    }

    private static let numeric = [
        "pixelate", "brightness", "contrast", "saturation", "hue", "gamma", "pad", "trim", "tint", "filter", "mask",
    ]

    @Test(arguments: numeric)
    func `rejects an unknown parameter by name`(name: String) {
        var values = [
            "", "nan", "NaN", "inf", "1e9", "1e1", "zz", "+1", "%201", "5.", "1,", ",", "99999999999999999999",
        ]
        // Degrees may be negative, and `1e9` is a colour.
        if name != "hue" { values.append("-1") }
        if name == "tint" { values.removeAll { $0.hasPrefix("1e") } }
        for value in values {
            let error = #expect(throws: RequestError.self, "\(name)=\(value)") { try plan("\(name)=\(value)") }
            #expect(error?.parameter == name)
            #expect(error?.status == .malformed)
            #expect(error?.reason.isEmpty == false)
        }
    }

    @Test(arguments: [
        ("pixelate=0", "pixelate"), ("pixelate=16385", "pixelate"), ("pixelate=2.5", "pixelate"),
        ("w=1&dpr=2&pixelate=9000", "dpr"), ("brightness=10.1", "brightness"), ("contrast=10.000001", "contrast"),
        ("saturation=11", "saturation"), ("gamma=0", "gamma"), ("gamma=0.09", "gamma"), ("gamma=10.5", "gamma"),
        ("hue=9999999999", "hue"), ("filter=Sepia", "filter"), ("filter=sepia:1", "filter"),
        ("filter=sepia:", "filter"),
        ("filter=grayscale:1", "filter"), ("filter=invert:x", "filter"), ("filter=duotone", "filter"),
        ("filter=chroma", "filter"), ("filter=chroma:ff880080", "filter"), ("filter=duotone:111111", "filter"),
        ("filter=duotone:111,222,333", "filter"),
        ("filter=duotone:zz,222", "filter"), ("filter=duotone:11111180,222", "filter"), ("filter=duotone:,", "filter"),
        ("filter=monochrome:", "filter"), ("filter=monochrome:red", "filter"), ("filter=vignette:2", "filter"),
        ("filter=vignette:-0.1", "filter"), ("filter=vignette:", "filter"), ("filter=blur", "filter"),
        ("tint=red", "tint"), ("tint=fff,", "tint"), ("tint=fff,Multiply", "tint"), ("tint=fff,color-dodge", "tint"),
        ("tint=fff,in,out", "tint"), ("tint=,multiply", "tint"), ("offset=256", "offset"), ("offset=1,2", "offset"),
        ("offset=1,2,3,4", "offset"),
        ("pad=0", "pad"), ("pad=0,0,0,0", "pad"),
        ("pad=1,2,3", "pad"), ("pad=1,2,3,4,5", "pad"), ("pad=1.5", "pad"), ("pad=16385", "pad"),
        ("pad=1,-2", "pad"), ("w=1&dpr=3&pad=9000", "dpr"), ("trim=0", "trim"), ("trim=256", "trim"),
        ("trim=1.5", "trim"), ("mask=Circle", "mask"), ("mask=square", "mask"), ("mask=masks/../a.png", "mask"),
    ])
    func `names the invalid parameter`(query: String, parameter: String) {
        let error = #expect(throws: RequestError.self) { try plan(query) }
        #expect(error?.parameter == parameter)
        #expect(error?.status == .malformed)
    }

    @Test func `errors list the valid values`() {
        let filter = #expect(throws: RequestError.self) { try plan("filter=sepla") }
        #expect(filter?.reason.contains("sepia") == true)
        #expect(filter?.reason.contains("duotone:rrggbb,rrggbb") == true)
        let tint = #expect(throws: RequestError.self) { try plan("tint=fff,burn") }
        #expect(tint?.reason.contains("colour-burn") == true)
        let mask = #expect(throws: RequestError.self) { try plan("mask=a.png") }
        #expect(mask?.reason.contains("squircle") == true)
        #expect(mask?.reason.contains("SOURCE/PATH") == true)
    }

    @Test(arguments: [
        ("pad=1", true), ("pad=1&bg=fff", false), ("mask=circle", true), ("trim=9", false), ("pixelate=9", false),
        ("brightness=2", false), ("offset=9", false), ("filter=vignette", false), ("tint=fff", false),
        ("tint=ffffff80", false),
        ("tint=fff,in", false), ("tint=ffffff80,in", true), ("tint=fff,clear", true), ("tint=fff,out", true),
        ("tint=fff,source", false), ("tint=ffffff80,source", true), ("tint=fff,xor", true),
        ("tint=fff,dest-out", true), ("tint=ffffff00,dest-out", false), ("tint=ffffff80,dest-atop", true),
        ("tint=ffffff80,multiply", false), ("tint=ffffff80,atop", false),
    ])
    func `determines whether it adds alpha`(query: String, expected: Bool) throws {
        #expect(try plan(query).makesAlpha == expected)
    }

    @Test(arguments: [
        ("brightness=0.5", 8), ("brightness=1.5", 1), ("offset=9", 1), ("contrast=0.5", 8), ("contrast=2", 1),
        ("saturation=0.2", 8),
        ("saturation=2", 1), ("gamma=2", 1), ("hue=90", 1), ("filter=grayscale", 8), ("filter=invert", 8),
        ("filter=duotone:000,fff", 8), ("filter=monochrome", 8), ("filter=sepia", 1), ("filter=vignette", 1),
        ("pixelate=9", 1), ("tint=fff", 8), ("tint=fff,screen", 8), ("tint=fff,overlay", 1), ("tint=fff,hue", 1),
        ("tint=fff,add", 1),
        ("pad=8", 1), ("trim=9", 1), ("mask=circle", 1),
    ])
    func `only steps that clip nothing allow a reduced load before a resize`(query: String, expected: Int) throws {
        let source = PixelSize(width: 4000, height: 3000)
        let steps = try PlanGeometry.resolve(plan(query + "&w=100"), source: source)
        #expect(ShrinkOnLoad.factor(for: .jpeg, steps: steps, source: source, orientation: 1) == expected)
    }
}
