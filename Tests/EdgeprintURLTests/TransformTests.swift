import EdgeprintURL
import ImagePlan
import Testing

/// The builder speaks the language of the server: what it prints, `RequestLanguage` reads, and to the plan that was meant.
@Suite(.timeLimit(.minutes(1)))
struct TransformTests {
    private static func plan(_ transform: ImageTransform) throws -> Plan {
        try RequestLanguage.parse(query: transform.query, options: ParseOptions()).plan
    }

    @Test func `random transforms mean the plans that they stand for`() throws {
        var random = RandomTransform(SystemRandomNumberGenerator())
        for _ in 0..<1_000 {
            let (transform, plan) = random.make()
            try transform.validate()
            #expect(try Self.plan(transform) == plan, "\(transform.query)")
            // What has been printed can be read by the builder, too.
            #expect(try ImageTransform(query: transform.query) == transform)
        }
    }

    @Test(arguments: [
        (ImageTransform().resize(width: 400), "w=400"),
        (ImageTransform().resize(height: 300, fit: .pad), "h=300&fit=pad"),
        (ImageTransform().resize(width: 400).blur(2).resize(width: 300, height: 200), "w=300&h=200&blur=2"),
        (ImageTransform().resize(width: 400).blur(2).resize(height: 200), "h=200&blur=2"),
        (ImageTransform().resize(width: 400, fit: .cover).resize(width: 300), "w=300&fit=cover"),
        (ImageTransform().format(.webp).resize(width: 1).format(.avif), "format=avif&w=1"),
        (ImageTransform().crop(x: 10, y: .percent(-5), width: .percent(12.5), height: 20), "crop=10,-5%25,12.5%25,20"),
        (ImageTransform().crop(width: 300, height: .percent(50)), "crop=300x50%25"),
        (ImageTransform().rotate(degrees: -45.5, expands: false), "rotate=-45.5&expand=0"),
        (ImageTransform().round(0.5).round(.percent(25)).round(.maximum), "round=0.5&round=25%25&round=max"),
        (ImageTransform().round(topLeft: 8, bottomRight: 4), "round=8,0,4,0"),
        (ImageTransform().border(width: 2, ImageColor(rgb: 0xFF8800)), "border=2,ff8800"),
        (ImageTransform().tint(.black, mode: .multiply).tint(.white), "tint=000000,multiply&tint=ffffff"),
        (ImageTransform().filter(.chroma(.white)), "filter=chroma:ffffff"),
        (ImageTransform().filter(.duotone(dark: .black, light: .white)), "filter=duotone:000000,ffffff"),
        (
            ImageTransform().filter(.vignette(0.25)).filter(.monochrome(.white)),
            "filter=vignette:0.25&filter=monochrome:ffffff"
        ),
        (ImageTransform().mask(imageAt: "shapes/a,b c.png"), "mask=shapes%2Fa%252Cb%2520c.png"),
        (ImageTransform().quality(.byFormat([.webp: 79, .avif: 60, .jpeg: 80])), "q=avif:60,jpeg:80,webp:79"),
        (ImageTransform().quality(.automatic(.eco)), "q=auto:eco"),
        (ImageTransform().quality(.automatic()), "q=auto"),
        (ImageTransform().frames(10...19).reversed(), "frames=10-19&reverse=1"),
        (ImageTransform().format(.json).pixel(x: 3, y: 4), "format=json&pixel=3,4"),
        (ImageTransform().preset("card").preset("thumb"), "preset=thumb"),
        (ImageTransform().filename("a b.jpg").download().download(false), "filename=a%20b.jpg"),
        (ImageTransform().originParameter("v", "1&2"), "v=1%262"),
        (
            ImageTransform().watermark(
                .image("brand/logo.png", scale: .fraction(0.2)).placed(.southeast, x: 16, y: .percent(5)).opacity(0.7)
            ),
            "watermark=brand%2Flogo.png,southeast,16,5%25,0.2,0.7"
        ),
        (
            ImageTransform().watermark(.text("50%, yes", size: 32, color: .black, font: "serif").placed(.tile)),
            "watermark=text:50%2525%252C%20yes,tile,,,32,,000000,serif"
        ),
        (ImageTransform().watermark(.image("brand/logo.png", scale: .own(2))), "watermark=brand%2Flogo.png,,,,2x"),
    ])
    func `calls are written as the language demands`(transform: ImageTransform, query: String) throws {
        #expect(transform.query == query)
        #expect(throws: Never.self) { try transform.validate() }
    }

    @Test func `density multiplies lengths as the server does`() throws {
        let single = ImageTransform().resize(width: 100).round(8).pad(4).border(width: 1.5, .black).blur(2)
        let double = ImageTransform().resize(width: 200).round(16).pad(8).border(width: 3, .black).blur(4)
        #expect(try Self.plan(single.density(2)) == Self.plan(double))
        #expect(single.density(2).density(3).query.hasSuffix("&dpr=3"))
    }

