import ImagePlan

/// The picture of one entry of an icon: a whole PNG file, or a bitmap with a mask of one bit behind it.
enum IconPicture {
    /// A PNG, as its head says.
    case png(ImageHeader)
    case bitmap(BitmapHeader)

    /// Tells what an entry holds.
    init(_ entry: IconDirectory.Entry, _ bytes: Span<UInt8>) throws(WorkerReply.Failure) {
        let part = bytes.extracting(entry.range)
        if part.count > 8, part[0] == 0x89, part[1] == UInt8(ascii: "P") {
            guard case .image(let header) = ImageSniffer.sniff(part, totalLength: part.count), header.format == .png
            else {
                throw .broken("an icon with a broken PNG")
            }
            self = .png(header)
        } else {
            self = .bitmap(try BitmapHeader(part, at: 0, isIcon: true))
        }
    }

    var size: PixelSize {
        switch self {
        case .png(let header): PixelSize(width: header.width, height: header.height)
        case .bitmap(let header): PixelSize(width: header.width, height: header.height)
        }
    }

    var hasAlpha: Bool { if case .png(let header) = self { header.hasAlpha ?? true } else { true } }

    /// Decodes a bitmap of an entry's bytes: alpha of its own where it says any, else by the mask.
    static func decode(_ header: BitmapHeader, _ part: Span<UInt8>) throws(WorkerReply.Failure) -> BitmapPixels {
        var pixels = try BitmapPixels(header, part, at: header.end)
        if header.hasAlpha, !pixels.isOpaque { return pixels }
        let stride = (header.width + 31) / 32 * 4
        let start = header.end + header.stride * header.height
        // Icons of 32 bits may leave it out.
        guard case let end = start + stride * header.height, end <= part.count else { return pixels }
        for line in 0..<header.height {
            let y = header.isTopDown ? line : header.height - 1 - line
            for x in 0..<header.width where part[start + line * stride + x / 8] >> UInt8(7 - x % 8) & 1 == 1 {
                pixels.hide(x: x, y: y)
            }
        }
        return pixels
    }
}
