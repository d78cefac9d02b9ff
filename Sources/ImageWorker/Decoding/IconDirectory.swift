import ImagePlan

/// The directory of images of an ICO or CUR file (ICONDIR), ordered by size.
struct IconDirectory {
    /// One image of the file.
    struct Entry: Hashable {
        /// The range of the file that contains it.
        let range: Range<Int>
        /// The stated depth; 0 in a cursor.
        let bitsPerPixel: Int
    }

    let entries: [Entry]

    private static let headSize = 6
    private static let entrySize = 16
    /// The maximum number of entries to examine.
    private static let mostEntries = 256

    /// Parses the directory and skips entries outside of the file.
    ///
    /// - Throws: `WorkerReply.Failure.broken` if no entry is left.
    init(_ bytes: Span<UInt8>) throws(WorkerReply.Failure) {
        let reader = BitmapReader(start: 0)
        guard try reader.half(bytes, 0) == 0, try (1...2).contains(reader.half(bytes, 2)) else {
            throw .broken("not an icon")
        }
        let isCursor = try reader.half(bytes, 2) == 2
        let count = try min(reader.half(bytes, 4), Self.mostEntries)
        var entries: [Entry] = []
        for index in 0..<count {
            let start = Self.headSize + index * Self.entrySize
            guard start + Self.entrySize <= bytes.count else { break }
            let entry = BitmapReader(start: start)
            let (size, offset) = try (entry.word(bytes, 8), entry.word(bytes, 12))
            guard size > 0, offset >= Self.headSize, offset + size <= bytes.count else { continue }
            entries.append(
                Entry(
                    range: offset..<offset + size,
                    // Cursors store the hot spot here.
                    bitsPerPixel: isCursor ? 0 : try entry.half(bytes, 6)
                )
            )
        }
        guard !entries.isEmpty else { throw .broken("the icon contains no image") }
        self.entries = entries
    }

    /// Returns the readable images, largest first by their own headers, then by depth and order.
    ///
    /// - Throws: `WorkerReply.Failure.broken` if no image has a readable header.
    func pictures(in bytes: Span<UInt8>) throws(WorkerReply.Failure) -> [(entry: Entry, picture: IconPicture)] {
        var pictures: [(entry: Entry, picture: IconPicture)] = []
        var failure = WorkerReply.Failure.broken("the icon contains no image")
        for entry in entries {
            do throws(WorkerReply.Failure) {
                pictures.append((entry, try IconPicture(entry, bytes)))
            } catch {
                failure = error
            }
        }
        guard !pictures.isEmpty else { throw failure }
        let ranked = pictures.enumerated().sorted { left, right in
            let ranks = [left, right].map {
                ($0.element.picture.size.pixels, $0.element.entry.bitsPerPixel, -$0.offset)
            }
            return ranks[0] > ranks[1]
        }
        return ranked.map(\.element)
    }
}

/// One image of an icon: a PNG file, or a bitmap followed by a 1-bit mask.
enum IconPicture {
    /// A PNG file, by its header.
    case png(ImageHeader)
    case bitmap(BitmapHeader)

    /// Detects the kind of an entry.
    init(_ entry: IconDirectory.Entry, _ bytes: Span<UInt8>) throws(WorkerReply.Failure) {
        let part = bytes.extracting(entry.range)
        if part.count > 8, part[0] == 0x89, part[1] == UInt8(ascii: "P") {
            guard case .image(let header) = ImageSniffer.sniff(part, totalLength: part.count), header.format == .png
            else {
                throw .broken("the icon contains a damaged PNG")
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

    /// Decodes a bitmap from an entry's bytes, with its alpha channel if that is used, otherwise with the mask.
    static func decode(_ header: BitmapHeader, _ part: Span<UInt8>) throws(WorkerReply.Failure) -> BitmapPixels {
        var pixels = try BitmapPixels(header, part, at: header.end)
        if header.hasAlpha, !pixels.isOpaque { return pixels }
        let stride = (header.width + 31) / 32 * 4
        let start = header.end + header.stride * header.height
        // 32-bit icons may omit the mask.
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
