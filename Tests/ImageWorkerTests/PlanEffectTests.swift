import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// Plans with equal effects, made by real encoders.
@Suite(.timeLimit(.minutes(3)))
struct PlanEffectTests {
    private static let width = 301
    private static let height = 200

    /// A source, its format and its sniffed header.
    private struct Source {
        var bytes: [UInt8]
        var header: ImageHeader

        init(_ bytes: [UInt8]) throws {
            self.bytes = bytes
            let sniffed = ImageSniffer.sniff(bytes.span, totalLength: bytes.count)
            guard case .image(let header) = sniffed else { throw RequestError(parameter: "test", reason: "no image") }
            self.header = header
        }

        static func all() throws -> [Source] {
            let drawn = TestImages.gradient(width: PlanEffectTests.width, height: PlanEffectTests.height)
            let jpeg = try Workbench.make("format=jpeg&q=90", of: drawn, as: .png).bytes
            let webp = try Workbench.make("format=webp&q=90", of: drawn, as: .png).bytes
            return try [Source(drawn), Source(jpeg), Source(webp)]
        }

        /// Sources in formats whose sizes other readers state.
        static func others() throws -> [Source] {
            let drawn = TestImages.gradient(width: PlanEffectTests.width, height: PlanEffectTests.height)
            return try ["gif", "tiff", "avif", "jxl"].map {
                try Source(Workbench.make("format=\($0)", of: drawn, as: .png).bytes)
            }
        }
    }

    private func effect(
        _ query: String,
        _ source: Source,
        _ bucket: FormatBucket = .rest
    ) throws -> PlanEffect? {
        let plan = try RequestLanguage.parse(query: query, options: ParseOptions()).plan
        return PlanEffect(of: plan, on: source.header, PlanEffect.Encoding(bucket: bucket))
    }

