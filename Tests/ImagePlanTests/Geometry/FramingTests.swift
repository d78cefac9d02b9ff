import ImagePlan
import Testing

/// `fit=crop` and `fit=auto`, least sides, and crops and canvases by size or aspect ratio with a gravity of their own.
@Suite(.timeLimit(.minutes(1)))
struct FramingTests {
    private func plan(_ query: String) throws -> Plan {
        try RequestLanguage.parse(query: query, options: ParseOptions()).plan
    }

    private func size(_ query: String, _ width: Int, _ height: Int) throws -> String {
        try PlanGeometry.outputSize(of: plan(query), source: PixelSize(width: width, height: height)).description
    }

    @Test(arguments: [
        // A box beyond the image is cut to it, one side at a time.
        ("w=400&h=400&fit=crop", 300, 200, "300x200"), ("w=250&h=400&fit=crop", 300, 200, "250x200"),
        ("w=400&h=100&fit=crop", 300, 200, "300x100"), ("w=100&h=100&fit=crop", 300, 200, "100x100"),
        ("w=300&h=400&fit=crop&enlarge=1", 30, 20, "300x400"), ("w=90&fit=crop", 300, 200, "90x60"),
        // The image and the box are both upright, or both not; a square counts as not.
        ("w=100&h=60&fit=auto", 300, 200, "100x60"), ("w=60&h=100&fit=auto", 300, 200, "60x40"),
        ("w=60&h=60&fit=auto", 300, 200, "60x60"), ("w=60&h=60&fit=auto", 200, 300, "40x60"),
        ("w=400&h=300&fit=auto&enlarge=1", 30, 20, "400x300"), ("w=400&h=300&fit=auto", 30, 20, "30x20"),
    ])
    func `crop and auto`(query: String, width: Int, height: Int, expected: String) throws {
        #expect(try size(query, width, height) == expected)
    }

    @Test(arguments: [
        // Alone, it enlarges what is smaller and keeps what is not.
        ("min-w=400", 300, 200, "400x267"), ("min-w=400", 500, 200, "500x200"), ("min-h=400", 300, 200, "600x400"),
        ("min-w=400&min-h=400", 300, 200, "600x400"), ("min-w=700&min-h=400", 300, 200, "700x467"),
        ("w=100&min-h=90", 300, 200, "135x90"), ("w=100&min-h=50", 300, 200, "100x67"),
        ("w=100&h=100&min-h=90", 300, 200, "135x90"), ("w=100&h=100&fit=outside&min-h=120", 300, 200, "180x120"),
        ("min-w=40&dpr=2", 30, 20, "80x53"),
    ])
    func `least sides`(query: String, width: Int, height: Int, expected: String) throws {
        #expect(try size(query, width, height) == expected)
    }

    @Test(arguments: [
        ("w=50%25", 301, 200, "151x100"), ("h=50%25", 301, 201, "151x101"), ("w=50%25&h=20%25", 300, 200, "60x40"),
        ("w=50%25&h=20%25&fit=fill", 300, 200, "150x40"), ("w=50%25&h=100%25&fit=cover", 300, 200, "150x200"),
        ("w=200%25", 300, 200, "300x200"), ("w=200%25&enlarge=1", 300, 200, "600x400"),
        ("w=50%25&dpr=1.5", 300, 200, "225x150"), ("w=100&h=100%25&fit=fill", 300, 200, "100x200"),
        ("w=0.0001%25", 300, 200, "1x1"), ("w=1000%25&enlarge=1", 30, 20, "300x200"),
    ])
    func `sides in percent`(query: String, width: Int, height: Int, expected: String) throws {
        #expect(try size(query, width, height) == expected)
    }

