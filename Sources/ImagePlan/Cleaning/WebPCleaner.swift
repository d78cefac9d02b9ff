/// Cleans WebP files: keeps frames, alpha, animation and the ICC profile (RFC 9649).
enum WebPCleaner {
    private static let kept = ["VP8X", "ICCP", "ANIM", "ANMF", "ALPH", "VP8 ", "VP8L"]
    /// The sizes, in bytes, of fixed-size chunks; anything beyond is not part of this version of the format.
    private static let fixedLengths = ["VP8X": 10, "ANIM": 6]
    private static let keptInFrames = ["ALPH", "VP8 ", "VP8L"]
    /// Flags of VP8X (RFC 9649 §2.7): EXIF, and EXIF with XMP.
    private static let exifFlag: UInt8 = 0x08
    private static let metadataFlags: UInt8 = 0x0C
    /// The size in bytes of a frame's header, before its chunks (RFC 9649 §2.7.1.1).
    private static let frameHeader = 16

    static func clean(_ bytes: Span<UInt8>, orientation: Int) throws(MetadataCleaner.Stop) -> [UInt8] {
        guard bytes.has("RIFF", at: 0), bytes.has("WEBP", at: 8) else {
            throw .broken("the file does not start like a WebP")
        }
        let end = try bytes.range(8, count: try bytes.littleEndian(4, bytes: 4)).upperBound
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        output.append(bytes, 0..<12)
        var isExtended = false
        var hasPicture = false
        for chunk in try chunks(of: bytes, in: 12..<end) {
            guard let name = kept.first(where: { bytes.has($0, at: chunk.lowerBound) }) else { continue }
            let start = output.count
            if name == "ANMF" {
                try appendFrame(bytes, chunk, to: &output)
            } else {
                try append(bytes, chunk, upTo: fixedLengths[name] ?? chunk.count, to: &output)
            }
            if name == "VP8X" {
                guard output.count == 30, start == 12 else {
                    throw .broken("the extended header is not the first chunk")
                }
                isExtended = true
                output[start + 8] = output[start + 8] & ~metadataFlags | (orientation == 1 ? 0 : exifFlag)
            }
            hasPicture = hasPicture || name.hasPrefix("VP8") && name != "VP8X" || name == "ANMF"
        }
        guard hasPicture else { throw .broken("the file has no image data") }
        if isExtended, orientation != 1 {
            let block = MetadataCleaner.orientationBlock(orientation)
            output += Array("EXIF".utf8)
            output.append(littleEndian: block.count)
            output += block
        }
        output.put(littleEndian: output.count - 8, at: 4)
        return output
    }

    /// Appends a chunk's header and at most `limit` bytes of its data.
    private static func append(
        _ bytes: Span<UInt8>,
        _ chunk: Range<Int>,
        upTo limit: Int,
        to output: inout [UInt8]
    ) throws(MetadataCleaner.Stop) {
        guard try bytes.littleEndian(chunk.lowerBound + 4, bytes: 4) > limit else { return output.append(bytes, chunk) }
        let start = output.count
        output.append(bytes, chunk.lowerBound..<chunk.lowerBound + 8 + limit)
        output.put(littleEndian: limit, at: start + 4)
    }

    /// Appends an animation frame, without metadata chunks.
    private static func appendFrame(
        _ bytes: Span<UInt8>,
        _ frame: Range<Int>,
        to output: inout [UInt8]
    ) throws(MetadataCleaner.Stop) {
        let length = try bytes.littleEndian(frame.lowerBound + 4, bytes: 4)
        guard length >= frameHeader else { throw .broken("a frame is shorter than its header") }
        let start = output.count
        output.append(bytes, frame.lowerBound..<frame.lowerBound + 8 + frameHeader)
        let inner = frame.lowerBound + 8 + frameHeader..<frame.lowerBound + 8 + length
        for chunk in try chunks(of: bytes, in: inner)
        where keptInFrames.contains(where: { bytes.has($0, at: chunk.lowerBound) }) {
            output.append(bytes, chunk)
        }
        output.put(littleEndian: output.count - start - 8, at: start + 4)
    }

    /// The chunks of a range, each with header and padding (RFC 9649 §2.3).
    private static func chunks(
        of bytes: Span<UInt8>,
        in range: Range<Int>
    ) throws(MetadataCleaner.Stop) -> [Range<Int>] {
        var chunks: [Range<Int>] = []
        var position = range.lowerBound
        while position < range.upperBound {
            let length = try bytes.littleEndian(position + 4, bytes: 4)
            let padded = length + length & 1
            let chunk = try bytes.range(position, count: padded + 8)
            guard chunk.upperBound <= range.upperBound else {
                throw .broken("a chunk is longer than its container")
            }
            chunks.append(chunk)
            position = chunk.upperBound
        }
        return chunks
    }
}
