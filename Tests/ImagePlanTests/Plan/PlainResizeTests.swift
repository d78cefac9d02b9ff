import ImagePlan
import TestSupport
import Testing

/// Which plans may be answered with another size of the image, and by which.
@Suite(.timeLimit(.minutes(1)))
struct PlainResizeTests {
    /// An example of each step, by its first name.
    private static let examples: [String: [String]] = [
        "w": ["w=30", "h=20", "w=30&h=20&fit=cover", "w=30&h=20&fit=pad", "w=30&h=20&fit=fill", "w=30&enlarge=1"],
        "crop": ["crop=20x20", "crop=1,1,20,20"], "round": ["round=4"], "border": ["border=2,ff0000"],
        "blur": ["blur=2"],
        "sharpen": ["sharpen=1"], "flip": ["flip=h"], "rotate": ["rotate=90", "rotate=30"], "pixelate": ["pixelate=4"],
        "brightness": ["brightness=1.1"], "offset": ["offset=9"], "contrast": ["contrast=1.1"],
        "saturation": ["saturation=0.5"],
        "hue": ["hue=90"], "gamma": ["gamma=1.8"], "filter": ["filter=grayscale", "filter=sepia", "filter=invert"],
        "tint": ["tint=ff8800"], "pad": ["pad=4"], "trim": ["trim=10"], "mask": ["mask=circle", "mask=demo/mark"],
        "watermark": ["watermark=demo/mark,southeast"],
    ]

    private func plan(_ query: String) throws -> Plan {
        try RequestLanguage.parse(query: query, options: ParseOptions()).plan
    }

