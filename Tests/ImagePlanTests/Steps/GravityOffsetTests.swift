import ImagePlan
import Testing

/// Offsets of `gravity`, and `fit=outside`.
@Suite(.timeLimit(.minutes(1)))
struct GravityOffsetTests {
    private func plan(_ query: String) throws -> Plan {
        try RequestLanguage.parse(query: query, options: ParseOptions()).plan
    }

    /// The rectangle that a crop of 20×10 takes from 100×60.
    private func crop(_ gravity: String) throws -> PixelRectangle? {
        let step = try #require(plan("crop=20x10&gravity=\(gravity)").steps.first as? CropStep)
        guard case .rectangle(let rectangle) = try step.placement(in: PixelSize(width: 100, height: 60)) else {
            return nil
        }
        return rectangle
    }

    @Test(arguments: [
        ("northwest,5,7", 5, 7), ("southeast,5,7", 75, 43), ("north,0,10", 40, 10), ("north,6,0", 46, 0),
        ("center,-10,5", 30, 30), ("west,10%25,0", 10, 25), ("southeast,10%25,10%25", 70, 44),
        // Within the image, however large the offset.
        ("southeast,1000,0", 0, 50), ("northwest,-50,-50", 0, 0), ("east,-9,100", 80, 50),
    ])
    func `moves away from the named edges, and stays inside`(gravity: String, left: Int, top: Int) throws {
        let rectangle = try crop(gravity)
        #expect(rectangle == PixelRectangle(left: left, top: top, width: 20, height: 10))
    }

    @Test func `places crops and padding alike`() throws {
        let cover = try #require(plan("w=50&h=50&fit=cover&gravity=west,10,0").steps.first as? ResizeStep)
        guard case .crop(.rectangle(let cut)) = cover.geometry(for: PixelSize(width: 200, height: 100)).framing else {
            Issue.record("not cut")
            return
        }
        // Of 100×50.
        #expect(cut == PixelRectangle(left: 10, top: 0, width: 50, height: 50))
        let pad = try #require(plan("w=100&h=100&fit=pad&gravity=south,0,20").steps.first as? ResizeStep)
        let framing = pad.geometry(for: PixelSize(width: 200, height: 100)).framing
        #expect(framing == .canvas(PixelSize(width: 100, height: 100), left: 0, top: 30))
    }

    @Test(arguments: [
        ("w=9&h=9&fit=cover&gravity=north,0,10", "1?w=9&h=9&fit=cover&gravity=north,0,10"),
        ("w=9&h=9&fit=cover&gravity=north,0,10&dpr=2", "1?w=18&h=18&fit=cover&gravity=north,0,20"),
        ("w=9&h=9&fit=cover&gravity=east,-3,5%25&dpr=2", "1?w=18&h=18&fit=cover&gravity=east,-6,5%25"),
        ("w=9&h=9&fit=cover&gravity=north,0,0", "1?w=9&h=9&fit=cover&gravity=north"),
        ("w=9&h=9&fit=cover&gravity=center,0,0", "1?w=9&h=9&fit=cover"),
        ("crop=9x9&gravity=north,0,10&dpr=2&w=9", "1?crop=9x9&w=18&gravity=north,0,10"),
        ("w=9&h=9&fit=outside", "1?w=9&h=9&fit=outside"), ("w=9&fit=outside", "1?w=9"),
    ])
    func `has one canonical text, in which dpr is applied`(query: String, text: String) throws {
        #expect(try plan(query).canonicalText == text)
        #expect(try Plan(canonicalText: text) == plan(query))
    }

    @Test(arguments: [
        "gravity=north,5", "gravity=north,1.5,0", "gravity=north,0,101%25", "gravity=attention,1,1",
        "gravity=subject,1,1",
        "gravity=0.3,0.7,1,1",
        "gravity=nort,1,1", "gravity=north,,1", "gravity=north,1,1,1",
    ])
    func `rejects other offsets`(gravity: String) {
        let error = #expect(throws: RequestError.self) { try plan("crop=9x9&" + gravity) }
        #expect(error?.parameter == "gravity")
    }

    @Test func `rejects an offset that would have two lengths`() throws {
        let error = #expect(throws: RequestError.self) {
            try plan("crop=90x90&w=9&h=9&fit=cover&gravity=north,0,10&dpr=2")
        }
        #expect(error?.parameter == "gravity" && error?.reason.contains("percent") == true)
        _ = try plan("crop=90x90&w=9&h=9&fit=cover&gravity=north,0,10")
        _ = try plan("crop=90x90&w=9&h=9&fit=cover&gravity=north,0,10%25&dpr=2")
    }

    @Test(arguments: [
        (400, 200, 100, 100, false, 200, 100), (200, 400, 100, 100, false, 100, 200),
        (400, 200, 100, 50, false, 100, 50),
        // Not enlarged, unless requested.
        (80, 400, 100, 100, false, 80, 400), (80, 400, 100, 100, true, 100, 500), (50, 20, 100, 100, false, 50, 20),
        (50, 20, 100, 100, true, 250, 100), (3, 7, 2, 2, false, 2, 5),
    ])
    func `outside covers the box without cropping`(
        width: Int,
        height: Int,
        boxWidth: Int,
        boxHeight: Int,
        enlarge: Bool,
        resultWidth: Int,
        resultHeight: Int
    ) {
        let step = ResizeStep(width: boxWidth, height: boxHeight, fit: .outside, enlarge: enlarge)
        let geometry = step.geometry(for: PixelSize(width: width, height: height))
        #expect(geometry.framing == .none && geometry.output == PixelSize(width: resultWidth, height: resultHeight))
    }
}
