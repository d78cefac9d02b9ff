import TestSupport

extension HostileCorpus {
    private static let xml = "<?xml version=\"1.0\"?>"

    /// Markup that is expensive to read, or asks for other files.
    func svgMarkup(_ number: Int, _ random: inout SeededGenerator) -> [UInt8] {
        switch number % 8 {
        case 0: return Array(Self.entities(number).utf8)
        case 1:
            let addresses = [
                "file:///etc/passwd", "http://127.0.0.1:1/a.png", "/proc/self/environ", "//localhost/a.svg#b",
                "ftp://127.0.0.1/", "a.png",
                "data:image/svg+xml;base64,PHN2Zy8+",
            ]
            let address = addresses[number / 8 % addresses.count]
            return Array(
                Self.document(
                    "<image xlink:href=\"\(address)\" width=\"9\" height=\"9\"/><use xlink:href=\"\(address)\"/>"
                        + "<style>@import url(\(address));</style><rect fill=\"url(\(address)#a)\" width=\"9\" height=\"9\"/>"
                ).utf8
            )
        case 2:
            // Images within the image: bombs, and images within those.
            let inner = number % 16 == 2 ? Self.pngPixels(number / 8 * 6, &random) : seeds.jpeg
            let text = Self.base64(inner)
            let type = number % 16 == 2 ? "png" : "jpeg"
            return Array(
                Self.document("<image xlink:href=\"data:image/\(type);base64,\(text)\" width=\"99\" height=\"99\"/>")
                    .utf8
            )
        case 3:
            let rules = (0..<3000).map { "g > g ~ g + .c\($0):nth-child(2n) * * * { fill: #\($0 % 10)00 }" }.joined()
            return Array(
                Self.document(
                    "<style>\(rules)</style>" + String(repeating: "<g class=\"c1\"><path d=\"M0 0\"/></g>", count: 300)
                ).utf8
            )
        case 4:
            let encodings = ["UTF-16", "UTF-7", "ISO-8859-1", "EBCDIC-CP-US", "nonsense", "UCS-4", "cp037"]
            return Array(
                "<?xml version=\"1.0\" encoding=\"\(encodings[number / 8 % encodings.count])\"?>\(Self.document("<g/>"))"
                    .utf8
            )
        case 5:
            // UTF-16 with and without a mark, truncated characters, zeros.
            let text = Self.document("<rect width=\"9\" height=\"9\"/>")
            let wide = text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
            return [
                [0xFF, 0xFE] + wide, wide, Array(text.utf8) + [0xC3],
                Array(text.utf8.prefix(60)) + [0, 0] + Array(text.utf8),
            ][number / 8 % 4]
        case 6:
            let content = [
                "<!--" + String(repeating: "-", count: 200_000), "<![CDATA[" + String(repeating: "]", count: 200_000),
                "<?php",
                "<xi:include xmlns:xi=\"http://www.w3.org/2001/XInclude\" href=\"file:///etc/passwd\"/>",
                "<script>while(true){}</script>", "<foreignObject><iframe src=\"file:///\"/></foreignObject>",
                "<animate attributeName=\"x\" dur=\"1ms\" repeatCount=\"indefinite\"/>",
            ]
            return Array(Self.document(content[number / 8 % content.count]).utf8)
        default:
            return Self.damaged(
                Array(Self.document("<g id=\"a\"><text>a&amp;b</text></g><use xlink:href=\"#a\"/>").utf8),
                number / 8,
                &random
            )
        }
    }

    /// Entities that refer to entities (XML 1.0 §4.2), to files, and to themselves.
    private static func entities(_ number: Int) -> String {
        let depth = [2, 5, 9, 30][number / 8 % 4]
        let fan = [2, 10, 100][number / 32 % 3]
        var declarations = "<!ENTITY e0 \"lol\">"
        for level in 1...depth {
            declarations += "<!ENTITY e\(level) \"" + String(repeating: "&e\(level - 1);", count: fan) + "\">"
        }
        switch number / 8 % 5 {
        case 1:
            declarations +=
                "<!ENTITY e\(depth) SYSTEM \"file:///etc/passwd\"><!ENTITY % p SYSTEM \"http://127.0.0.1:1/x.dtd\"> %p;"
        case 2: declarations = "<!ENTITY a \"&b;\"><!ENTITY b \"&a;\"><!ENTITY e\(depth) \"&a;\">"
        case 3:
            let text = String(repeating: "x", count: 100_000)
            return xml + "<!DOCTYPE svg [<!ENTITY a \"\(text)\">]>"
                + document("<text>" + String(repeating: "&a;", count: 10_000) + "</text>")
        default: break
        }
        return xml + "<!DOCTYPE svg [\(declarations)]>"
            + document("<text x=\"9\" y=\"9\">&e\(depth);</text><g a=\"&e\(depth);\"/>")
    }

    /// Gzip members around markup.
    static func svgz(_ number: Int, _ random: inout SeededGenerator) -> [UInt8] {
        let text = document("<rect width=\"9\" height=\"9\"/>")
        let start = Array(text.prefix(60).utf8)
        let rest = Array(text.dropFirst(60).utf8)
        let size = [1, 9, 40, 66][number / 6 % 4] << 20
        switch number % 6 {
        case 0:
            return Zlib.bomb(
                0x20,
                count: size,
                prefix: Array(text.dropLast(6).utf8),
                suffix: Array("</svg>".utf8),
                isGzip: true
            )
        case 1: return Zlib.bomb(0, count: size, isGzip: true)
        case 2: return Gzip.encode(Gzip.encode(start + rest))
        case 3:
            let members = (0..<[2, 100, 3000][number / 6 % 3]).flatMap { _ in Gzip.encode(rest) }
            return Gzip.encode(start) + members
        case 4:
            // Header fields (RFC 1952 §2.3.1) without an end.
            return [0x1F, 0x8B, 8, UInt8(number), 0, 0, 0, 0, 0, 3] + noise(300, &random)
        default: return damaged(Gzip.encode(Array(svg(.svgUses, number, &random).utf8)), number / 6, &random)
        }
    }

    static func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(bytes.count, start + 3)]
            let value = (0..<3).reduce(0) { $0 << 8 | (start + $1 < bytes.count ? Int(bytes[start + $1]) : 0) }
            for place in 0..<4 {
                text.append(place > group.count ? UInt8(ascii: "=") : alphabet[value >> (18 - 6 * place) & 63])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
