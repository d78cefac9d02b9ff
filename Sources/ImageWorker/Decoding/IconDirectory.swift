import ImagePlan

/// The list of pictures in front of an ICO or CUR file (ICONDIR), and their order by size.
struct IconDirectory {
    /// One picture of the file.
    struct Entry: Hashable {
        /// Bytes of the file that hold it.
        let range: Range<Int>
        /// As the list says; 0 in a cursor.
        let bitsPerPixel: Int
    }

    let entries: [Entry]

    private static let headSize = 6
    private static let entrySize = 16
    /// Entries that are looked at, at most.
    private static let mostEntries = 256

    /// Reads the list; entries that lie outside of the file are passed over.
    ///
    /// - Throws: `WorkerReply.Failure.broken` where none is left.
    init(_ bytes: Span<UInt8>) throws(WorkerReply.Failure) {
        let reader = BitmapReader(start: 0)
        guard try reader.half(bytes, 0) == 0, try (1...2).contains(reader.half(bytes, 2)) else {
            throw .broken("no icon")
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
                    // A cursor has the hot spot's place here.
                    bitsPerPixel: isCursor ? 0 : try entry.half(bytes, 6)
                )
            )
        }
        guard !entries.isEmpty else { throw .broken("an icon without a picture") }
        self.entries = entries
    }

    /// The pictures that can be read, the largest first by their own heads, since the list may lie; of equally large ones the
    /// deepest, and of those the first.
    ///
    /// - Throws: `WorkerReply.Failure.broken` where no picture's head can be read.
    func pictures(in bytes: Span<UInt8>) throws(WorkerReply.Failure) -> [(entry: Entry, picture: IconPicture)] {
        var pictures: [(entry: Entry, picture: IconPicture)] = []
        var failure = WorkerReply.Failure.broken("an icon without a picture")
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
