import ImagePlan
import Testing

struct WatermarkStepTests {
    private func plan(_ query: String) throws(RequestError) -> Plan {
        try RequestLanguage.parse(query: query, options: ParseOptions()).plan
    }

    private func step(_ query: String) throws -> WatermarkStep {
        try #require(plan(query).steps.last as? WatermarkStep)
    }

    @Test(arguments: [
        ("watermark=a/b.png", "1?watermark=a%2Fb.png"), ("watermark=/a/b.png", "1?watermark=a%2Fb.png"),
        ("watermark=a/b.png,center,0,0,0,1", "1?watermark=a%2Fb.png"),
        ("watermark=a/b.png,southeast,10,-5,0.2,0.80", "1?watermark=a%2Fb.png,southeast,10,-5,0.2,0.8"),
        ("watermark=a/b.png,,,,,0.5", "1?watermark=a%2Fb.png,,,,,0.5"),
        ("watermark=a/b.png,,0%25,2.50%25", "1?watermark=a%2Fb.png,,,2.5%25"),
        ("watermark=a/b.png,tile,4,8,1x", "1?watermark=a%2Fb.png,tile,4,8"),
        ("watermark=a/b.png,,,,0.50x", "1?watermark=a%2Fb.png,,,,0.5x"),
        // dpr scales pixels and the natural size, not fractions and percentages.
        ("w=9&dpr=2&watermark=a/b.png,north,3,-4", "1?w=18&watermark=a%2Fb.png,north,6,-8,2x"),
        ("w=9&dpr=2&watermark=a/b.png,north,1%25,,0.3", "1?w=18&watermark=a%2Fb.png,north,1%25,,0.3"),
        ("w=9&dpr=2&watermark=text:A", "1?w=18&watermark=text:A,,,,48"),
        // Paths: equivalent spellings (RFC 3986) are equal, and nothing in a path is a query.
        ("watermark=a/%257e%2562.png", "1?watermark=a%2F~b.png"), ("watermark=a/x%20y", "1?watermark=a%2Fx%2520y"),
        ("watermark=a/x%2520y", "1?watermark=a%2Fx%2520y"), ("watermark=a/x?y", "1?watermark=a%2Fx%253Fy"),
        ("watermark=a/x%252cy,east", "1?watermark=a%2Fx%252Cy,east"),
        // Texts.
        ("watermark=text:Hi there", "1?watermark=text:Hi%20there"),
        ("watermark=text:a%252Cb%2525,north", "1?watermark=text:a%252Cb%2525,north"),
        (
            "watermark=text:Ü%3C,south,0,5,30.5,0.5,f80,serif",
            "1?watermark=text:%C3%9C%3C,south,,5,30.5,0.5,ff8800,serif"
        ),
        ("watermark=text:x,,,,24,1,ffffff,sans", "1?watermark=text:x"),
        ("watermark=text:x,,,,,,,DejaVu Sans", "1?watermark=text:x,,,,,,,DejaVu%20Sans"),
        // Characters that combine with the prefix, a percent sign or a comma.
        ("watermark=text:%25CC%2581", "1?watermark=text:%CC%81"), ("watermark=text:%CC%81", "1?watermark=text:%CC%81"),
        ("watermark=text:%2525%25CC%2581%252C%25CC%2581,east", "1?watermark=text:%2525%CC%81%252C%CC%81,east"),
        // Invisible watermarks.
        ("watermark=a/b.png,,,,,0", "1?"),
    ])
    func `parses a watermark into its canonical text`(query: String, expected: String) throws {
        #expect(try plan(query).canonicalText == expected)
        #expect(try Plan(canonicalText: expected).canonicalText == expected)
    }

