import CVips
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// Results of a mezzanine match results of the original.
@Suite(.timeLimit(.minutes(3)))
struct MezzanineTests {
    /// The least structural similarity of the two.
    private static let least = 0.995

    private static let photographs = [
        "bus-12mp.jpg", "hato.jpg", "fox.jpg", "kimono.jpg", "exif-landscape-6.jpg", "exif-landscape-3.jpg",
        "photo.webp",
        "rgba.png", "sample-16bit.png", "icc-red-at-12-oclock.jpg", "icc-xyb.jpg", "hato-8bit.avif", "fox-10bit.avif",
    ]

    @Test(.enabled(if: SharedImages.isAvailable, "needs ../shared/images"), arguments: photographs)
    func `results of photographs look the same`(_ name: String) throws {
        let bytes = try Workbench.photograph(name)
        let queries = ["flip=h&w=$&round=20", "w=$", "w=$&h=$&fit=cover", "rotate=90&h=$"]
        // Twelve megapixels take seconds in a debug build.
        try compare(bytes, queries: name == "bus-12mp.jpg" ? [queries[0]] : queries, name)
    }

    @Test func `a wide colour space is kept, and results have the colours of the original`() throws {
        let picture = PixelImage(width: 192, height: 128, channels: 3) { x, y in
            [UInt8(x / 4 * 4), UInt8(y / 4 * 6), UInt8(200 - x)]
        }
        let raster = try Raster.sRGB(picture.bytes, width: 192, height: 128, bands: 3)
        unsafe vips_image_set_blob_copy(raster.pointer, "icc-profile-data", DisplayP3.profile, DisplayP3.profile.count)
        let source = try Workbench.encodeWithMetadata(raster, as: .png)
        let small = try Workbench.run([Mezzanine(factor: 2).planText], of: source, as: .png)[0].bytes
        #expect(PlanesFile(small.span)?.profile(in: small.span) == DisplayP3.profile)
        try compare(source, queries: ["w=$"], "Display P3")
    }