    @Test(arguments: [
        ("w", ImageTransform().resize(width: 0)),
        ("w", ImageTransform().resize(width: 16_385)),
        ("h", ImageTransform().resize(height: -1)),
        ("dpr", ImageTransform().resize(width: 100).density(5)),
        ("dpr", ImageTransform().resize(width: 16_000).density(2)),
        ("dpr", ImageTransform().resize(width: 100).density(.nan)),
        ("fit", ImageTransform().resize(fit: .cover)),
        ("gravity", ImageTransform().gravity(.north)),
        ("gravity", ImageTransform().resize(width: 1, height: 1, fit: .cover).gravity(.attention.offset(x: 1, y: 1))),
        ("blur", ImageTransform().blur(0.1)),
        ("blur", ImageTransform().blur(.infinity)),
        ("sharpen", ImageTransform().sharpen(1e300)),
        ("round", ImageTransform().round(0)),
        ("pad", ImageTransform().pad()),
        ("border", ImageTransform().border(width: 0, .black)),
        ("crop", ImageTransform().crop(width: 0, height: 10)),
        ("filter", ImageTransform().filter(.monochrome(ImageColor(red: 0, green: 0, blue: 0, alpha: 1)))),
        ("q", ImageTransform().quality(101)),
        ("q", ImageTransform().quality(.byFormat([.json: 50]))),
        ("frames", ImageTransform().frames(1...2).frame(1)),
        ("pixel", ImageTransform().pixel(x: 1, y: 1)),
        ("preset", ImageTransform().preset("my preset")),
        ("preset", ImageTransform().parameter("preset", "a").parameter("preset", "b")),
        ("blur", ImageTransform().preset("card").blur(0)),
        ("filename", ImageTransform().preset("card").filename("a/b")),
        ("w", ImageTransform().originParameter("w", "1")),
        ("sig", ImageTransform().parameter("sig", "x")),
        ("width", ImageTransform().parameter("width", "100")),
        ("watermark", ImageTransform().watermark(.text(" "))),
        ("mask", ImageTransform().mask(imageAt: "nowhere")),
    ])
    func `a value that no server accepts is refused by name`(name: String, transform: ImageTransform) {
        let error = #expect(throws: ImageURLError.self) { try transform.validate() }
        #expect(error?.parameter == name, "\(String(describing: error))")
    }

    @Test func `a preset may have the steps that attributes need`() {
        let transform = ImageTransform().preset("card").gravity(.north).density(2).resizeToDisplayedWidth()
        #expect(throws: Never.self) { try transform.validate() }
        #expect(throws: Never.self) { try ImageTransform().resizeToDisplayedWidth().densityOfDisplay().validate() }
        #expect(throws: ImageURLError.self) { try ImageTransform().withoutSourcePreset().gravity(.north).validate() }
    }

    @Test func `there is a method for every parameter of the language`() {
        var names = Set(ParameterTable.steps.flatMap(\.parameters).map(\.name))
        names.formUnion(ParameterTable.attributes.map(\.name))
        names.formUnion(ParameterTable.settings.map(\.name))
        names.formUnion(["preset", "filename", "download", "refresh", "retry", "wait-store", "timing"])
        let all = ImageTransform().resize(width: 1, height: 1, fit: .cover).atLeast(width: 1, height: 1)
            .enlarging().inLinearLight().density(1).gravity(.center).crop(width: 1, height: 1).trim(threshold: 1)
            .flip(.both).rotate(degrees: 1, expands: true).pad(1).round(1).border(width: 1, .black).mask(.heart).blur(1)
            .sharpen(1).pixelate(2).brightness(2)
            .offset(1).contrast(2).saturation(2).hue(degrees: 1).gamma(2).filter(.sepia).tint(.black).background(.white)
            .watermark(.text("a")).preset("a").format(.json).quality(1).maximumBytes(1).lossless().progressive()
            .effort(1).chroma(.full).nearLossless(1).alphaQuality(1).sharpYUV().metadata(.keep).keepingGainMap()
            .pixel(x: 1, y: 1).resolution(1).strict().animation(.keep).frame(1).frames(0...1).page(1).speed(1).loop(1)
            .reversed().filename("a").download().refresh().retry().waitForStorage().timing()
        let written = Set(all.query.split(separator: "&").map { String($0.prefix { $0 != "=" }) })
        #expect(written == names)
    }

    @Test func `the keywords are those of the language`() {
        func words<Words: CaseIterable & RawRepresentable>(_: Words.Type) -> Set<String>
        where Words.RawValue == String {
            Set(Words.allCases.map(\.rawValue))
        }
        #expect(words(EdgeprintURL.Fit.self) == words(ImagePlan.Fit.self))
        #expect(words(FlipDirection.self) == words(FlipStep.Direction.self))
        #expect(words(MaskShape.self) == words(MaskStep.Shape.self))
        #expect(words(EdgeprintURL.BlendMode.self) == words(ImagePlan.BlendMode.self))
        #expect(words(OutputFormat.self) == words(FormatSetting.self))
        #expect(words(ChromaSampling.self) == words(ChromaSetting.self))
        #expect(words(EdgeprintURL.MetadataPolicy.self) == words(ImagePlan.MetadataPolicy.self))
        #expect(words(EdgeprintURL.AnimationMode.self) == words(ImagePlan.AnimationMode.self))
        #expect(words(QualityLevel.self) == words(PerceptualLevel.self))
        #expect(words(Watermark.Place.self) == words(WatermarkStep.Place.self))
    }
}
