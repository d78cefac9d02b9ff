import CZlib
import ImagePlan

/// Writes a PNG with an exact palette (colour type 3); libvips would quantise and take much longer.
struct PalettePNG {
    let palette: Palette
    let width: Int
    let height: Int
    /// The zlib level, 0–9.
    let compression: CInt

    /// Returns the file.
    ///
    /// - Throws: `WorkerReply.Failure.worker` if zlib runs out of memory.
    func encoded() throws(WorkerReply.Failure) -> [UInt8] {
        // Transparent colours come first, so that tRNS can end after them (PNG §11.3.1.1).
        let order = palette.colours.indices.sorted { (palette.colours[$0] & 255, $0) < (palette.colours[$1] & 255, $1) }
        var places = [UInt8](repeating: 0, count: 256)
        for (place, index) in order.enumerated() { places[index] = UInt8(place) }
        let colours = order.map { palette.colours[$0] }

        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        append("IHDR", PNGChunk.word(width) + PNGChunk.word(height) + [UInt8(palette.bits), 3, 0, 0, 0], to: &file)
        append("PLTE", colours.flatMap { [UInt8($0 >> 24), UInt8($0 >> 16 & 255), UInt8($0 >> 8 & 255)] }, to: &file)
        let alphas = colours.map { UInt8($0 & 255) }.prefix { $0 < 255 }
        if !alphas.isEmpty { append("tRNS", Array(alphas), to: &file) }
        append("IDAT", try compressed(lines(places)), to: &file)
        append("IEND", [], to: &file)
        return file
    }

    /// Returns packed rows with filter type 0, since other filters do not suit indices (PNG §12.7).
    private func lines(_ places: [UInt8]) -> [UInt8] {
        let perByte = 8 / palette.bits
        let stride = (width + perByte - 1) / perByte
        var lines = [UInt8](repeating: 0, count: height * (stride + 1))
        for y in 0..<height {
            let start = y * (stride + 1) + 1
            for x in 0..<width {
                let shift = 8 - palette.bits * (x % perByte + 1)
                lines[start + x / perByte] |= places[Int(palette.indices[y * width + x])] << UInt8(shift)
            }
        }
        return lines
    }

    private func compressed(_ lines: [UInt8]) throws(WorkerReply.Failure) -> [UInt8] {
        var size = compressBound(uLong(lines.count))
        var bytes = [UInt8](repeating: 0, count: Int(size))
        guard unsafe compress2(&bytes, &size, lines, uLong(lines.count), compression) == Z_OK else {
            throw .worker("zlib is out of memory")
        }
        bytes.removeSubrange(Int(size)...)
        return bytes
    }

    /// Returns a file with a palette of opaque colours as one that states alpha, which is 255 for its first colour.
    static func withAlpha(_ file: [UInt8]) -> [UInt8] {
        var place = 8
        while place + 12 <= file.count {
            let length = file[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
            let end = place + 12 + length
            guard end <= file.count else { break }
            if file[place + 4..<place + 8].elementsEqual("PLTE".utf8) {
                return Array(file[..<end]) + PNGChunk.encoded("tRNS", [255]) + file[end...]
            }
            place = end
        }
        return file
    }

    private func append(_ type: String, _ content: [UInt8], to file: inout [UInt8]) {
        file += PNGChunk.encoded(type, content)
    }
}