    private func plain(_ query: String) throws -> PlainResize { try #require(PlainResize(plan(query)), "\(query)") }

    @Test func `no step but a resize may be left out, alone, before or after a resize`() throws {
        for type in StepRegistry.types {
            let name = try #require(type.names.first)
            let queries = try #require(Self.examples[name], "\(name) needs an example")
            for query in queries {
                #expect(try plan(query).steps.count == 1, "\(query)")
                #expect(try (PlainResize(plan(query)) != nil) == (name == "w"), "\(query)")
                guard name != "w" else { continue }
                #expect(try PlainResize(plan("w=30&\(query)")) == nil, "\(query)")
                #expect(try PlainResize(plan("\(query)&w=30")) == nil, "\(query)")
            }
        }
    }

    @Test func `a random plan is plain only without other steps`() {
        var generator = SeededGenerator(seed: 16)
        var plainCount = 0
        for _ in 0..<5_000 {
            let plan = RandomPlan.make(using: &generator)
            let isPlain = plan.steps.allSatisfy { $0 is ResizeStep } && !plan.settings.format.isMetadata
            #expect((PlainResize(plan) != nil) == isPlain, "\(plan.canonicalText)")
            if isPlain { plainCount += 1 }
        }
        #expect(plainCount > 0)
    }

    @Test(arguments: ["json", "blurhash", "thumbhash", "lqip"])
    func `a description is no image of another size`(format: String) throws {
        #expect(try PlainResize(plan("w=30&format=\(format)")) == nil)
    }

    @Test(arguments: [
        // The same fit, larger.
        ("w=300", "w=400", true), ("w=300", "h=400", true), ("w=300", "", true), ("w=300", "w=300", true),
        ("w=300&h=300", "w=301&h=301", true), ("w=300", "w=600&h=900", true), ("w=333", "w=777", true),
        ("w=300&linear=1", "w=400&linear=1", true), ("w=300&linear=1", "w=400", false),
        ("w=300", "w=400&linear=1", false),
        ("w=300&h=200&fit=cover", "w=600&h=400&fit=cover", true),
        ("w=300&h=300&fit=cover&gravity=north", "w=600&h=600&fit=cover&gravity=north", true),
        ("w=300&h=300&fit=pad", "w=600&h=600&fit=pad", true),
        ("w=300&h=300&fit=fill", "w=500&h=500&fit=fill", true),
        // A crop to the original's own proportions cuts nothing off.
        ("w=300&h=200&fit=cover", "w=450", true),
        // Smaller, on one side or on both.
        ("w=300", "w=299", false), ("w=300", "w=200&h=900&fit=fill", false),
        // Other proportions, another place, other margins.
        ("w=300&h=300&fit=cover", "w=600&h=400&fit=cover", false), ("w=300&h=300&fit=cover", "w=600", false),
        ("w=300", "w=600&h=600&fit=cover", false), ("w=300&h=300&fit=fill", "w=600", false),
        ("w=300&h=300&fit=cover&gravity=west", "w=600&h=600&fit=cover&gravity=east", false),
        ("w=300&h=300&fit=pad", "w=600", false), ("w=300&h=300&fit=pad", "w=600&h=800&fit=pad", false),
        // The original stops growing, and its margins grow instead.
        ("w=300&h=300&fit=pad", "w=2000&h=2000&fit=pad", false),
        // Searched places may differ.
        ("w=300&h=300&fit=cover&gravity=attention", "w=600&h=600&fit=cover&gravity=attention", false),
        ("w=300&h=300&fit=cover&gravity=entropy", "w=600&h=600&fit=cover&gravity=entropy", false),
        ("w=300&h=300&fit=cover&gravity=subject", "w=600&h=600&fit=cover&gravity=subject", false),
        // An offset in pixels is another place in another size.
        ("w=300&h=300&fit=cover&gravity=west,40,0", "w=600&h=600&fit=cover&gravity=west,40,0", false),
        // Other settings.
        ("w=300&q=70", "w=400", false), ("w=300", "w=400&format=webp", false), ("w=300&bg=ffffff", "w=400", false),
    ])
    func `a larger result must show the same`(query: String, other: String, isShown: Bool) throws {
        let source = PixelSize(width: 1200, height: 800)
        #expect(try plain(query).isShown(by: plain(other), of: source) == isShown)
    }

    @Test func `random sizes of one fit always show the same`() throws {
        var generator = SeededGenerator(seed: 17)
        for _ in 0..<2_000 {
            // No side becomes shorter than a pixel, which would change the proportions.
            let source = PixelSize(
                width: .random(in: 100...3000, using: &generator),
                height: .random(in: 100...3000, using: &generator)
            )
            let small = Int.random(in: 100...1000, using: &generator)
            let large = Int.random(in: small...4000, using: &generator)
            for side in ["w", "h"] {
                let isShown = try plain("\(side)=\(small)").isShown(by: plain("\(side)=\(large)"), of: source)
                #expect(isShown, "\(source) \(side)=\(small) \(large)")
            }
        }
    }

    @Test(arguments: [
        ("w=300", true), ("h=300", true), ("w=300&h=300", true), ("w=5000&enlarge=1", true), ("", true),
        ("w=300&h=200&fit=fill", true), ("w=300&h=200&fit=cover", true), ("w=300&h=300&fit=outside", true),
        ("w=300&h=300&fit=cover", false), ("w=300&h=300&fit=fill", false), ("w=300&h=300&fit=pad", false),
    ])
    func `the original shows the same only as a whole`(query: String, isShown: Bool) throws {
        let source = PixelSize(width: 1200, height: 800)
        #expect(try plain(query).isShownByOriginal(of: source) == isShown)
    }

    /// A value of each setting that differs from its default.
    private static let values = [
        "alpha_q": "50", "bg": "ff0000", "chroma": "444", "dpi": "150", "effort": "3", "format": "png", "hdr": "keep",
        "lossless": "1",
        "max_bytes": "5000", "meta": "copyright", "near_lossless": "60", "progressive": "1", "q": "40",
        "sharp_yuv": "1",
        "anim": "first", "frame": "2", "frames": "1-3", "loop": "2", "page": "1", "pixel": "1,1", "reverse": "1",
        "speed": "2", "strict": "1",
    ]
    /// The settings that leave the content as it is.
    private static let harmless: Set<String> = [
        "alpha_q", "chroma", "effort", "format", "lossless", "max_bytes", "near_lossless", "progressive", "q",
        "sharp_yuv",
    ]

    @Test func `only settings of encoders may be left out with the original`() throws {
        let header = ImageHeader(format: .png, width: 90, height: 60)
        for setting in PlanSetting.all {
            let value = try #require(Self.values[setting.name], "\(setting.name) needs a value")
            var settings = PlanSettings()
            try setting.read(Parameter(setting.name, value), &settings)
            let plain = try #require(PlainResize(Plan(settings: settings)))
            #expect(plain.settings != PlanSettings(), "\(setting.name)")
            let permits = plain.permitsOriginal(header, length: 1000, for: .rest)
            #expect(permits == Self.harmless.contains(setting.name), "\(setting.name)")
        }
    }

    @Test func `the original must be smaller than max_bytes`() throws {
        let header = ImageHeader(format: .png, width: 90, height: 60)
        #expect(try plain("w=30&max_bytes=500").permitsOriginal(header, length: 500, for: .rest))
        #expect(try !plain("w=30&max_bytes=500").permitsOriginal(header, length: 501, for: .rest))
    }

    @Test(arguments: [
        ("w=30", ImageFormat.jpeg, FormatBucket.rest, true), ("w=30", .png, .rest, true), ("w=30", .gif, .avif, true),
        ("w=30", .webp, .rest, false), ("w=30", .webp, .webp, true), ("w=30", .webp, .avif, true),
        ("w=30", .avif, .avif, false), ("w=30", .svg, .avif, false), ("w=30", .heic, .avif, false),
        ("w=30", .tiff, .rest, false), ("w=30&format=webp", .jpeg, .webp, false),
        ("w=30&format=webp", .webp, .rest, true),
        ("w=30&format=jpeg", .jpeg, .rest, true), ("w=30&format=source", .gif, .rest, true),
        ("w=30&format=source", .tiff, .rest, false),
    ])
    func `the original must have a format that the client shows`(
        query: String,
        format: ImageFormat,
        bucket: FormatBucket,
        isPermitted: Bool
    ) throws {
        let header = ImageHeader(format: format, width: 90, height: 60)
        let isAuto = try plan(query).settings.format == .auto
        #expect(try plain(query).permitsOriginal(header, length: 1, for: isAuto ? bucket : nil) == isPermitted)
    }

    @Test(arguments: [
        ("w=30&format=webp&effort=6", FormatBucket?.none, "1?w=30&effort=0&format=webp"),
        ("w=30", .webp, "1?w=30&effort=0"),
        ("w=30&blur=2", .rest, "1?w=30&blur=2&effort=1"), ("w=30&format=png", nil, "1?w=30&effort=1&format=png"),
        ("w=30&q=auto", .webp, nil), ("w=30&max_bytes=500", .webp, nil), ("format=json", nil, nil),
    ])
    func `the fast plan differs in the effort only`(query: String, bucket: FormatBucket?, text: String?) throws {
        #expect(try PlainResize.fast(plan(query), for: bucket)?.canonicalText == text)
    }
}
