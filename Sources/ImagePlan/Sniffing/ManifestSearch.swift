/// Finds the C2PA manifest store of an image file (C2PA 2.1, appendix A: "Embedding manifests into various file formats").
///
/// Only the places where the specification puts it are searched, and only for its presence: nothing is verified. Reads the headers
/// of segments, chunks or boxes wherever they are, trusts no length, and takes a bounded number of steps. A store in a compressed
/// SVG, or one that a file merely names by URL, is not found.
package struct ManifestSearch {
    private var file: FileProbe

    /// The maximum number of chunks, boxes or blocks to visit.
    private static let maximumSteps = 4096
    /// The maximum number of bytes to read.
    private static let budget = 4 << 20
    /// The bytes of an SVG that are searched; its metadata precede what is drawn.
    private static let markupLength = 1 << 20

    /// Returns whether a file contains a manifest store.
    ///
    /// - Parameters:
    ///   - format: the sniffed format.
    ///   - length: the length of the file, or of what has arrived of it, in bytes.
    ///   - read: returns the bytes of a range within that length; `nil` if they cannot be read.
    package static func finds(
        in format: ImageFormat,
        length: Int,
        read: @escaping (Range<Int>) -> [UInt8]?
    ) -> Bool {
        var search = ManifestSearch(file: FileProbe(length: length, budget: budget, read: read))
        return switch format {
        case .jpeg: search.isInJPEG()
        case .png: search.isInPNG()
        case .webp: search.isInWebP()
        case .gif: search.isInGIF()
        case .tiff: search.isInTIFF()
        case .avif, .heic, .jxl: search.isInBoxes()
        case .svg: search.isInSVG()
        case .svgz, .jp2, .bmp, .ico, .pdf, .other, .planes: false
        }
    }

    /// A JPEG's APP11 segment before the first scan, which begins the JUMBF superbox of the store (ISO 19566-5 Annex D).
    private mutating func isInJPEG() -> Bool {
        var walk = JPEGSegmentWalk(from: 0)
        while let segment = walk.next(in: &file) {
            let start = segment.content.lowerBound
            // The common identifier, the box's instance (2 bytes), the packet's number (4), and the box.
            if segment.marker == 0xEB, file.has("JP", at: start), isStore(at: start + 8) { return true }
        }
        return false
    }

    /// Whether the JUMBF superbox at an offset is labelled as a manifest store: its description has the type `c2pa` (§A, table 4).
    private mutating func isStore(at offset: Int) -> Bool {
        guard file.has("jumb", at: offset + 4), let length = file.bigEndian(at: offset, bytes: 4) else { return false }
        // A length of 1 announces one of eight bytes after the type.
        let description = offset + (length == 1 ? 16 : 8)
        return file.has("jumd", at: description + 4) && file.has("c2pa", at: description + 8)
    }

    /// A PNG's chunk `caBX`.
    private mutating func isInPNG() -> Bool {
        var position = 8
        for _ in 0..<Self.maximumSteps {
            guard let length = file.bigEndian(at: position, bytes: 4) else { return false }
            if file.has("caBX", at: position + 4) { return true }
            position += length + 12
        }
        return false
    }

    /// A WebP's chunk `C2PA`.
    private mutating func isInWebP() -> Bool {
        var position = 12
        for _ in 0..<Self.maximumSteps {
            guard let length = file.littleEndian(at: position + 4, bytes: 4) else { return false }
            if file.has("C2PA", at: position) { return true }
            position += 8 + length + length & 1
        }
        return false
    }

    /// A GIF's application extension before the first frame.
    private mutating func isInGIF() -> Bool {
        guard let packed = file.bigEndian(at: 10, bytes: 1) else { return false }
        var position = 13 + (packed & 0x80 == 0 ? 0 : 3 << (packed & 7 + 1))
        var isExtension = false
        for _ in 0..<Self.maximumSteps {
            guard let first = file.bigEndian(at: position, bytes: 1) else { return false }
            if isExtension {
                // A sub-block and its length; an empty one ends the extension.
                isExtension = first > 0
                position += 1 + first
            } else {
                guard first == 0x21 else { return false }
                if file.bigEndian(at: position + 1, bytes: 2) == 0xFF0B, file.has("C2PA_GIF", at: position + 3) {
                    return true
                }
                isExtension = true
                position += 2
            }
        }
        return false
    }

    /// A TIFF's tag 52545 (0xCD41) in one of its directories; of a BigTIFF, too.
    private mutating func isInTIFF() -> Bool {
        guard let order = file.bigEndian(at: 0, bytes: 2) else { return false }
        let isLittle = order == 0x4949
        func number(_ offset: Int, _ count: Int) -> Int? {
            // Offsets of eight bytes fit into seven: no file is longer.
            isLittle
                ? file.littleEndian(at: offset, bytes: min(count, 7))
                : file.bigEndian(at: offset + max(0, count - 7), bytes: min(count, 7))
        }
        let isBig = number(2, 2) == 43
        let (word, entry) = isBig ? (8, 20) : (4, 12)
        var directory = number(isBig ? 8 : 4, word) ?? 0
        var steps = 0
        while directory > 0, steps < Self.maximumSteps {
            guard let count = number(directory, isBig ? 8 : 2) else { return false }
            let entries = directory + (isBig ? 8 : 2)
            for index in 0..<min(count, Self.maximumSteps) {
                guard let tag = number(entries + index * entry, 2) else { return false }
                if tag == 0xCD41 { return true }
            }
            steps += 1 + count
            let (size, overflow) = count.multipliedReportingOverflow(by: entry)
            guard !overflow, size <= file.length else { return false }
            directory = number(entries + size, word) ?? 0
        }
        return false
    }

    /// A box on the top level of an AVIF, HEIC or JPEG XL: `uuid` with the type of C2PA, or `jumb`.
    private mutating func isInBoxes() -> Bool {
        let type: [UInt8] = [
            0xD8, 0xFE, 0xC3, 0xD6, 0x1B, 0x0E, 0x48, 0x3C, 0x92, 0x97, 0x58, 0x28, 0x87, 0x7E, 0xC4, 0x81,
        ]
        var position = 0
        for _ in 0..<Self.maximumSteps {
            guard let short = file.bigEndian(at: position, bytes: 4) else { return false }
            var length = short
            if short == 1 {
                // No file needs more than 56 bits.
                guard file.bigEndian(at: position + 8, bytes: 1) == 0,
                    let long = file.bigEndian(at: position + 9, bytes: 7)
                else { return false }
                length = long
            }
            let content = position + (short == 1 ? 16 : 8)
            if file.has("uuid", at: position + 4), file.bytes(at: content, count: 16)?.elementsEqual(type) == true {
                return true
            }
            if isStore(at: position) { return true }
            // The last box may have the length 0.
            guard length >= 8, length <= file.length - position else { return false }
            position += length
        }
        return false
    }

    /// An SVG's element `c2pa:manifest`.
    private mutating func isInSVG() -> Bool {
        guard let text = file.bytes(at: 0, count: min(file.length, Self.markupLength)) else { return false }
        return text.contains(text: "<c2pa:manifest")
    }
}
