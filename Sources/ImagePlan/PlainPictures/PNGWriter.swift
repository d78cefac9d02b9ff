/// Writes PNG files (ISO 15948) of one colour, or of few pixels.
package enum PNGWriter {
    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// A palette image of one colour, one bit per pixel, all of them 0.
    static func plain(_ picture: PlainPicture) -> [UInt8] {
        let (size, color) = (picture.size, picture.color)
        var file = signature
        file += chunk("IHDR", header(size, depth: 1, kind: 3))
        file += chunk("PLTE", [color.red, color.green, color.blue])
        if !color.isOpaque { file += chunk("tRNS", [color.alpha]) }
        file += chunk("IDAT", zeros(size.height * (1 + (size.width + 7) / 8)))
        return file + chunk("IEND", [])
    }

    /// An image of RGBA pixels, not compressed.
    package static func picture(_ picture: TinyPicture) -> [UInt8] {
        var rows: [UInt8] = []
        for y in 0..<picture.height {
            rows.append(0)
            rows += picture.rgba[y * picture.width * 4..<(y + 1) * picture.width * 4]
        }
        let size = PixelSize(width: picture.width, height: picture.height)
        return signature + chunk("IHDR", header(size, depth: 8, kind: 6)) + chunk("IDAT", stored(rows))
            + chunk("IEND", [])
    }

    private static func header(_ size: PixelSize, depth: UInt8, kind: UInt8) -> [UInt8] {
        number(UInt32(size.width)) + number(UInt32(size.height)) + [depth, kind, 0, 0, 0]
    }

    private static func chunk(_ name: StaticString, _ data: [UInt8]) -> [UInt8] {
        let body = Array("\(name)".utf8) + data
        return number(UInt32(data.count)) + body + number(CRC.of(body))
    }

    private static func number(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// A zlib stream (RFC 1950) of stored blocks.
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        var start = 0
        repeat {
            let end = min(start + 65_535, bytes.count)
            let count = UInt16(end - start)
            stream.append(end == bytes.count ? 1 : 0)
            stream += [UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8)]
            stream += bytes[start..<end]
            start = end
        } while start < bytes.count
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return stream + number(high << 16 | low)
    }

    /// A zlib stream of zeros: one block with fixed codes (RFC 1951 §3.2.6), a literal and then copies of 258 bytes.
    private static func zeros(_ count: Int) -> [UInt8] {
        var bits = BitWriter()
        bits.append(1, count: 1)
        bits.append(1, count: 2)
        let copies = (count - 1) / 258
        // Literal 0 is the code 00110000.
        bits.appendCode(0b0011_0000, count: 8)
        // Length 258 is symbol 285, and distance 1 is symbol 0.
        for _ in 0..<copies { bits.appendCode(0b1100_0101 << 5, count: 13) }
        for _ in 0..<(count - 1) % 258 { bits.appendCode(0b0011_0000, count: 8) }
        bits.appendCode(0, count: 7)
        // The Adler checksum of zeros: 1, and the number of bytes.
        return [0x78, 0x01] + bits.bytes + number(UInt32(count % 65_521) << 16 | 1)
    }

    /// CRC-32 (ISO 15948 Annex D).
    private enum CRC {
        private static let table: [UInt32] = (0..<256).map { index -> UInt32 in
            var value = UInt32(index)
            for _ in 0..<8 {
                let half = value >> 1
                value = value & 1 == 1 ? half ^ 0xEDB8_8320 : half
            }
            return value
        }

        static func of(_ bytes: [UInt8]) -> UInt32 {
            var value = ~UInt32(0)
            for byte in bytes {
                let index = Int((value ^ UInt32(byte)) & 255)
                value = table[index] ^ (value >> 8)
            }
            return ~value
        }
    }
}