    @Test(arguments: [
        ("w=100&h=100&fit=cover&gravity=150px,0px", 25), ("w=100&h=100&fit=cover&gravity=390px,9px", 100),
        ("w=100&h=100&fit=cover&gravity=9999px,9px", 100), ("crop=100x100&gravity=150px,0px", 100),
        ("w=200&crop=50x50,150px,50px", 125), ("crop=100x100,0px,0px", 0),
    ])
    func `a point in pixels`(query: String, left: Int) throws {
        let steps = try PlanGeometry.resolve(plan(query), source: PixelSize(width: 400, height: 200))
        let last = try #require(steps.last)
        let placement: CropPlacement? =
            if let resize = last.step as? ResizeStep,
                case .crop(let cut) = resize.geometry(for: last.input.size).framing
            {
                cut
            } else {
                try (last.step as? CropStep)?.placement(in: last.input.size)
            }
        guard case .rectangle(let rectangle) = placement else {
            Issue.record("not cut")
            return
        }
        #expect(rectangle.left == left)
    }

    @Test(arguments: [
        ("crop=16:9", 1600, 1200, "1600x900"), ("crop=16:9", 1600, 400, "711x400"), ("crop=1:1", 3, 2, "2x2"),
        ("crop=1.91:1", 1200, 1200, "1200x628"), ("crop=16384:1", 100, 100, "100x1"),
        ("pad=16:9", 1600, 1200, "2133x1200"), ("pad=16:9", 1600, 400, "1600x900"), ("pad=1:1", 3, 2, "3x3"),
        ("pad=300x200", 100, 100, "300x200"), ("pad=300x200", 400, 100, "400x200"), ("pad=50x50", 400, 100, "400x100"),
        ("pad=300x100%25", 100, 90, "300x90"), ("pad=150%25x200%25", 100, 90, "150x180"),
        ("w=50&pad=60x60&dpr=2", 200, 100, "120x120"),
    ])
    func `sizes and aspect ratios`(query: String, width: Int, height: Int, expected: String) throws {
        #expect(try size(query, width, height) == expected)
    }

    @Test(arguments: [
        ("pad=300x200,north", 100, 0), ("pad=300x200,southeast,10,5%25", 190, 90), ("pad=300x200", 100, 50),
        ("pad=300x200,0.25,1", 50, 100), ("pad=1:1,west", 0, 0), ("pad=3:1,east", 200, 0), ("pad=7", 7, 7),
        ("w=100&pad=150x100,southeast,5,5&dpr=2", 190, 90),
    ])
    func `places the image on its canvas`(query: String, left: Int, top: Int) throws {
        let step = try #require(plan(query).steps.last as? PadStep)
        let corner = step.corner(of: PixelSize(width: 100, height: 100))
        #expect(corner == (left, top))
    }

    @Test func `a crop has a gravity of its own`() throws {
        let plan = try plan("crop=50%25x50%25,southeast,6,4&w=20&h=20&fit=cover&gravity=west&crop=5x5")
        let picture = PixelSize(width: 100, height: 80)
        let crops = plan.steps.compactMap { $0 as? CropStep }
        let first = PixelRectangle(left: 44, top: 36, width: 50, height: 40)
        #expect(try crops.first?.placement(in: picture) == .rectangle(first))
        let last = PixelRectangle(left: 0, top: 37, width: 5, height: 5)
        #expect(try crops.last?.placement(in: picture) == .rectangle(last))
    }

