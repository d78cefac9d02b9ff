/// Reads the size of a HEIF file's primary item from its `iloc` box (ISO/IEC 14496-12 §8.11.3).
///
/// Used to check encoder results; originals are checked by the decoder.
package enum HEIFItemData {
    /// The size of the primary item in bytes; 0 if the file does not say.
    ///
    /// - Parameter bytes: the whole file.
    package static func primaryLength(_ bytes: Span<UInt8>) -> Int {
        (try? length(bytes)) ?? 0
    }

    private static func length(_ bytes: Span<UInt8>) throws(SniffStop) -> Int {
        var metadata: Range<Int>?
        try BoxWalk.children(bytes, of: bytes.count, in: 0..<bytes.count) { type, content in
            if type == BoxWalk.type("meta") { metadata = content }
            return metadata == nil
        }
        guard let metadata, metadata.count >= 4 else { throw .malformed("the file has no meta box") }
        var primary: Int?
        var locations: Range<Int>?
        let boxes = metadata.lowerBound + 4..<metadata.upperBound
        try BoxWalk.children(bytes, of: bytes.count, in: boxes) { (type, content) throws(SniffStop) in
            if type == BoxWalk.type("pitm") {
                let isWide = try bytes.byte(content.lowerBound, of: content.upperBound) > 0
                primary = try bytes.bigEndian(content.lowerBound + 4, bytes: isWide ? 4 : 2, of: content.upperBound)
            }
            if type == BoxWalk.type("iloc") { locations = content }
            return true
        }
        guard let primary, let locations else { throw .malformed("the file has no primary item") }
        guard locations.count <= maximumLocations else { throw .malformed("the iloc box is too long") }
        var reader = ItemLocationReader(box: locations.map { bytes[$0] }, fileLength: bytes.count)
        return try reader.length(of: primary)
    }

    private static let maximumLocations = 64 << 10
}

/// Reads an `iloc` box field by field.
private struct ItemLocationReader {
    // An array has a span only from macOS 26 and iOS 26 on.
    let box: ContiguousArray<UInt8>
    let fileLength: Int
    private var offset = 0

    init(box: [UInt8], fileLength: Int) {
        self.box = ContiguousArray(box)
        self.fileLength = fileLength
    }

    private mutating func next(_ count: Int) throws(SniffStop) -> Int {
        // Eight bytes are permitted; no file needs more than seven.
        if count == 8, try box.span.byte(offset, of: box.count) != 0 { throw .malformed("a number is out of range") }
        let start = count == 8 ? offset + 1 : offset
        let value = try box.span.bigEndian(start, bytes: min(count, 7), of: box.count)
        offset += count
        return value
    }

    /// The size of an item in bytes; 0 if it has no data.
    ///
    /// The end of the box bounds the loops, whatever the counts claim: entries take at least six bytes, and extents are not empty.
    mutating func length(of item: Int) throws(SniffStop) -> Int {
        let version = try next(1)
        _ = try next(3)
        let sizes = try next(2)
        let (offsetSize, lengthSize, baseSize) = (sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15)
        let indexSize = version > 0 ? sizes & 15 : 0
        guard [offsetSize, lengthSize, baseSize, indexSize].allSatisfy([0, 4, 8].contains), lengthSize > 0 else {
            throw .malformed("a number has an invalid size")
        }
        for _ in 0..<(try next(version < 2 ? 2 : 4)) {
            let identifier = try next(version < 2 ? 2 : 4)
            // The construction method: 0 counts from the start of the file.
            let method = version > 0 ? try next(2) & 15 : 0
            _ = try next(2)
            let base = try next(baseSize)
            var whole = 0
            for _ in 0..<(try next(2)) {
                _ = try next(indexSize)
                let start = try next(offsetSize)
                let length = try next(lengthSize)
                guard length <= fileLength, method != 0 || base + start <= fileLength - length else {
                    throw .malformed("an item exceeds the file")
                }
                whole += length
            }
            if identifier == item { return whole }
        }
        return 0
    }
}
