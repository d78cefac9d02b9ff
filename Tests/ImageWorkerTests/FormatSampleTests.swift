import Foundation
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// Formats and depths that only other programs write, compared with the picture that they contain.
@Suite(.timeLimit(.minutes(1)))
struct FormatSampleTests {
    /// The picture in the samples.
    private static let picture = PixelImage(width: 48, height: 32, channels: 3) { x, y in
        [UInt8(x * 255 / 47), UInt8(y * 255 / 31), UInt8(255 - x * 3)]
    }

    private static let folder = URL(filePath: Checkout.path("Tests/ImageWorkerTests/Samples"))

    private static func sample(_ name: String) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: folder.appending(path: name)))
    }

    @Test(
        arguments: [
            ("gradient-8bit.avif", .avif), ("gradient-12bit.avif", .avif),
            ("gradient.heic", .heic), ("gradient-8bit.jp2", .jp2), ("gradient-16bit.jp2", .jp2),
            ("gradient-16bit.jxl", .jxl),
        ] as [(String, ImageFormat)]
    )
    func `decodes to the image that it was made from`(name: String, format: ImageFormat) throws {
        let source = try Self.sample(name)
        guard case .image(let header) = ImageSniffer.sniff(source.span, totalLength: source.count) else {
            Issue.record("no header")
            return
        }
        #expect(header.format == format && header.width == 48 && header.height == 32 && header.frames == 1)
        guard Workbench.decodes(format) else {
            // The doctor and the job agree.
            #expect(throws: WorkerReply.Failure.self) { try Workbench.make("format=png", of: source, as: format) }
            return
        }
        let pixels = try Workbench.pixels("", of: source, as: format)
        #expect(ImageComparison.structuralSimilarity(pixels, Self.picture) > 0.98)
        #expect(ImageComparison.meanDifference(pixels, Self.picture) < 2.5)
        let half = try Workbench.make("w=24&format=webp", of: source, as: format)
        #expect(half.description.width == 24 && half.description.height == 16)
    }

    @Test(arguments: [
        ("gradient-12bit.avif", ImageFormat.avif), ("gradient.heic", .heic), ("gradient-16bit.jp2", .jp2),
    ])
    func `damage does no harm`(name: String, format: ImageFormat) throws {
        let source = try Self.sample(name)
        for count in stride(from: 0, to: source.count - 1, by: 97) {
            #expect(throws: WorkerReply.Failure.self) {
                try Workbench.make("format=png", of: count == 0 ? [0] : Array(source.prefix(count)), as: format)
            }
        }
    }
}
