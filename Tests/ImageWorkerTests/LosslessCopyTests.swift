import CVips
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// Results of a lossless copy are those of its original, byte for byte.
@Suite(.timeLimit(.minutes(2)))
struct LosslessCopyTests {
    private static let width = 240
    private static let height = 160
    private static let samples = TestImages.samples(width: width, height: height)
    private static let deep = TestImages.samples(width: width, height: height, depth: 16)
    private static let rgba: [UInt8] = {
        var rgba: [UInt8] = []
        for index in 0..<width * height {
            rgba += samples[index * 3..<index * 3 + 3].map { UInt8($0) }
            rgba.append(UInt8(index * 5 & 255))
        }
        return rgba
    }()

    /// A PNG with chunks before its pixels.
    private static func png(_ chunks: [(name: String, content: [UInt8])]) -> [UInt8] {
        let plain = TestImages.png(width: width, height: height, rgba: rgba)
        // The signature, and IHDR with its length, name and checksum.
        let start = 8 + 25
        return plain[..<start] + chunks.flatMap { PNGChunk.encoded($0.name, $0.content) } + plain[start...]
    }

    /// EXIF with an orientation alone (Exif 3.0 §4.6).
    private static func exif(_ orientation: UInt8) -> (name: String, content: [UInt8]) {
        let head: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0]
        return ("eXIf", head + [orientation, 0, 0, 0, 0, 0, 0])
    }

    /// A profile in a zlib stream without compression (RFC 1950, RFC 1951 §3.2.4).
    private static var profile: (name: String, content: [UInt8]) {
        let bytes = DisplayP3.profile
        let count: [UInt8] = [UInt8(bytes.count & 255), UInt8(bytes.count >> 8)]
        var (low, high) = (1, 0)
        for byte in bytes {
            low = (low + Int(byte)) % 65_521
            high = (high + low) % 65_521
        }
        var content: [UInt8] = Array("P3\0\0".utf8)
        content += [0x78, 0x01, 1]
        content += count
        content += count.map { ~$0 }
        content += bytes
        content += PNGChunk.word(high << 16 | low)
        return ("iCCP", content)
    }

    /// 2835 dots per metre.
    private static let resolution: [UInt8] = [0, 0, 11, 19, 0, 0, 11, 19, 1]

    private static let sources: [String: (bytes: [UInt8], format: ImageFormat)] = [
        "BMP": (TestImages.bmp(width: width, height: height, rgb: samples.map { UInt8($0) }), .bmp),
        "8-bit TIFF": (TestImages.tiff(width: width, height: height, samples: samples, depth: 8), .tiff),
        "16-bit TIFF": (TestImages.tiff(width: width, height: height, samples: deep, depth: 16), .tiff),
        "turned TIFF": (
            TestImages.tiff(width: width, height: height, samples: samples, depth: 8, orientation: 6), .tiff
        ),
        "RGBA PNG": (png([]), .png),
        "PNG with a profile": (png([profile]), .png),
        "turned PNG": (png([exif(8)]), .png),
        "PNG of sRGB": (
            png([("sRGB", [0]), ("gAMA", PNGChunk.word(45_455)), ("pHYs", resolution)]), .png
        ),
    ]

    private static let queries = [
        "w=100&format=png", "format=png", "w=90&format=jpeg", "format=jpeg&q=70", "w=80&format=webp",
        "format=webp&lossless=1",
        "crop=10,20,100,80&rotate=90&format=png", "w=60&h=60&fit=cover&round=9&format=png&bg=808080",
    ]

    @Test(arguments: sources.keys.sorted())
    func `results of a copy are byte-identical to those of the original`(_ name: String) throws {
        let (bytes, format) = try #require(Self.sources[name])
        let header = try header(of: bytes)
        let copy = try Workbench.run([LosslessCopy.planText(for: header)], of: bytes, as: format)[0]
        #expect(copy.description.format == .picture(.png))
        #expect(copy.bytes.count < bytes.count)
        let reduction = Reduction(factor: 1, original: header)
        for query in Self.queries {
            let plan = try canonical(query)
            let made = try Workbench.run([plan], of: copy.bytes, as: .png, reduction: reduction)[0]
            let whole = try Workbench.run([plan], of: bytes, as: format)[0]
            #expect(made.bytes == whole.bytes, "\(query)")
            #expect(made.description == whole.description, "\(query)")
        }
        let plans = try ["w=100&format=png", "format=png"].map(canonical)
        let made = try Workbench.run(plans, of: copy.bytes, as: .png, reduction: reduction)
        #expect(try made.map(\.bytes) == Workbench.run(plans, of: bytes, as: format).map(\.bytes))
    }

    @Test(.enabled(if: SharedImages.isAvailable, "needs ../shared/images"), arguments: ["small.bmp"])
    func `results of a copy of another program's file are byte-identical`(_ name: String) throws {
        let bytes = try Workbench.photograph(name)
        let header = try header(of: bytes)
        let copy = try Workbench.run([LosslessCopy.planText(for: header)], of: bytes, as: header.format)[0]
        for query in Self.queries where !query.contains("crop") {
            let plan = try canonical(query)
            let reduction = Reduction(factor: 1, original: header)
            let made = try Workbench.run([plan], of: copy.bytes, as: .png, reduction: reduction)[0]
            #expect(try made.bytes == Workbench.run([plan], of: bytes, as: header.format)[0].bytes, "\(query)")
        }
    }

    private static let inexact: [String: (bytes: [UInt8], format: ImageFormat)] = [
        "CMYK": (
            TestImages.tiff(
                width: 60,
                height: 40,
                samples: [UInt16](repeating: 77, count: 60 * 40 * 4),
                depth: 8,
                photometric: 5
            ), .tiff
        ),
        "two pages": (TestImages.tiff(pages: [(30, 20, 7), (30, 20, 9)]), .tiff),
        "gamma without a profile": (png([("gAMA", PNGChunk.word(100_000))]), .png),
        "code points": (png([("cICP", [12, 13, 0, 1])]), .png),
    ]

    @Test(arguments: inexact.keys.sorted())
    func `an original without an exact copy is refused`(_ name: String) throws {
        let (bytes, format) = try #require(Self.inexact[name])
        let header = try header(of: bytes)
        #expect(throws: WorkerReply.Failure.refused("the image has no exact copy as PNG")) {
            try Workbench.run([LosslessCopy.planText(for: header)], of: bytes, as: format)
        }
        // The sources are sound.
        _ = try Workbench.run([canonical("w=20&format=png")], of: bytes, as: format)
    }

    @Test(arguments: [1, 2, 4])
    func `a message to the worker keeps the factor of a reduction`(_ factor: Int) throws {
        var job = WorkerJob()
        job.sourceLength = 10
        job.deadlineMilliseconds = 1
        job.maximumPixels = 1
        job.outputs = [WorkerJob.Output(plan: "w=1", bucket: .rest, quality: QualityDefaults())]
        job.reduction = Reduction(factor: factor, original: ImageHeader(format: .bmp, width: 20, height: 10))
        job.reduction?.original.hasAlpha = false
        #expect(try WorkerJob(decoding: job.encoded()) == job)
    }

    @Test func `an orientation that the decoder does not see is refused`() throws {
        let bytes = Self.png([Self.exif(8)])
        var header = try header(of: bytes)
        header.orientation = 1
        #expect(throws: WorkerReply.Failure.self) {
            try Workbench.run([LosslessCopy.planText(for: header)], of: bytes, as: .png)
        }
    }

    @Test func `plans that read metadata or other pages are not served by a copy`() throws {
        for query in ["w=10", "format=png", "format=avif&q=40", "w=10&frame=0"] {
            #expect(try LosslessCopy.serves(canonical(query)), "\(query)")
        }
        for query in ["format=json", "w=10&meta=keep", "w=10&meta=copyright", "page=2"] {
            #expect(try !LosslessCopy.serves(canonical(query)), "\(query)")
        }
        #expect(!LosslessCopy.serves(MetadataCleaner.planText))
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