    @Test(arguments: [
        ("crop=9x9,north", "1?crop=9x9,north"), ("crop=9x9,center", "1?crop=9x9,center"),
        ("crop=9x9,north,0,0", "1?crop=9x9,north"), ("crop=9x9,0.5,0", "1?crop=9x9,north"),
        ("crop=32:18", "1?crop=16:9"), ("crop=1.91:1&gravity=north", "1?crop=191:100&gravity=north"),
        ("crop=1.9137:1,attention", "1?crop=0.019137:0.01,attention"), ("pad=1920:1080,south", "1?pad=16:9,south"),
        ("pad=30x20,center", "1?pad=30x20"), ("w=9&dpr=2&pad=30x100%25", "1?w=18&pad=60x100%25"),
        ("w=9&dpr=2&crop=9x9,north,0,9", "1?w=18&crop=9x9,north,0,9"), ("min-h=9&dpr=2&w=4", "1?w=8&min-h=18"),
        ("w=9&h=9&fit=crop&enlarge=1&gravity=west", "1?w=9&h=9&enlarge=1&fit=cover&gravity=west"),
        ("w=9&h=9&fit=auto&gravity=subject", "1?w=9&h=9&fit=auto&gravity=subject"), ("w=9&fit=auto", "1?w=9"),
        ("min-w=9&fit=auto", "1?min-w=9"), ("w=50.50%25&dpr=2", "1?w=101%25"),
        ("w=9&h=9&fit=cover&gravity=012px,8px&dpr=2", "1?w=18&h=18&fit=cover&gravity=12px,8px"),
    ])
    func `canonical texts`(query: String, text: String) throws {
        #expect(try plan(query).canonicalText == text)
        #expect(try Plan(canonicalText: text) == plan(query))
    }

    @Test(arguments: [
        ("crop=16:0", "crop"), ("crop=16", "crop"), ("crop=16:9:2", "crop"), ("crop=16384.1:1", "crop"),
        ("crop=1.2345678:16384", "crop"), ("crop=9x9,nort", "crop"), ("crop=9x9,", "crop"),
        ("crop=9x9,north,1", "crop"),
        ("crop=-16:9", "crop"), ("crop=16:9,1,2,3", "crop"), ("crop=9x9,north&gravity=south", "gravity"),
        ("pad=0x9", "pad"), ("pad=16385x9", "pad"), ("pad=99%25x9", "pad"), ("pad=9x9,attention", "pad"),
        ("pad=9x9&gravity=north", "gravity"), ("pad=9x9x9", "pad"), ("pad=0:1", "pad"), ("pad=1001%25x9", "pad"),
        ("w=0%25", "w"), ("w=1000.1%25", "w"), ("h=%25", "h"), ("w=600%25&dpr=2", "dpr"), ("min-w=50%25", "min-w"),
        ("crop=9x9&gravity=1.5px,0px", "gravity"), ("crop=9x9&gravity=1px,0", "gravity"),
        ("crop=9x9&gravity=-1px,0px", "gravity"), ("crop=9x9&gravity=1px", "gravity"), ("min-w=0", "min-w"),
        ("min-w=9&min-w=9", "min-w"), ("min-h=16385", "min-h"), ("min-w=9000&dpr=2", "dpr"),
        ("w=9&h=9&fit=cover&min-w=3", "min-w"), ("w=9&h=9&fit=pad&min-h=3", "min-h"),
        ("w=9&h=9&fit=auto&min-h=3", "min-h"),
    ])
    func `names what it refuses`(query: String, parameter: String) {
        let error = #expect(throws: RequestError.self) { try plan(query) }
        #expect(error?.parameter == parameter)
    }

    @Test func `a size that no memory holds is refused, not computed`() throws {
        let source = PixelSize(width: 20_000, height: 1)
        for query in ["min-h=16384", "pad=1:16384", "pad=16384x16384"] {
            let error = #expect(throws: RequestError.self) {
                try PlanGeometry.outputSize(of: plan(query), source: source)
            }
            #expect(error?.status == .unprocessable)
        }
    }

    @Test func `least sides need a signature where widths are listed`() throws {
        var limits = UnsignedLimits()
        limits.widths = [100, 200]
        var options = ParseOptions()
        options.unsigned = limits
        for query in ["min-w=300", "w=100&min-h=9000", "w=50%25"] {
            let error = #expect(throws: RequestError.self) {
                try RequestLanguage.parse(query: query, options: options)
            }
            #expect(error?.status == .forbidden && ["min-w", "min-h", "w"].contains(error?.parameter))
        }
        #expect(try RequestLanguage.parse(query: "w=100", options: options).plan.canonicalText == "1?w=100")
    }
}
