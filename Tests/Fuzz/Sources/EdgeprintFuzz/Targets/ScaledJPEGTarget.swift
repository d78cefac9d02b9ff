import ImagePlan
import TestSupport

/// The worker's own decoder of baseline JPEGs, at a quarter and an eighth.
enum ScaledJPEGTarget: FuzzTarget {
    static let name = "scaled-jpeg"

    /// Colours halved and at full resolution, restart markers, and grey.
    static var seeds: [[UInt8]] {
        ["baseline-420.jpg", "baseline-444-restarts.jpg", "baseline-grey.jpg"].compactMap { try? SampleFiles.bytes($0) }
    }

    /// `limits.pixels` of a worker, smaller.
    private static let mostPixels = 4_000_000

    static func run(_ bytes: [UInt8]) {
        let sniffed = ImageSniffer.sniff(bytes.span, totalLength: bytes.count)
        let quarter = decode(bytes, factor: 4, sniffed)
        let eighth = decode(bytes, factor: 8, sniffed)
        expectEqual(quarter?.isComplete, eighth?.isComplete, "whether all data is read at a quarter and at an eighth")
        expectEqual(decode(bytes, factor: 4, sniffed), quarter, "a quarter decoded twice")
        for factor in [0, 1, 2, 3, 16] {
            expect(ScaledJPEG(bytes.span, factor: factor) == nil, "a factor of \(factor)")
        }
    }

    private struct Result: Equatable {
        var isComplete: Bool
        var pixels: [UInt8]
    }

    /// Decodes a file; `nil` if it is left to libjpeg-turbo.
    private static func decode(_ bytes: [UInt8], factor: Int, _ sniffed: SniffResult) -> Result? {
        guard let image = ScaledJPEG(bytes.span, factor: factor) else { return nil }
        // The daemon refuses a file that it cannot read the header of.
        guard case .image(let header) = sniffed, header.format == .jpeg else { return nil }
        expectEqual(image.size.width, (header.width + factor - 1) / factor, "width")
        expectEqual(image.size.height, (header.height + factor - 1) / factor, "height")
        expect([1, 3].contains(image.bands), "\(image.bands) bands")
        // It also refuses one that is too large.
        guard header.width * header.height <= mostPixels else { return nil }
        var (rows, pixels): (Int, [UInt8]) = (0, [])
        let isComplete = image.decode(bytes.span) { row in
            expectEqual(row.count, image.size.width * image.bands, "the length of row \(rows)")
            rows += 1
            for index in row.indices { pixels.append(row[index]) }
        }
        expect(isComplete ? rows == image.size.height : rows <= image.size.height, "\(rows) rows of \(image.size)")
        return Result(isComplete: isComplete, pixels: pixels)
    }
}
