import Foundation
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// Every step in every format, compared with the reviewed pictures in the folder Golden.
///
/// `make golden` rewrites these. A step without an example fails.
@Suite(.timeLimit(.minutes(1)))
struct GoldenTests {
    /// Queries for each step and its variations.
    private static let examples = [
        "w=36", "w=30&h=30&fit=cover&gravity=east", "w=44&h=44&fit=pad&bg=203040", "w=50&h=20&fit=fill",
        "w=96&enlarge=1", "w=30&h=30&fit=outside", "w=40&h=90&fit=crop&gravity=50px,9px", "min-w=80&min-h=60",
        "w=40%25&h=90%25&fit=auto", "crop=3:4,east", "pad=80x60,southeast,2,3&bg=203040", "pad=1:1,north",
        "offset=40,-30,0", "crop=40x30&gravity=southeast,6,4",
        "crop=10,8,40,30", "crop=50%25x50%25&gravity=southeast", "round=12", "round=max&bg=ffffff",
        "round=10&border=3,ff8800",
        "blur=2", "sharpen=1.5", "flip=h", "rotate=90", "rotate=30", "rotate=30&expand=0",
        "rotate=90&expand=0&bg=204060", "pixelate=6", "brightness=1.3", "contrast=1.4",
        "saturation=0.3", "hue=90", "gamma=1.8", "filter=grayscale", "filter=sepia", "filter=invert",
        "filter=duotone:102040,ffe0a0", "filter=monochrome:4080ff", "filter=vignette", "filter=chroma:4080ff",
        "w=20&h=60&fit=adaptive", "tint=ff8800a0",
        "tint=ff8800,multiply",
        "pad=2,6,10,4&bg=ff880080", "pad=5&bg=ffffff&trim=10", "mask=circle", "mask=star",
        "mask=demo/mark", "watermark=demo/mark,southeast,3,2,0.4,0.8", "watermark=demo/mark,tile,8,6,0.3,0.6",
    ]

    /// The formats to compare and the required similarity: structural similarity, and the mean difference of a channel of 0–255.
    private static let tolerances: [ImageFormat: (similarity: Double, difference: Double)] = [
        .png: (0.998, 0.4), .tiff: (0.998, 0.4), .jpeg: (0.93, 4), .avif: (0.93, 4), .jxl: (0.95, 6),
        // Colours at half the resolution; a palette.
        .webp: (0.95, 10), .gif: (0.9, 6),
    ]

    /// The mean colour distance (CIELAB) allowed for lossless results, since versions of libvips round differently.
    private static let largestDistance = 0.5

    /// 72 × 48 pixels: gradients, saturated areas, strokes of one pixel, and a corner that fades to transparency.
    private static let source = Workbench.png(
        PixelImage(width: 72, height: 48) { x, y in
            var pixel = [UInt8(40 + x * 2), UInt8(60 + y * 3), UInt8(200 - x), 255]
            if (4..<28).contains(x), (4..<16).contains(y) {
                pixel = [[230, 40, 40, 255], [40, 180, 60, 255], [250, 220, 40, 255]][(x - 4) / 8]
            }
            // Like letters: strokes and gaps of one pixel.
            let isStroke = (x % 6 == 0 && y % 8 < 6) || (y % 8 == 2 && x % 6 < 4)
            if (6..<36).contains(x), (22..<44).contains(y), isStroke { pixel = [16, 16, 16, 255] }
            let distance = (Double((x - 58) * (x - 58) + (y - 34) * (y - 34))).squareRoot()
            if distance < 12.5 { pixel = [255, 255, 255, UInt8(min(255, max(0, (distance - 4) * 30)))] }
            return pixel
        }
    )

    /// The picture for watermarks and masks: a disc with a soft edge in a gradient.
    private static let mark = Workbench.png(
        PixelImage(width: 24, height: 24) { x, y in
            let distance = (Double((x - 12) * (x - 12) + (y - 12) * (y - 12))).squareRoot()
            return [255, UInt8(x * 10), UInt8(y * 10), UInt8(min(255, max(0, (12 - distance) * 80)))]
        }
    )

    private static let folder = URL(filePath: Checkout.path("Tests/ImageWorkerTests/Golden"))

    private static func file(_ query: String) -> URL {
        let name = query.replacing("%25", with: "pc").map { $0.isLetter || $0.isNumber || $0 == "." ? $0 : "-" }
        return folder.appending(path: String(name) + ".png")
    }

