/// Builds small valid files byte by byte, from which tests derive invalid ones.
package enum HeaderBuilder {
    package static func big(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    package static func little(_ value: Int, _ count: Int) -> [UInt8] {
        big(value, count).reversed()
    }

    package static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// A TIFF structure with one directory, as in an EXIF block; entries are tag, type and value.
    package static func tiff(_ entries: [(tag: Int, type: Int, value: Int)], bigEndian: Bool = false) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] { bigEndian ? big(value, count) : little(value, count) }
        var bytes: [UInt8] = bigEndian ? [0x4D, 0x4D, 0, 0x2A] : [0x49, 0x49, 0x2A, 0]
        bytes += number(8, 4) + number(entries.count, 2)
        for entry in entries {
            bytes += number(entry.tag, 2) + number(entry.type, 2) + number(1, 4)
            bytes += entry.type == 3 ? number(entry.value, 2) + [0, 0] : number(entry.value, 4)
        }
        return bytes + number(0, 4) + [UInt8](repeating: 0, count: 16)
    }

    package static func jpeg(width: Int, height: Int, orientation: Int? = nil, padding: Int = 0) -> [UInt8] {
        func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
            [0xFF, marker] + big(content.count + 2, 2) + content
        }
        var bytes: [UInt8] = [0xFF, 0xD8]
        bytes += segment(0xE0, text("JFIF") + [0, 1, 1, 0, 0, 1, 0, 1, 0, 0])
        if let orientation {
            bytes += segment(0xE1, text("Exif") + [0, 0] + tiff([(0x0112, 3, orientation)], bigEndian: true))
        }
        bytes += segment(0xE2, [UInt8](repeating: 0xFF, count: padding))
        bytes += segment(0xC4, [UInt8](repeating: 0, count: 20))
        bytes +=
            [0xFF, 0xFF]
            + segment(0xC2, [8] + big(height, 2) + big(width, 2) + [3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1])
        return bytes + segment(0xDA, [3, 1, 0, 2, 0x11, 3, 0x11, 0, 63, 0]) + [0x12, 0x34, 0xFF, 0xD9]
    }

    package static func png(
        width: Int,
        height: Int,
        colorType: UInt8 = 2,
        frames: Int? = nil,
        transparency: Bool = false,
        orientation: Int? = nil
    ) -> [UInt8] {
        var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        bytes += chunk("IHDR", big(width, 4) + big(height, 4) + [8, colorType, 0, 0, 0])
        if let frames { bytes += chunk("acTL", big(frames, 4) + big(0, 4)) }
        if transparency { bytes += chunk("tRNS", [0, 0, 0, 0, 0, 0]) }
        if let orientation { bytes += chunk("eXIf", tiff([(0x0112, 3, orientation)])) }
        return bytes + chunk("IDAT", [1, 2, 3, 4]) + chunk("IEND", [])
    }

    /// A PNG chunk with its checksum, computed independently bit by bit.
    package static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let checked = text(type) + content
        var remainder: UInt32 = .max
        for byte in checked {
            for bit in 0..<8 {
                let isOdd = (remainder ^ UInt32(byte >> UInt8(bit))) & 1 == 1
                remainder = remainder >> 1 ^ (isOdd ? 0xEDB8_8320 : 0)
            }
        }
        return big(content.count, 4) + checked + big(Int(~remainder), 4)
    }

    package static func gif(width: Int, height: Int, frames: Int, transparent: Bool = false, trailer: Bool = true)
        -> [UInt8]
    {
        var bytes = text("GIF89a") + little(width, 2) + little(height, 2) + [0x81, 0, 0]
        bytes += [UInt8](repeating: 7, count: 12)
        bytes += [0x21, 0xFF, 11] + text("NETSCAPE2.0") + [3, 1, 0, 0, 0]
        for _ in 0..<frames {
            bytes += [0x21, 0xF9, 4, transparent ? 1 : 0, 5, 0, 0, 0]
            bytes += [0x2C] + little(0, 4) + little(width, 2) + little(height, 2) + [0x80]
            bytes += [UInt8](repeating: 9, count: 6) + [2, 3, 0x2C, 0x21, 0x3B, 1, 0x2C, 0]
        }
        return bytes + (trailer ? [0x3B] : [])
    }

    package static func riff(_ chunks: [(type: String, content: [UInt8])]) -> [UInt8] {
        let content = chunks.flatMap { chunk -> [UInt8] in
            text(chunk.type) + little(chunk.content.count, 4) + chunk.content
                + (chunk.content.count % 2 == 1 ? [0] : [])
        }
        return text("RIFF") + little(content.count + 4, 4) + text("WEBP") + content
    }

    package static func webpExtended(flags: UInt8, width: Int, height: Int) -> (type: String, content: [UInt8]) {
        ("VP8X", [flags, 0, 0, 0] + little(width - 1, 3) + little(height - 1, 3))
    }

    package static func vp8(width: Int, height: Int) -> (type: String, content: [UInt8]) {
        ("VP8 ", [0x10, 0, 0, 0x9D, 0x01, 0x2A] + little(width, 2) + little(height, 2) + [1, 2, 3])
    }

    package static func vp8l(width: Int, height: Int, alpha: Bool) -> (type: String, content: [UInt8]) {
        ("VP8L", [0x2F] + little((width - 1) | (height - 1) << 14 | (alpha ? 1 << 28 : 0), 4) + [0, 0, 0, 0])
    }

    package static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        big(content.count + 8, 4) + text(type) + content
    }

    /// An AVIF whose second item is the primary one; readers must not use the first one's size.
    package static func avif(width: Int, height: Int, turns: UInt8? = nil, alpha: Bool = false, brand: String = "avif")
        -> [UInt8]
    {
        var properties =
            box("ispe", big(0, 4) + big(77, 4) + big(55, 4)) + box("ispe", big(0, 4) + big(width, 4) + big(height, 4))
        properties += box("irot", [turns ?? 0])
        if alpha { properties += box("auxC", big(0, 4) + text("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha") + [0]) }
        let map =
            big(0, 4) + big(2, 4) + big(1, 2) + [1, 0x81] + big(2, 2) + (turns == nil ? [1, 0x82] : [2, 0x82, 0x83])
        let meta =
            big(0, 4) + box("hdlr", big(0, 8) + text("pict")) + box("pitm", big(0, 4) + big(2, 2))
            + box("iprp", box("ipco", properties) + box("ipma", map))
        return box("ftyp", text(brand) + big(0, 4) + text("mif1") + text(brand)) + box("meta", meta)
            + box("mdat", [1, 2, 3])
    }

    package static func bmp(width: Int, height: Int, depth: Int = 24) -> [UInt8] {
        text("BM") + little(70, 4) + little(0, 4) + little(54, 4) + little(40, 4) + little(width, 4) + little(height, 4)
            + little(1, 2) + little(depth, 2) + [UInt8](repeating: 0, count: 40)
    }

    package static func ico(pictures: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = [0, 0, 1, 0] + little(pictures.count, 2)
        var offset = 6 + 16 * pictures.count
        for picture in pictures {
            bytes += [16, 16, 0, 0, 1, 0, 32, 0] + little(picture.count, 4) + little(offset, 4)
            offset += picture.count
        }
        return bytes + pictures.flatMap(\.self)
    }

    package static func jp2(width: Int, height: Int) -> [UInt8] {
        big(12, 4) + [0x6A, 0x50, 0x20, 0x20, 0x0D, 0x0A, 0x87, 0x0A]
            + box("ftyp", text("jp2 ") + big(0, 4) + text("jp2 "))
            + box("jp2h", box("ihdr", big(height, 4) + big(width, 4) + [0, 3, 7, 7, 0, 0]))
    }

    /// A codestream with both sides in 13 bits.
    package static func jxl(width: Int, height: Int) -> [UInt8] {
        var bits: [Int] = [0, 1, 0]
        bits += (0..<13).map { (height - 1) >> $0 & 1 } + [0, 0, 0] + [1, 0] + (0..<13).map { (width - 1) >> $0 & 1 }
        var bytes: [UInt8] = [0xFF, 0x0A]
        for start in stride(from: 0, to: bits.count, by: 8) {
            let byte = bits[start..<min(bits.count, start + 8)].enumerated().reduce(0) { $0 | $1.element << $1.offset }
            bytes.append(UInt8(byte))
        }
        return bytes + [UInt8](repeating: 0, count: 30)
    }
}
