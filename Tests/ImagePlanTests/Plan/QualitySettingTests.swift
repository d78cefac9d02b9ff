import Testing

@testable import ImagePlan

/// `q` as a number, by format, and as a search.
@Suite(.timeLimit(.minutes(1)))
struct QualitySettingTests {
    private func plan(_ query: String) throws -> Plan {
        try RequestLanguage.parse(query: query, options: ParseOptions()).plan
    }

    @Test(arguments: [
        ("q=80", "1?q=80"), ("q=avif:60,jpeg:80", "1?q=avif:60,jpeg:80"), ("q=jpeg:80,avif:60", "1?q=avif:60,jpeg:80"),
        ("q=jpg:80,avif:60,webp:70", "1?q=avif:60,jpeg:80,webp:70"),
        ("q=jxl:50,jpeg:80", "1?q=jpeg:80,jxl:50"), ("q=jxl:50", "1?q=jxl:50"),
        ("q=jxl:50&format=webp", "1?format=webp"),
        ("q=jxl:50&format=source", "1?format=source&q=jxl:50"),
        // One number for all formats is that number.
        ("q=jpeg:70,webp:70,avif:70,jxl:70", "1?q=70"), ("q=jpeg:70,webp:70,avif:70", "1?q=avif:70,jpeg:70,webp:70"),
        ("q=jpeg:70,webp:70,avif:70&format=source", "1?format=source&q=avif:70,jpeg:70,webp:70"),
        ("q=jpeg:70,webp:70,avif:70,jxl:70&format=source", "1?format=source&q=70"),
        // Only the number of the named format counts.
        ("q=jpeg:80,avif:60&format=avif", "1?format=avif&q=60"), ("format=webp&q=jpeg:80", "1?format=webp"),
        ("format=png&q=jpeg:80", "1?format=png"), ("format=json&q=jpeg:80", "1?format=json"),
        // One number is not about PNG, unless the request names it.
        ("q=jpeg:70,webp:70,avif:70,png:70", "1?q=avif:70,jpeg:70,png:70,webp:70"), ("q=png:70", "1?q=png:70"),
        ("q=jpeg:80,png:70&format=png", "1?format=png&q=70"), ("q=png:70&format=jpeg", "1?format=jpeg"),
        ("q=auto", "1?q=auto"), ("q=auto:eco", "1?q=auto:eco"), ("q=auto:good&format=png", "1?format=png&q=auto:good"),
    ])
    func `has one spelling for each meaning`(query: String, canonical: String) throws {
        let parsed = try plan(query)
        #expect(parsed.canonicalText == canonical)
        #expect(try Plan(canonicalText: canonical) == parsed)
    }

    @Test func `has the number of each format`() throws {
        let quality = try plan("q=jpeg:80,avif:60").settings.quality
        #expect(quality.number(for: .jpeg) == 80 && quality.number(for: .avif) == 60)
        #expect(quality.number(for: .webp) == nil && quality.number(for: .png) == nil)
        #expect(
            QualitySetting.number(7).number(for: .webp) == 7 && QualitySetting.search(nil).number(for: .webp) == nil
        )
    }

    @Test(
        arguments: [
            ("format=png&q=70", 70), ("format=png&q=png:70,jpeg:3", 70), ("q=png:70", 70), ("format=source&q=png:1", 1),
            ("format=png&q=100", nil), ("format=png", nil), ("q=70", nil), ("format=source&q=70", nil),
            ("format=png&q=auto", nil), ("format=png&q=70&lossless=1", nil), ("format=jpeg&q=70", nil),
            ("q=jpeg:70,webp:70,avif:70,jxl:70", nil),
        ] as [(String, Int?)]
    )
    func `a PNG is lossy only if the request states a quality for it`(query: String, quality: Int?) throws {
        #expect(try plan(query).settings.paletteQuality == quality)
    }

    @Test func `a level has a distance of its own, and q=auto that of the source`() throws {
        var defaults = QualityDefaults()
        defaults.distance = 700
        #expect(try defaults.distance(for: plan("q=auto").settings.quality) == 700)
        let distances = try ["low", "eco", "good", "best"].map {
            try defaults.distance(for: plan("q=auto:\($0)").settings.quality)
        }
        #expect(distances == [2_000, 1_500, 1_000, 700])
        #expect(distances.allSatisfy(QualityDefaults.distances.contains))
    }

    @Test(arguments: [
        ("q=jepg:80", "did you mean jpeg?"), ("q=jpeg:80,heif:5", "did you mean avif?"),
        ("q=gif:80", "gif, which is always lossless"), ("q=jpeg:800", "from 1 to 100 for jpeg"),
        ("q=jpeg:80,jpg:70", "jpeg more than once"), ("q=80,avif:60", "FORMAT:NUMBER"),
        ("q=auto:besst", "did you mean best?"), ("q=high", "auto:LEVEL"),
    ])
    func `says what is wrong`(query: String, words: String) {
        let error = #expect(throws: RequestError.self) { try plan(query) }
        #expect(error?.parameter == "q" && error?.description.contains(words) == true, "\(String(describing: error))")
    }
}