    /// Checks that queries have one effect on each source, and one result.
    private func expectEqual(_ queries: [String], of sources: [Source], _ bucket: FormatBucket = .rest) throws {
        for source in sources {
            var results: Set<[UInt8]> = []
            var effects: Set<String> = []
            for query in queries {
                let effect = try #require(try effect(query, source, bucket))
                let made = try Workbench.make(query, of: source.bytes, as: source.header.format, bucket: bucket)
                let output = made.description
                #expect(
                    effect.matches(output.format, width: output.width, height: output.height, frames: output.frames),
                    "\(query)"
                )
                effects.insert(effect.text)
                results.insert(made.bytes)
            }
            #expect(effects.count == 1 && results.count == 1, "\(queries) of \(source.header.format)")
        }
    }

    @Test(arguments: [
        // Boxes that the original fits into.
        [
            "w=301", "w=2000", "w=3000", "h=200", "h=9999", "w=400&h=400", "w=301&h=200&fit=fill",
            "w=900&h=900&fit=fill",
        ],
        ["w=100", "w=100&h=3000", "w=100&h=66&fit=fill", "w=50&dpr=2", "w=100&enlarge=1"],
        // Nothing is scaled.
        ["w=301", "w=301&linear=1", "w=900&h=900&linear=1"],
        ["w=602&enlarge=1", "w=602&h=400&fit=fill&enlarge=1", "w=602&h=400&enlarge=1"],
        // A box larger than the original shrinks to it.
        ["w=400&h=400&fit=cover", "w=900&h=900&fit=cover", "w=200&h=200&fit=cover&enlarge=0"],
        // Gravity along a side that is not cut.
        ["w=100&h=100&fit=cover", "w=100&h=100&fit=cover&gravity=north", "w=100&h=100&fit=cover&gravity=south"],
        ["w=100&h=100&fit=cover&gravity=west", "w=100&h=100&fit=cover&gravity=southwest"],
        ["crop=301x200", "crop=0,0,100%25,100%25", "crop=999x999", "crop=-5,-5,900,900", "w=301&crop=301x200"],
        ["crop=100x100", "crop=100,50,100,100", "crop=100x100&gravity=0.5,0.5"],
        ["flip=h", "crop=301x200&flip=h", "flip=h&rotate=360", "w=301&flip=h"],
        ["blur=2", "w=999&blur=2"],
        ["w=100", "w=100&anim=first", "w=100&anim=keep", "w=100&frame=0", "w=100&page=0", "w=100&loop=3"],
        ["w=100", "w=100&dpi=300", "w=100&frames=0-9", "w=100&speed=2&reverse=1", "w=100&meta=strip&lossless=0"],
    ])
    func `steps and settings without an effect give equal bytes`(queries: [String]) throws {
        try expectEqual(queries, of: try Source.all() + Source.others())
    }

    @Test func `formats that come to the same give equal bytes`() throws {
        let sources = try Source.all()
        let (png, jpeg, webp) = (sources[0], sources[1], sources[2])
        try expectEqual(["w=90", "w=90&format=jpeg", "w=90&format=source", "w=90&format=jpg&q=80"], of: [jpeg])
        try expectEqual(["w=90&bg=ff0000", "w=90", "w=90&strict=1", "w=90&sharp_yuv=1&alpha_q=3"], of: [jpeg])
        try expectEqual(["w=90", "w=90&format=png", "w=90&format=source", "w=90&q=12&chroma=420"], of: [png])
        try expectEqual(["w=90&lossless=1", "w=90&format=png"], of: [png])
        try expectEqual(["w=90&format=png", "w=90&format=png&q=100", "w=90&format=png&q=auto"], of: sources)
        try expectEqual(["w=90&format=png&q=20", "w=90&format=source&q=png:20", "w=90&q=png:20"], of: [png])
        try expectEqual(["w=90", "w=90&format=webp", "w=90&q=79", "w=90&progressive=1"], of: sources, .webp)
        try expectEqual(["w=90&format=source", "w=90&format=webp"], of: [webp])
        try expectEqual(["w=90&q=62", "w=90&q=jpeg:62,avif:40", "w=90&q=webp:9,jpeg:62"], of: [jpeg])
        try expectEqual(["w=90&q=jpeg:9,webp:62", "w=90&q=62", "w=90&q=webp:62,jxl:5"], of: sources, .webp)
        try expectEqual(["w=90&q=jpeg:9", "w=90", "w=90&format=webp&q=avif:50"], of: sources, .webp)
        try expectEqual(["w=90&q=auto&format=webp", "w=90&q=auto:good&format=webp"], of: sources)
        try expectEqual(["w=90&near_lossless=40&format=webp", "w=90&near_lossless=40&lossless=1"], of: sources, .webp)
    }

    @Test(.enabled(if: Workbench.encodes(.jxl) && Workbench.encodes(.avif)))
    func `clients that accept AVIF and JPEG XL share what accepting one of them gives`() throws {
        let drawn = try (Source.all() + Source.others())
        func bytes(_ query: String, _ source: Source, _ bucket: FormatBucket) throws -> [UInt8] {
            try Workbench.make(query, of: source.bytes, as: source.header.format, bucket: bucket).bytes
        }
        var shared: [ImageFormat: FormatBucket] = [:]
        for source in drawn {
            for query in ["w=90", "w=90&q=avif:30,jxl:40", "w=90&round=9", "w=90&bg=fff"] {
                let both = try #require(try effect(query, source, .avifJXL))
                let equal = try [FormatBucket.avif, .jxl].filter { try effect(query, source, $0) == both }
                for bucket in equal {
                    #expect(
                        try bytes(query, source, bucket) == bytes(query, source, .avifJXL),
                        "\(query) of \(source.header.format)"
                    )
                }
                #expect(equal.count <= 1)
                if query == "w=90" { shared[source.header.format] = equal.first }
                // Transparent corners make a drawing of a photograph.
                if query == "w=90&round=9", source.header.format == .jpeg { #expect(equal == [.avif]) }
            }
        }
        // Whether the others are opaque, the header does not tell.
        #expect(shared == [.png: .avif, .gif: .avif, .jpeg: .jxl, .jxl: .jxl])
    }

    @Test
    func
        `a drawing that is too large for AVIF has an effect of its own, and so has one of formats that are not written`()
        throws
    {
        let plan = try RequestLanguage.parse(query: "w=90", options: ParseOptions()).plan
        func effect(_ bucket: FormatBucket, width: Int = 100, unwritten: Set<ImageFormat> = [], smallest: Bool = false)
            -> PlanEffect?
        {
            PlanEffect(
                of: width > 16_000 ? .identity : plan,
                on: ImageHeader(format: .png, width: width, height: 10),
                PlanEffect.Encoding(bucket: bucket, unwritten: unwritten, takesSmallest: smallest)
            )
        }
        #expect(effect(.avifJXL) == effect(.avif))
        #expect(effect(.avifJXL, width: 16_383) == effect(.avif, width: 16_383))
        #expect(effect(.avifJXL, width: 16_384) != effect(.avif, width: 16_384))
        #expect(effect(.avifJXL, unwritten: [.avif]) != effect(.avif, unwritten: [.avif]))
        #expect(effect(.avifJXL, smallest: true) != effect(.avif, smallest: true))
    }

    @Test func `plans that give other results have other effects`() throws {
        let queries = [
            "w=100", "w=101", "w=100&linear=1", "w=100&h=100&fit=cover", "w=100&h=100&fit=pad", "w=100&q=30",
            "w=100&format=webp",
            "w=100&q=jpeg:31", "w=100&q=auto", "w=100&q=auto:eco", "w=100&flip=h", "flip=h&w=100", "w=100&blur=2",
            "blur=2&w=100", "w=100&meta=keep", "w=100&effort=0",
            "w=100&progressive=1", "w=100&max_bytes=900", "w=100&h=100&fit=cover&gravity=east", "crop=50x50&w=20",
            "w=100&h=100&fit=cover&gravity=attention", "w=100&h=100&fit=cover&gravity=subject", "trim=9",
            "trim=9&w=301", "round=20", "round=20&w=301",
        ]
        let jpeg = try Source.all()[1]
        let effects = try queries.map { try #require(try effect($0, jpeg)).text }
        #expect(Set(effects).count == queries.count)
    }

    @Test func `clients that accept AVIF share a result whose JPEG would differ`() throws {
        let source = try Source.all()[1]
        let effects = try ["q=avif:50,webp:70", "q=jpeg:90,avif:50,webp:70", "q=jxl:3,webp:70,avif:50,jpeg:1"].map {
            try #require(try effect("w=90&\($0)", source, .avif)).text
        }
        #expect(Set(effects).count == 1, "\(effects)")
        let others = try ["q=avif:51,webp:70", "q=avif:50,webp:71", "q=avif:50", "q=50", ""].map {
            try #require(try effect("w=90&\($0)", source, .avif)).text
        }
        #expect(Set(others + effects).count == 6, "\(others)")
        let equal = try ["q=50", "q=avif:50,webp:50"].map { try effect("w=90&\($0)", source, .avif)?.text }
        #expect(equal[0] == equal[1])
    }

    @Test func `random plans with equal effects give equal bytes`() throws {
        var random = SeededGenerator(seed: 7)
        let steps = [
            "", "w=301", "w=150", "h=100", "h=800", "w=150&h=800", "w=400&h=100&fit=fill", "w=150&h=150&fit=cover",
            "w=700&h=350&fit=cover", "w=150&h=100&fit=pad",
        ]
        let before = ["", "crop=301x200", "crop=0,0,900,900", "flip=h", "crop=160x160", "rotate=90", "blur=1"]
        let after = ["", "crop=100%25x100%25", "crop=300x300", "flip=v", "blur=1", "round=9", "trim=3", "pad=4"]
        let settings = [
            "", "q=80", "q=79", "q=jpeg:80,webp:79", "q=webp:80", "format=jpeg", "format=png", "format=webp",
            "format=source", "bg=ffffff",
        ]
        for source in try Source.all() + Source.others() {
            var results: [String: [UInt8]] = [:]
            var shared = 0
            for _ in 0..<150 {
                let parts = [before, steps, after, settings].compactMap { $0.randomElement(using: &random) }
                let query = parts.filter { !$0.isEmpty }.joined(separator: "&")
                let bucket = [FormatBucket.rest, .webp].randomElement(using: &random) ?? .rest
                guard let effect = try effect(query, source, bucket) else { continue }
                let made = try Workbench.make(query, of: source.bytes, as: source.header.format, bucket: bucket)
                if let known = results[effect.text] {
                    shared += 1
                    #expect(known == made.bytes, "\(query) of \(source.header.format)")
                }
                results[effect.text] = made.bytes
            }
            #expect(shared > 10)
        }
    }

    @Test func `knows nothing of descriptions, animations and vector images`() throws {
        let jpeg = try Source.all()[1]
        #expect(try effect("format=json", jpeg) == nil)
        #expect(try effect("w=10&frame=3", jpeg) == nil)
        #expect(try effect("crop=900,900,10,10", jpeg) == nil)
        for format in [ImageFormat.ico, .svg, .pdf] {
            let header = ImageHeader(format: format, width: 100, height: 100)
            #expect(PlanEffect(of: .identity, on: header, PlanEffect.Encoding(bucket: .rest)) == nil)
        }
        let animated = ImageHeader(format: .webp, width: 100, height: 100, frames: 2)
        #expect(PlanEffect(of: .identity, on: animated, PlanEffect.Encoding(bucket: .rest)) == nil)
    }

    @Test func `a result of another size or format is not the predicted one`() throws {
        let jpeg = try Source.all()[1]
        let effect = try #require(try effect("w=100", jpeg))
        #expect(effect.matches(.jpeg, width: 100, height: 66, frames: 1))
        #expect(!effect.matches(.jpeg, width: 100, height: 67, frames: 1))
        #expect(!effect.matches(.png, width: 100, height: 66, frames: 1))
        #expect(!effect.matches(.jpeg, width: 100, height: 66, frames: 2))
    }

    @Test func `the predicted encoders are the worker's`() {
        precondition(Workbench.isStarted)
        for format in [ImageFormat.jpeg, .png, .gif, .webp] {
            #expect(EncoderTable.common[format] == CoderRegistry.encoders[format])
        }
        for (format, settings) in EncodingEffect.settings {
            let used = CoderRegistry.coder(for: format)?.settings.map(\.name) ?? []
            let shown = used.filter { $0 != PlanSetting.maximumBytes.name && $0 != PlanSetting.lossless.name }
            #expect(Set(settings.map(\.name)) == Set(shown), "\(format)")
        }
    }
}
