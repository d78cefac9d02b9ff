/// Small image files, written without any image library.
package enum TestImages {
    /// An uncompressed PNG of 8-bit RGBA pixels, row by row.
    package static func png(width: Int, height: Int, rgba: [UInt8]) -> [UInt8] {
        png(width: width, height: height, pixels: rgba, channels: 4)
    }

    /// An uncompressed PNG of 8-bit RGB pixels, row by row.
    package static func png(width: Int, height: Int, rgb: [UInt8]) -> [UInt8] {
        png(width: width, height: height, pixels: rgb, channels: 3)
    }

    private static func png(width: Int, height: Int, pixels: [UInt8], channels: Int) -> [UInt8] {
        precondition(pixels.count == width * height * channels)
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        // PNG §11.2.2: depth 8, colour type 6 or 2, no interlace.
        appendChunk("IHDR", bigEndian(width) + bigEndian(height) + [8, channels == 4 ? 6 : 2, 0, 0, 0], to: &file)
        var lines: [UInt8] = []
        for row in 0..<height {
            lines.append(0)
            lines += pixels[row * width * channels..<(row + 1) * width * channels]
        }
        appendChunk("IDAT", zlibStored(lines), to: &file)
        appendChunk("IEND", [], to: &file)
        return file
    }

    /// An opaque PNG with a gradient in each direction, which every transform changes.
    package static func gradient(width: Int, height: Int) -> [UInt8] {
        var rgba: [UInt8] = []
        rgba.reserveCapacity(width * height * 4)
        for y in 0..<height {
            for x in 0..<width {
                rgba += [
                    UInt8(x * 255 / max(1, width - 1)), UInt8(y * 255 / max(1, height - 1)), UInt8((x ^ y) & 255), 255,
                ]
            }
        }
        return png(width: width, height: height, rgba: rgba)
    }

    /// Inserts an EXIF block with a camera make, 4–30 ASCII letters, at the start of a JPEG.
    package static func withCamera(_ make: String, _ jpeg: [UInt8]) -> [UInt8] {
        precondition(jpeg.starts(with: [0xFF, 0xD8]) && (4...30).contains(make.utf8.count))
        let count = UInt8(make.utf8.count + 1)
        let directory: [UInt8] = [0, 1, 0x01, 0x0F, 0, 2, 0, 0, 0, count, 0, 0, 0, 26, 0, 0, 0, 0]
        let block = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8] + directory + Array(make.utf8) + [0]
        let segment = Array("Exif".utf8) + [0, 0] + block
        return [0xFF, 0xD8, 0xFF, 0xE1, 0, UInt8(segment.count + 2)] + segment + jpeg.dropFirst(2)
    }

    /// A frame of an animated PNG: its position, and RGBA for each pixel.
    package struct PNGFrame {
        package var left = 0
        package var top = 0
        package var width: Int
        package var height: Int
        package var rgba: [UInt8]
        /// The duration in seconds, as a fraction.
        package var delay = (1, 10)
        /// The values of `dispose_op` and `blend_op`.
        package var disposal: UInt8 = 0
        package var blending: UInt8 = 0

        /// A frame of one colour.
        package init(_ width: Int, _ height: Int, _ colour: [UInt8]) {
            self.width = width
            self.height = height
            rgba = (0..<width * height).flatMap { _ in colour }
        }
    }

    /// An animated PNG (W3C PNG, third edition, §4.9); the still image, or else the first frame, has the size of the canvas.
    package static func animatedPNG(
        width: Int,
        height: Int,
        frames: [PNGFrame],
        rounds: Int = 0,
        still: [UInt8]? = nil
    ) -> [UInt8] {
        func data(_ rgba: [UInt8], width: Int) -> [UInt8] {
            zlibStored(stride(from: 0, to: rgba.count, by: width * 4).flatMap { [0] + rgba[$0..<$0 + width * 4] })
        }
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        appendChunk("IHDR", bigEndian(width) + bigEndian(height) + [8, 6, 0, 0, 0], to: &file)
        appendChunk("acTL", bigEndian(frames.count) + bigEndian(rounds), to: &file)
        if let still { appendChunk("IDAT", data(still, width: width), to: &file) }
        var number = 0
        for (index, frame) in frames.enumerated() {
            let place = [frame.width, frame.height, frame.left, frame.top].flatMap { bigEndian($0) }
            let delay = [frame.delay.0, frame.delay.1].flatMap { bigEndian($0)[2...] }
            let control = bigEndian(number) + place + delay + [frame.disposal, frame.blending]
            appendChunk("fcTL", control, to: &file)
            number += 1
            let pixels = data(frame.rgba, width: frame.width)
            if index == 0, still == nil {
                appendChunk("IDAT", pixels, to: &file)
                continue
            }
            // In two chunks, which encoders may use.
            for piece in [pixels[..<(pixels.count / 2)], pixels[(pixels.count / 2)...]] {
                appendChunk("fdAT", bigEndian(number) + piece, to: &file)
                number += 1
            }
        }
        appendChunk("IEND", [], to: &file)
        return file
    }

    /// A PNG with only the parts a sniffer reads: a header that claims a size, without pixels.
    package static func claimedPNG(width: Int, height: Int) -> [UInt8] {
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        appendChunk("IHDR", bigEndian(width) + bigEndian(height) + [8, 2, 0, 0, 0], to: &file)
        appendChunk("IDAT", [], to: &file)
        appendChunk("IEND", [], to: &file)
        return file
    }

    /// A GIF whose frames share one palette; delays in hundredths of a second, `loop` as in the NETSCAPE block.
    package static func gif(
        width: Int,
        height: Int,
        palette: [(UInt8, UInt8, UInt8)],
        frames: [[UInt8]],
        delays: [Int],
        loop: Int
    ) -> [UInt8] {
        precondition(palette.count == 4 && delays.count == frames.count)
        var file = Array("GIF89a".utf8) + littleEndian(width) + littleEndian(height) + [0x91, 0, 0]
        for colour in palette { file += [colour.0, colour.1, colour.2] }
        file += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1] + littleEndian(loop) + [0]
        for (pixels, delay) in zip(frames, delays) {
            precondition(pixels.count == width * height && pixels.allSatisfy { $0 < 4 })
            file += [0x21, 0xF9, 4, 0] + littleEndian(delay) + [0, 0]
            file += [0x2C, 0, 0, 0, 0] + littleEndian(width) + littleEndian(height) + [0, 2]
            let codes = uncompressedCodes(pixels)
            for start in stride(from: 0, to: codes.count, by: 255) {
                let block = codes[start..<min(codes.count, start + 255)]
                file.append(UInt8(block.count))
                file += block
            }
            file.append(0)
        }
        return file + [0x3B]
    }

    /// A GIF of 43 bytes and one pixel whose header claims a canvas and frame of any size.
    package static func deadlyGIF(width: Int, height: Int) -> [UInt8] {
        let head = Array("GIF89a".utf8) + littleEndian(width) + littleEndian(height) + [0x80, 0, 0]
        let palette: [UInt8] = [0, 0, 0, 255, 255, 255]
        let control: [UInt8] = [0x21, 0xF9, 4, 1, 0, 0, 0, 0]
        let frame = [0x2C, 0, 0, 0, 0] + littleEndian(width) + littleEndian(height) + [0]
        return head + palette + control + frame + [2, 2, 0x44, 1, 0, 0x3B]
    }

    /// LZW codes of 2-bit pixels, 3 bits each: a clear code after every second one keeps the code size.
    static func uncompressedCodes(_ pixels: [UInt8]) -> [UInt8] {
        var codes: [UInt8] = []
        for (index, pixel) in pixels.enumerated() {
            if index.isMultiple(of: 2) { codes.append(4) }
            codes.append(pixel)
        }
        codes.append(5)
        var bytes: [UInt8] = []
        var bits = 0
        var value = 0
        for code in codes {
            value |= Int(code) << bits
            bits += 3
            while bits >= 8 {
                bytes.append(UInt8(value & 255))
                value >>= 8
                bits -= 8
            }
        }
        if bits > 0 { bytes.append(UInt8(value & 255)) }
        return bytes
    }

    /// A zlib stream (RFC 1950) of stored blocks (RFC 1951 §3.2.4).
    private static func zlibStored(_ bytes: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        for start in stride(from: 0, to: max(bytes.count, 1), by: 65_535) {
            let block = bytes[start..<min(bytes.count, start + 65_535)]
            stream.append(start + 65_535 >= bytes.count ? 1 : 0)
            stream += littleEndian(block.count) + littleEndian(~block.count & 0xFFFF) + block
        }
        var low = 1
        var high = 0
        for byte in bytes {
            low = (low + Int(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return stream + bigEndian(high << 16 | low)
    }

    private static func appendChunk(_ type: String, _ body: [UInt8], to file: inout [UInt8]) {
        let content = Array(type.utf8) + body
        file += bigEndian(body.count) + content + bigEndian(Int(crc32(content)))
    }

    /// The checksum of PNG, annex D.
    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        var crc = UInt32.max
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc
    }

    private static func bigEndian(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(value >> $0 & 255) }
    }

    static func littleEndian(_ value: Int) -> [UInt8] {
        [UInt8(value & 255), UInt8(value >> 8 & 255)]
    }
}