    @Test(arguments: [
        "", "a", "a.png", "a/", "a//", "/", "A/b", "fetch/b", "a/../b", "a/%252e%252e/b", "a/b%25zz", "a/b%250a",
        "text:",
        "text:%20%20", "text:a%25", "text:%2507", "a/b,middle", "a/b,,x", "a/b,,1.5", "a/b,,101%25", "a/b,,,,2",
        "a/b,,,,-1", "a/b,,,,0x", "a/b,,,,17x", "a/b,,,,1e1", "a/b,,,,,1.1", "a/b,,,,,-0.1", "a/b,,,,,,", "a/b,tile,-1",
        "a/b,tile,,-1%25", "text:a,,,,3", "text:a,,,,513", "text:a,,,,,,red", "text:a,,,,,,,Sans%3Cb", "text:a,,,,,,,,",
        "text:a,%CC%81", "text:a,,,,,,,%20sans", "a/" + String(repeating: "x", count: 1023),
        "text:" + String(repeating: "x", count: 129),
    ])
    func `rejects an invalid watermark by name`(value: String) {
        let error = #expect(throws: RequestError.self, "\(value)") { try plan("watermark=\(value)") }
        #expect(error?.parameter == "watermark" && error?.status == .malformed)
    }

    @Test func `names dpr if it exceeds a range`() {
        for value in ["a/b,,,,8x", "text:a,,,,200"] {
            let error = #expect(throws: RequestError.self) { try plan("w=1&dpr=3&watermark=\(value)") }
            #expect(error?.parameter == "dpr")
        }
    }

    @Test func `lists its auxiliary images, each once and in order`() throws {
        let plan = try plan("mask=m/a.png&watermark=l/x%252Cy.png&watermark=m/a.png,north&watermark=text:x,,,,,,,serif")
        #expect(plan.auxiliaries.map(\.path.text) == ["m/a.png", "l/x%2Cy.png"])
        #expect(plan.auxiliaries.map(\.parameter) == ["mask", "watermark"])
        #expect(plan.auxiliaries[1].path.path.source == "l")
        #expect(plan.auxiliaries[1].path.path.rawPath == "x,y.png")
        #expect(plan.fonts.map(\.family) == ["serif"])
    }

    @Test(arguments: [
        // Its own size, capped to what fits.
        ("", 40, 20, 40, 20), ("", 400, 100, 100, 25), ("", 50, 160, 25, 80), ("2x", 40, 20, 80, 40),
        ("4x", 40, 20, 100, 50), ("0.5x", 5, 1, 3, 1),
        // A fraction of the image, in either direction.
        ("0.5", 40, 20, 50, 25), ("0.5", 400, 800, 20, 40), ("1", 10, 10, 80, 80), ("0.01", 1000, 1, 1, 1),
    ])
    func `sizes a watermark`(scale: String, width: Int, height: Int, across: Int, down: Int) throws {
        let picture = PixelSize(width: 100, height: 80)
        let size = try step("watermark=a/b,,,,\(scale)").size(of: PixelSize(width: width, height: height), on: picture)
        #expect(size == PixelSize(width: across, height: down))
    }

    @Test(arguments: [
        ("center", 45, 35), ("north", 45, 0), ("south", 45, 70), ("west", 0, 35), ("east", 90, 35),
        ("northwest", 0, 0), ("northeast", 90, 0), ("southwest", 0, 70), ("southeast", 90, 70),
        ("center,3,-4", 48, 31), ("southeast,3,4", 87, 66), ("southeast,-3,-4", 93, 74),
        ("northwest,10%25,5%25", 10, 4),
        ("east,10%25,5%25", 80, 39),
    ])
    func `places a watermark`(place: String, left: Int, top: Int) throws {
        let corner = try step("watermark=a/b,\(place)").corner(
            of: PixelSize(width: 10, height: 10),
            on: PixelSize(width: 100, height: 80)
        )
        #expect(corner == (left, top))
    }

    @Test func `a mask image adds alpha, a watermark does not`() throws {
        #expect(try plan("mask=a/b").makesAlpha)
        #expect(try !plan("watermark=a/b").makesAlpha)
    }
}
