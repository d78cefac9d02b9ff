/// Reads TIFF and BigTIFF headers: size, orientation and alpha from the first directory (TIFF 6.0 §2, Adobe 1992).
///
/// Camera raw files in TIFF's structure (DNG, CR2, NEF, ARW and others) are not TIFF images: a TIFF decoder would show the small
/// preview that is their first directory.
enum TIFFHeader {
    /// The maximum number of entries of the first directory.
    private static let maximumEntries = 4096

    static func matches(_ bytes: Span<UInt8>) -> Bool {
        bytes.has(bytes: [0x49, 0x49, 0x2A, 0x00], at: 0) || bytes.has(bytes: [0x4D, 0x4D, 0x00, 0x2A], at: 0)
            || bytes.has(bytes: [0x49, 0x49, 0x2B, 0x00, 0x08, 0x00], at: 0)
            || bytes.has(bytes: [0x4D, 0x4D, 0x00, 0x2B, 0x00, 0x08], at: 0)
    }

    static func read(_ bytes: Span<UInt8>, of total: Int) throws(SniffStop) -> ImageHeader {
        // Canon's CR2: a TIFF header, then its own mark.
        guard !bytes.has(bytes: [0x43, 0x52, 0x02], at: 8) else { throw .notAnImage }
        let layout = Layout(
            isBigEndian: bytes[0] == 0x4D,
            isBig: bytes[0] == 0x4D ? bytes[3] == 0x2B : bytes[2] == 0x2B
        )
        let directory = try layout.offset(bytes, of: total, at: layout.isBig ? 8 : 4)
        let entries = try layout.number(bytes, of: total, at: directory, bytes: layout.isBig ? 8 : 2)
        guard entries > 0, entries <= maximumEntries else {
            throw .malformed("the length of the first directory is out of range")
        }
        var header = ImageHeader(format: .tiff, width: 0, height: 0, hasAlpha: false)
        for index in 0..<entries {
            let entry = directory + (layout.isBig ? 8 + 20 * index : 2 + 12 * index)
            switch try layout.number(bytes, of: total, at: entry, bytes: 2) {
            // NewSubfileType, whose bit 0 marks a reduced copy of another image in the file, and DNGVersion (DNG 1.4).
            case 254 where try layout.value(bytes, of: total, entry: entry) & 1 == 1, 50706: throw .notAnImage
            case 256: header.width = try layout.value(bytes, of: total, entry: entry)
            case 257: header.height = try layout.value(bytes, of: total, entry: entry)
            case 274:
                let orientation = try layout.value(bytes, of: total, entry: entry)
                header.orientation = (1...8).contains(orientation) ? orientation : 1
            // ExtraSamples: values 1 and 2 mean alpha; several values are stored elsewhere and assumed to include it.
            case 338: header.hasAlpha = true
            default: break
            }
        }
        guard header.width > 0, header.height > 0 else { throw .malformed("the first directory has no size") }
        return header
    }

    /// The number format of a file.
    private struct Layout {
        let isBigEndian: Bool
        let isBig: Bool

        func number(
            _ bytes: Span<UInt8>,
            of total: Int,
            at offset: Int,
            bytes count: Int
        ) throws(SniffStop) -> Int {
            guard count == 8 else {
                return isBigEndian
                    ? try bytes.bigEndian(offset, bytes: count, of: total)
                    : try bytes.littleEndian(offset, bytes: count, of: total)
            }
            let (high, low) = isBigEndian ? (offset, offset + 4) : (offset + 4, offset)
            let upper = try number(bytes, of: total, at: high, bytes: 4)
            // No offset or size exceeds 2^52.
            guard upper < 1 << 20 else { throw .malformed("a number is out of range") }
            return upper << 32 | (try number(bytes, of: total, at: low, bytes: 4))
        }

        /// An offset within the file.
        func offset(_ bytes: Span<UInt8>, of total: Int, at position: Int) throws(SniffStop) -> Int {
            let offset = try number(bytes, of: total, at: position, bytes: isBig ? 8 : 4)
            guard offset >= 8, offset < total else { throw .malformed("the first directory is outside the file") }
            return offset
        }

        /// The value of a SHORT, LONG or LONG8 entry.
        func value(_ bytes: Span<UInt8>, of total: Int, entry: Int) throws(SniffStop) -> Int {
            let position = entry + (isBig ? 12 : 8)
            return switch try number(bytes, of: total, at: entry + 2, bytes: 2) {
            case 3: try number(bytes, of: total, at: position, bytes: 2)
            case 4: try number(bytes, of: total, at: position, bytes: 4)
            case 16 where isBig: try number(bytes, of: total, at: position, bytes: 8)
            default: throw .malformed("a size has an invalid type")
            }
        }
    }
}