    @Test func `results of a drawing with transparency look the same`() throws {
        let width = 400
        let height = 300
        var rgba: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                let inside = (x - 200) * (x - 200) + (y - 150) * (y - 150) < 120 * 120
                rgba += [
                    UInt8(x * 255 / width), UInt8(y * 255 / height), UInt8((x / 16 + y / 16) % 2 * 200),
                    inside ? 255 : 40,
                ]
            }
        }
        try compare(
            TestImages.png(width: width, height: height, rgba: rgba),
            queries: ["w=$", "w=$&h=$&fit=fill"],
            "drawing"
        )
    }

    /// Drawings that reveal how a picture was reduced.
    private static let drawings: [(name: String, isInk: @Sendable (_ x: Int, _ y: Int) -> Bool)] = [
        ("squares", { x, y in (x / 8 + y / 8).isMultiple(of: 2) }),
        ("lines", { x, y in x % 17 == 0 || y % 40 == 0 }),
        ("hatching", { x, y in (x + y) % 6 < 2 }),
        ("rings", { x, y in ((x - 400) * (x - 400) + (y - 300) * (y - 300)) / 1500 % 2 == 0 }),
        ("letters", { x, y in y % 14 < 9 && (x * 7 + y / 14 * 5) % 11 < 4 && x % 9 != 0 }),
    ]

    @Test(arguments: drawings.indices)
    func `results of line drawings look the same`(_ index: Int) throws {
        let (name, isInk) = Self.drawings[index]
        var rgb: [UInt8] = []
        for y in 0..<600 { for x in 0..<800 { rgb += isInk(x, y) ? [20, 30, 60] : [250, 250, 240] } }
        try compare(TestImages.png(width: 800, height: 600, rgb: rgb), queries: ["w=$", "w=$&h=$&fit=cover"], name)
    }

    @Test func `sizes, crops and rotations are those of the original`() throws {
        // Odd sides: the reductions round up.
        let source = TestImages.gradient(width: 203, height: 101)
        let header = try header(of: source)
        for query in ["w=20", "h=10", "w=30&h=10&fit=cover&gravity=0.9,0.2", "flip=v&w=17", "w=25&rotate=90&round=max"]
        {
            let steps = try PlanGeometry.resolve(Plan(canonicalText: canonical(query)), source: header.orientedSize)
            let allowed = ShrinkOnLoad.factor(among: [4, 2], steps: steps, source: header.orientedSize, orientation: 1)
            #expect(allowed > 1)
            for mezzanine in Mezzanine.factors.filter({ $0 <= allowed }).map({ Mezzanine(factor: $0) }) {
                let small = try Workbench.run([mezzanine.planText], of: source, as: .png)[0]
                #expect(small.description.width == (203 + mezzanine.factor - 1) / mezzanine.factor)
                #expect(small.description.height == (101 + mezzanine.factor - 1) / mezzanine.factor)
                let made = try Workbench.run(
                    [canonical(query)],
                    of: small.bytes,
                    as: #require(small.description.format.image),
                    reduction: Reduction(factor: mezzanine.factor, original: header)
                )[0]
                let whole = try Workbench.make(query, of: source, as: .png)
                #expect(made.description.width == whole.description.width)
                #expect(made.description.height == whole.description.height)
                #expect(made.description.format == whole.description.format)
            }
        }
    }

    @Test func `several outputs share one decoding and equal separate results`() throws {
        let source = TestImages.gradient(width: 640, height: 480)
        let queries = [
            "w=300&format=png", "w=40&format=png", "crop=10,20,300,200&w=90&format=png", "format=png&rotate=90",
        ]
        let together = try Workbench.run(queries.map(canonical), of: source, as: .png)
        for (query, made) in zip(queries, together) {
            #expect(try Workbench.decode(made) == Workbench.decode(Workbench.make(query, of: source, as: .png)))
        }
    }

    @Test(.enabled(if: SharedImages.isAvailable, "needs ../shared/images"))
    func `smaller outputs of a photograph are made from the decode of the largest`() throws {
        let bytes = try Workbench.photograph("kimono.jpg")
        let queries = ["w=300&format=png", "w=64&format=png", "w=32&format=png"]
        let together = try Workbench.run(queries.map(canonical), of: bytes, as: .jpeg)
        for (query, made) in zip(queries, together) {
            let alone = try Workbench.decode(Workbench.make(query, of: bytes, as: .jpeg))
            let similarity = ImageComparison.structuralSimilarity(try Workbench.decode(made), alone)
            #expect(similarity >= Self.least)
        }
    }

    @Test(.enabled(if: SharedImages.isAvailable, "needs ../shared/images"))
    func `if one output alone needs the full size, the others are made from its rows`() throws {
        let bytes = try Workbench.photograph("kimono.jpg")
        let queries = ["w=64&format=png", "w=500&format=png", "w=32&format=png", "w=120&format=png&round=9"]
        let together = try Workbench.run(queries.map(canonical), of: bytes, as: .jpeg)
        for (query, made) in zip(queries, together) {
            let alone = try Workbench.decode(Workbench.make(query, of: bytes, as: .jpeg))
            let similarity = ImageComparison.structuralSimilarity(try Workbench.decode(made), alone)
            #expect(similarity >= Self.least, "\(query): \(similarity)")
        }
        try Workbench.withDecoder(of: bytes, as: .jpeg) { decoder in
            let deadline = Deadline(milliseconds: 20_000)
            let makers = try queries.map { try Workbench.maker(canonical($0), decoder, deadline) }
            #expect(try makers.map { try $0.loadFactor() } == [4, 1, 8, 2])
            let shared = try #require(try SharedDecode(of: decoder, for: makers, deadline))
            #expect(shared.streamed == 1)
            var first = makers[1]
            first.shared = shared
            _ = try first.make()
            let half = try #require(try shared.raster(2))
            #expect(try half.width == decoder.facts().size.width / 2)
            // Only the first output decoded.
            #expect(shared.microseconds == 0)
        }
    }

    @Test(.enabled(if: SharedImages.isAvailable, "needs ../shared/images"))
    func `if one output alone needs a reduced size and scales all of it, that is not held in memory, either`() throws {
        let bytes = try Workbench.photograph("kimono.jpg")
        let plans = try [canonical("w=64&format=png"), canonical("w=120&format=png"), Mezzanine(factor: 4).planText]
        try Workbench.withDecoder(of: bytes, as: .jpeg) { decoder in
            let deadline = Deadline(milliseconds: 20_000)
            let makers = try plans.map { try Workbench.maker($0, decoder, deadline) }
            #expect(try makers.map { try $0.loadFactor() } == [4, 2, 4])
            let shared = try #require(try SharedDecode(of: decoder, for: makers, deadline))
            #expect(shared.streamed == 2)
            #expect(try shared.decoded(4, orLess: 4) == nil)
            var first = makers[1]
            first.shared = shared
            _ = try first.make()
            let quarter = try #require(try shared.decoded(4, orLess: 4))
            #expect(try quarter.width == decoder.facts().size.reduced(by: 4).width)
            #expect(try shared.raster(4) === quarter && shared.microseconds == 0)
        }
    }

    @Test(
        .enabled(if: SharedImages.isAvailable, "needs ../shared/images"),
        arguments: [("kimono.jpg", 4), ("exif-landscape-6.jpg", 2)]
    )
    func `outputs that need the full size are made of its rows while the first reads them`(_ name: String, count: Int)
        throws
    {
        let bytes = try Workbench.photograph(name)
        let width = try header(of: bytes).orientedSize.width
        let queries = [
            "w=\(width * 3 / 4)&format=png", "w=\(width * 2 / 3)&h=200&fit=cover&format=png",
            "w=\(width * 3 / 4)&format=webp",
            "w=\(width / 5)&format=png",
        ].prefix(count)
        let together = try Workbench.run(queries.map(canonical), of: bytes, as: .jpeg)
        for (query, made) in zip(queries, together).prefix(3) {
            #expect(
                try Workbench.decode(made) == Workbench.decode(Workbench.make(query, of: bytes, as: .jpeg)),
                "\(query)"
            )
        }
        try Workbench.withDecoder(of: bytes, as: .jpeg) { decoder in
            let deadline = Deadline(milliseconds: 60_000)
            let makers = try queries.map { try Workbench.maker(canonical($0), decoder, deadline) }
            #expect(try makers.map { try $0.loadFactor() } == Array([1, 1, 1, 2].prefix(count)))
            let shared = try #require(try SharedDecode(of: decoder, for: makers, deadline))
            for var maker in makers {
                maker.shared = shared
                _ = try maker.make()
            }
            // Nothing was decoded into memory.
            #expect(shared.streamed == 1 && shared.microseconds == 0)
        }
    }

    @Test(.enabled(if: SharedImages.isAvailable, "needs ../shared/images"))
    func `if the full-size output does not read its rows in order, the others decode for themselves`()
        throws
    {
        let bytes = try Workbench.photograph("kimono.jpg")
        let queries = ["crop=300x300&format=png", "w=64&format=png", "w=60&format=png"]
        let together = try Workbench.run(queries.map(canonical), of: bytes, as: .jpeg)
        for (query, made) in zip(queries, together) {
            let alone = try Workbench.decode(Workbench.make(query, of: bytes, as: .jpeg))
            #expect(ImageComparison.structuralSimilarity(try Workbench.decode(made), alone) >= Self.least)
        }
    }

    @Test(
        .enabled(if: SharedImages.isAvailable, "needs ../shared/images"),
        arguments: ["w=500", "w=100", "w=5000", "crop=300x300"]
    )
    func `mezzanines are made of what a result reads, and left out where it does not read everything`(query: String)
        throws
    {
        let bytes = try Workbench.photograph("kimono.jpg")
        let mezzanines = Mezzanine.factors.map { Mezzanine(factor: $0).planText }
        let made = try Workbench.run([canonical(query + "&format=png")] + mezzanines, of: bytes, as: .jpeg)
        let result = try Workbench.decode(Workbench.make(query + "&format=png", of: bytes, as: .jpeg))
        #expect(ImageComparison.structuralSimilarity(try Workbench.decode(made[0]), result) >= Self.least)
        for (plan, together) in zip(mezzanines, made.dropFirst()) {
            guard query != "crop=300x300" else {
                #expect(together.description.format == .text)
                continue
            }
            let alone = try Workbench.decode(Workbench.run([plan], of: bytes, as: .jpeg)[0])
            #expect(ImageComparison.structuralSimilarity(try Workbench.decode(together), alone) >= Self.least)
        }
    }

    @Test func `a mezzanine that is damaged, cut off, or of an earlier format is refused`() throws {
        let source = TestImages.gradient(width: 200, height: 100)
        let header = try header(of: source)
        let small = try Workbench.run([Mezzanine(factor: 2).planText], of: source, as: .png)[0].bytes
        let files: [[UInt8]] = [
            small.dropLast(), small + [0], Array(small[..<PlanesFile.headerSize]), [9] + small.dropFirst(),
            // A block of more bits than there are.
            small[..<PlanesFile.headerSize] + [0xFF] + small[(PlanesFile.headerSize + 1)...],
            TestImages.gradient(width: 100, height: 50),
        ].map { Array($0) }
        for file in files {
            #expect(throws: WorkerReply.Failure.self) {
                try Workbench.run(
                    [canonical("w=20")],
                    of: file,
                    as: .planes,
                    reduction: Reduction(factor: 2, original: header)
                )
            }
        }
    }

    @Test func `a mezzanine of an unexpected size is refused`() throws {
        let source = TestImages.gradient(width: 200, height: 100)
        var other = try header(of: source)
        other.width = 210
        let small = try Workbench.run([Mezzanine(factor: 2).planText], of: source, as: .png)[0]
        #expect(throws: WorkerReply.Failure.self) {
            try Workbench.run(
                [canonical("w=20")],
                of: small.bytes,
                as: #require(small.description.format.image),
                reduction: Reduction(factor: 2, original: other)
            )
        }
    }

    /// Compares results of mezzanines with results of the original, at the largest possible width and below.
    private func compare(_ bytes: [UInt8], queries: [String], _ name: String) throws {
        let header = try header(of: bytes)
        for mezzanine in Mezzanine.factors.map({ Mezzanine(factor: $0) }) {
            let small = try Workbench.run([mezzanine.planText], of: bytes, as: header.format)[0]
            let room = ShrinkOnLoad.usualRoom(for: mezzanine.factor)
            // One less, since the other side may be rounded up.
            let widest = header.orientedSize.shorterSide * 4 / room / mezzanine.factor - 1
            for width in [widest, widest * 2 / 3, widest / 3] where width > 16 {
                for query in queries {
                    let plan = try canonical(query.replacing("$", with: "\(width)") + "&format=png&bg=808080")
                    let reduced = try Workbench.run(
                        [plan],
                        of: small.bytes,
                        as: #require(small.description.format.image),
                        reduction: Reduction(factor: mezzanine.factor, original: header)
                    )[0]
                    let whole = try Workbench.run([plan], of: bytes, as: header.format)[0]
                    #expect(reduced.description.width == whole.description.width)
                    let similarity = ImageComparison.structuralSimilarity(
                        try Workbench.decode(reduced),
                        try Workbench.decode(whole)
                    )
                    #expect(similarity >= Self.least, "\(name) ÷\(mezzanine.factor) \(query) \(width): \(similarity)")
                }
            }
        }
    }

    private func canonical(_ query: String) throws -> String {
        try RequestLanguage.parse(query: query, options: ParseOptions()).plan.canonicalText
    }

    private func header(of bytes: [UInt8]) throws -> ImageHeader {
        guard case .image(let header) = ImageSniffer.sniff(bytes.span, totalLength: bytes.count) else {
            throw WorkerReply.Failure.broken("no header")
        }
        return header
    }
}