    private static var isWriting: Bool { TestEnvironment.value("EDGEPRINT_WRITE_GOLDEN") != nil }

    /// The picture over a colour that it does not contain, so that transparency shows.
    private static func flat(_ image: PixelImage, over colour: [Int] = [255, 0, 255]) -> PixelImage {
        guard image.channels == 4 else { return image }
        return PixelImage(width: image.width, height: image.height, channels: 3) { x, y in
            let pixel = image[x, y].map { Int($0) }
            return (0..<3).map { UInt8((pixel[$0] * pixel[3] + colour[$0] * (255 - pixel[3]) + 127) / 255) }
        }
    }

    @Test func `every step, filter and fit has an example, and every example a golden image`() throws {
        let stated = Set(Self.examples.flatMap { $0.split(separator: "&").map { $0.prefix { $0 != "=" } } })
        for name in StepRegistry.types.flatMap({ $0.names }) { #expect(stated.contains(Substring(name)), "\(name)") }
        for filter in FilterRegistry.types {
            #expect(Self.examples.contains { $0.hasPrefix("filter=\(filter.name)") }, "\(filter.name)")
        }
        for format in ImageFormat.allCases where Workbench.encodes(format) {
            #expect(Self.tolerances[format] != nil, "\(format)")
        }
        let names = Set(Self.examples.map { Self.file($0).lastPathComponent })
        #expect(names.count == Self.examples.count)
        guard !Self.isWriting else { return }
        let files = TemporaryFolder.names(in: Self.folder.path).filter { $0.hasSuffix(".png") }
        #expect(Set(files) == names)
        let size = try files.reduce(0) { try $0 + Data(contentsOf: Self.folder.appending(path: $1)).count }
        #expect(size < 200_000)
    }

    @Test(arguments: examples)
    func `matches its golden image in every format`(query: String) throws {
        let formats = Self.tolerances.keys.filter(Workbench.encodes).sorted {
            $0.rawValue < $1.rawValue
        }
        // A quality high enough for differences to come from the step; a PNG is exact without one.
        let queries = formats.map { format in
            let chroma = format == .jpeg || format == .avif ? "&chroma=444" : ""
            return "\(query)&format=\(format)\(format == .png ? "" : "&q=92")\(chroma)"
        }
        let made =
            try query.contains("demo/")
            ? queries.map { try Workbench.make($0, of: Self.source, with: [("demo/mark", Self.mark, .png)]) }
            : Workbench.makeAll(queries, of: Self.source, as: .png)
        if Self.isWriting, let index = formats.firstIndex(of: .png) {
            try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
            try Data(made[index].bytes).write(to: Self.file(query))
        }
        let golden = try ReferencePNG.decode([UInt8](Data(contentsOf: Self.file(query))))
        for (format, result) in zip(formats, made) {
            let shown = try Workbench.decode(result)
            let expected = Self.expected(golden, as: format)
            let tolerance = try #require(Self.tolerances[format])
            let flat = Self.flat(shown)
            let similarity = ImageComparison.structuralSimilarity(flat, expected)
            let difference = ImageComparison.meanDifference(flat, expected)
            #expect(similarity >= tolerance.similarity, "\(format): \(similarity)")
            #expect(difference <= tolerance.difference, "\(format): \(difference)")
            if format == .png { #expect(Self.distance(flat, expected) <= Self.largestDistance) }
        }
    }

    /// The picture as a format can represent it, over the colour that shows transparency.
    private static func expected(_ golden: PixelImage, as format: ImageFormat) -> PixelImage {
        switch format {
        case .jpeg: flat(golden, over: [255, 255, 255])
        case .gif where golden.channels == 4:
            // Alpha is on or off.
            flat(
                PixelImage(width: golden.width, height: golden.height) { x, y in
                    golden[x, y].prefix(3) + [golden.alpha(x, y) >= 128 ? 255 : 0]
                }
            )
        default: flat(golden)
        }
    }

    private static func distance(_ left: PixelImage, _ right: PixelImage) -> Double {
        guard left.width == right.width, left.height == right.height else { return .infinity }
        var sum = 0.0
        for y in 0..<left.height {
            for x in 0..<left.width { sum += ImageComparison.colourDistance(left[x, y], right[x, y]) }
        }
        return sum / Double(left.width * left.height)
    }
}
