/// A PNG drawn by a test, pixel by pixel: stored without compression, so that no library is needed.
package enum DrawnPNG {
    /// Encodes 8-bit RGBA.
    ///
    /// - Parameter pixel: red, green, blue and alpha at x, y.
    package static func encode(
        width: Int,
        height: Int,
        pixel: (_ x: Int, _ y: Int) -> (UInt8, UInt8, UInt8, UInt8)
    ) -> [UInt8] {
        var raw: [UInt8] = []
        raw.reserveCapacity(height * (width * 4 + 1))
        for y in 0..<height {
            raw.append(0)
            for x in 0..<width {
                let (red, green, blue, alpha) = pixel(x, y)
                raw += [red, green, blue, alpha]
            }
        }
        let header = word(UInt32(width)) + word(UInt32(height)) + [8, 6, 0, 0, 0]
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header)
            + chunk("IDAT", stored(raw)) + chunk("IEND", [])
    }

    /// A gradient in all directions, opaque: something that every transform changes.
    package static func gradient(width: Int, height: Int) -> [UInt8] {
        encode(width: width, height: height) { x, y in
            (UInt8(x * 255 / max(1, width - 1)), UInt8(y * 255 / max(1, height - 1)), UInt8((x ^ y) & 0xFF), 255)
        }
    }

    /// Only what a sniffer looks at: a header that claims a size, without any pixels behind it.
    package static func claim(width: UInt32, height: UInt32) -> [UInt8] {
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + chunk("IHDR", word(width) + word(height) + [8, 2, 0, 0, 0]) + chunk("IDAT", []) + chunk("IEND", [])
    }

    private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + data
        return word(UInt32(data.count)) + body + word(crc(body))
    }

    /// zlib's format with stored blocks only (RFC 1950, RFC 1951 §3.2.4).
    private static func stored(_ data: [UInt8]) -> [UInt8] {
        var result: [UInt8] = [0x78, 0x01]
        var position = 0
        repeat {
            let count = min(65535, data.count - position)
            let isLast: UInt8 = position + count == data.count ? 1 : 0
            let length = UInt16(count)
            result += [isLast, UInt8(length & 0xFF), UInt8(length >> 8), UInt8(~length & 0xFF), UInt8(~length >> 8)]
            result += data[position..<position + count]
            position += count
        } while position < data.count
        return result + word(adler(data))
    }

    private static func adler(_ data: [UInt8]) -> UInt32 {
        var (a, b): (UInt32, UInt32) = (1, 0)
        for byte in data {
            a = (a + UInt32(byte)) % 65521
            b = (b + a) % 65521
        }
        return b << 16 | a
    }

    private static func crc(_ data: [UInt8]) -> UInt32 {
        ~data.reduce(UInt32.max) { crc, byte in
            (0..<8).reduce(crc ^ UInt32(byte)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
        }
    }

    private static func word(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
