import TestSupport

extension HostileCorpus {
    /// EXIF, XMP and colour profiles, in a JPEG, a PNG or a WebP.
    func metadata(_ number: Int, _ random: inout SeededGenerator) -> [UInt8] {
        let block: [UInt8]
        var profile = Self.noise(400, &random)
        switch number % 5 {
        case 0:
            // Directories that refer to themselves.
            let entries: [TIFFEntry] = [
                (0x8769, 4, 1, 8), (0x8825, 4, 1, 8), (0xA005, 4, 1, 8), (0x0112, 3, 1, 9 + number),
            ]
            block = Self.tiff(entries, next: 8)
        case 1:
            let entries: [TIFFEntry] = (0..<200).map { (0x010F + $0, $0 % 14, 0x7FFF_FFFF + $0, $0 * 7) }
            block = Self.tiff(entries, next: 20)
        case 2: block = Self.tiff([(0x0112, 3, 1, [0, 1, 6, 8, 9, 65_535][number / 5 % 6])]) + Self.noise(40, &random)
        case 3: block = Self.noise(500, &random)
        default:
            block = []
            // A profile's header: its length, "acsp" at 36, and a count of tags.
            profile = Self.big([400, 0, 0xFFFF_FFFF][number / 5 % 3], 4) + Self.noise(32, &random) + Array("acsp".utf8)
            profile.replaceSubrange(12..<24, with: Array("mntrRGB XYZ ".utf8))
            profile +=
                [UInt8](repeating: 0, count: 88) + Self.big([0, 9, 0x0FFF_FFFF][number / 5 % 3], 4)
                + Self.noise(300, &random)
        }
        let xmp = Array(("<x:xmpmeta>" + String(repeating: "<rdf:li>", count: 5000)).utf8)
        switch number % 3 {
        case 0:
            func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
                [0xFF, marker] + Self.big(content.count + 2, 2) + content
            }
            let parts: UInt8 = number % 2 == 0 ? 1 : 255
            return Array(seeds.jpeg.prefix(2)) + segment(0xE1, Array("Exif".utf8) + [0, 0] + block)
                + segment(0xE1, Array("http://ns.adobe.com/xap/1.0/".utf8) + [0] + xmp)
                + segment(0xE2, Array("ICC_PROFILE".utf8) + [0, 1, parts] + profile) + Array(seeds.jpeg.dropFirst(2))
        case 1:
            let chunks = Self.chunk("eXIf", block) + Self.chunk("iCCP", [65, 0, 0] + Zlib.compress(profile))
            return Array(seeds.png.prefix(33)) + chunks + Array(seeds.png.dropFirst(33))
        default:
            let image = Array(seeds.webp.dropFirst(12))
            let chunks: [(type: String, content: [UInt8])] = [
                HeaderBuilder.webpExtended(flags: 0x2C, width: 64, height: 48), ("ICCP", profile), ("EXIF", block),
                ("XMP ", xmp),
            ]
            return HeaderBuilder.riff(chunks) + image
        }
    }

    /// Files of no format, or of two.
    func mixed(_ number: Int, _ random: inout SeededGenerator) -> [UInt8] {
        let files = [
            seeds.jpeg, seeds.png, seeds.gif, seeds.webp, seeds.avif, seeds.heic, seeds.jxl, seeds.jp2, seeds.tiff,
            Array("BM".utf8) + Self.noise(60, &random), Array("%PDF-1.4".utf8), Array(Self.document("<g/>").utf8),
        ]
        let first = files[number / 6 % files.count]
        let second = files[(number / 6 + 5) % files.count]
        switch number % 6 {
        case 0: return first + second
        case 1: return Array(first.prefix(Int.random(in: 1...40, using: &random))) + second
        case 2: return Array(first.prefix([4, 8, 12, 20, 32][number / 6 % 5])) + Self.noise(2000, &random)
        case 3: return Array(first.prefix(number / 6 % 16))
        case 4: return Array("GIF89a/*<html><script>alert(1)</script>*/".utf8) + first
        default: return Self.noise(Int.random(in: 0...300, using: &random), &random)
        }
    }
}
