/// A frame of a GIF: a rectangle of the canvas, and its disposal.
package struct GIFFrame: Sendable {
    package var left = 0
    package var top = 0
    package var width: Int
    package var height: Int
    /// Indices into the four-colour palette, row by row.
    package var pixels: [UInt8]
    /// The delay in hundredths of a second.
    package var delay = 10
    /// The disposal method (GIF89a §23): 1 keeps the frame, 2 clears its rectangle, 3 restores the previous contents.
    package var disposal: UInt8 = 1
    /// The transparent index; `nil` for none.
    package var transparent: UInt8?

    /// A frame of one colour.
    package init(left: Int = 0, top: Int = 0, width: Int, height: Int, colour: UInt8) {
        (self.left, self.top, self.width, self.height) = (left, top, width, height)
        pixels = [UInt8](repeating: colour, count: width * height)
    }
}

extension TestImages {
    /// A GIF of frames that need not cover its canvas; `loop` as in the NETSCAPE block, omitted for `nil`.
    package static func gif(
        width: Int,
        height: Int,
        palette: [(UInt8, UInt8, UInt8)],
        frames: [GIFFrame],
        loop: Int?
    ) -> [UInt8] {
        precondition(palette.count == 4)
        var file = Array("GIF89a".utf8) + littleEndian(width) + littleEndian(height) + [0x91, 0, 0]
        for colour in palette { file += [colour.0, colour.1, colour.2] }
        if let loop { file += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1] + littleEndian(loop) + [0] }
        for frame in frames {
            precondition(frame.pixels.count == frame.width * frame.height && frame.pixels.allSatisfy { $0 < 4 })
            file += [0x21, 0xF9, 4, frame.disposal << 2 | (frame.transparent == nil ? 0 : 1)]
            file += littleEndian(frame.delay) + [frame.transparent ?? 0, 0]
            file += [0x2C] + littleEndian(frame.left) + littleEndian(frame.top)
            file += littleEndian(frame.width) + littleEndian(frame.height) + [0, 2]
            let codes = uncompressedCodes(frame.pixels)
            for start in stride(from: 0, to: codes.count, by: 255) {
                let block = codes[start..<min(codes.count, start + 255)]
                file += [UInt8(block.count)] + block
            }
            file.append(0)
        }
        return file + [0x3B]
    }

    /// A little-endian TIFF of uncompressed grey pages, each with a single value.
    package static func tiff(pages: [(width: Int, height: Int, grey: UInt8)]) -> [UInt8] {
        var file: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0]
        for (index, page) in pages.enumerated() {
            let pixels = [UInt8](repeating: page.grey, count: page.width * page.height)
            let entries: [(tag: Int, value: Int)] = [
                (256, page.width), (257, page.height), (258, 8), (259, 1), (262, 1), (273, 0), (277, 1),
                (278, page.height), (279, pixels.count),
            ]
            let end = file.count + 2 + 12 * entries.count + 4
            file += littleEndian(entries.count)
            for entry in entries {
                // LONG values.
                file += littleEndian(entry.tag) + [4, 0, 1, 0, 0, 0] + word(entry.tag == 273 ? end : entry.value)
            }
            let next = (end + pixels.count + 1) & ~1
            file += word(index == pages.count - 1 ? 0 : next) + pixels
            file += [UInt8](repeating: 0, count: next - file.count)
        }
        return file
    }

    private static func word(_ value: Int) -> [UInt8] { littleEndian(value) + littleEndian(value >> 16) }
}
