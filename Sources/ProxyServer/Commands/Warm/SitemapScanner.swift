/// Finds the addresses in a sitemap (sitemaps.org, and Google's image extension), tolerantly.
///
/// Own code: an XML parser would bring libxml2 into the daemon's binary. Only elements and their text matter here; document
/// types, comments and processing instructions are skipped, and unknown entities stay as they are.
struct SitemapScanner {
    /// What a sitemap contains.
    struct Content: Hashable {
        /// The addresses of other sitemaps, if it is an index.
        var sitemaps: [String] = []
        /// The addresses of pages.
        var pages: [String] = []
        /// The addresses of images.
        var images: [String] = []

        var isEmpty: Bool { sitemaps.isEmpty && pages.isEmpty && images.isEmpty }
    }

    private let bytes: [UInt8]
    private var index = 0
    /// The local names of the open elements.
    private var open: [String] = []
    private var text: [UInt8] = []
    private var content = Content()

    /// The deepest nesting that is followed.
    private static let deepest = 64

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Scans a document in UTF-8.
    static func scan(_ bytes: [UInt8]) -> Content {
        var scanner = SitemapScanner(bytes)
        scanner.run()
        return scanner.content
    }

    private mutating func run() {
        while index < bytes.count {
            if bytes[index] != UInt8(ascii: "<") {
                if open.last == "loc" { text.append(bytes[index]) }
                index += 1
            } else if starts("<!--") {
                skip(past: "-->")
            } else if starts("<![CDATA[") {
                let start = index + 9
                skip(past: "]]>")
                if open.last == "loc" { text += bytes[min(start, bytes.count)..<max(start, index - 3)] }
            } else if starts("<?") {
                skip(past: "?>")
            } else if starts("<!") {
                skip(past: ">")
            } else {
                tag()
            }
        }
    }

    private func starts(_ mark: StaticString) -> Bool {
        let mark = Array("\(mark)".utf8)
        return bytes[index...].starts(with: mark)
    }

    /// Moves behind the next occurrence of a mark, or to the end.
    private mutating func skip(past mark: String) {
        let mark = Array(mark.utf8)
        while index < bytes.count, !bytes[index...].starts(with: mark) { index += 1 }
        index = min(bytes.count, index + mark.count)
    }

    /// Reads a start or an end tag.
    private mutating func tag() {
        let start = index + 1
        var quote: UInt8?
        while index < bytes.count {
            let byte = bytes[index]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                break
            }
            index += 1
        }
        let inside = bytes[min(start, bytes.count)..<max(start, min(index, bytes.count))]
        index += 1
        let isEnd = inside.first == UInt8(ascii: "/")
        let name = (isEnd ? inside.dropFirst() : inside).prefix {
            ![0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: "/")].contains($0)
        }
        let local = String(decoding: name.split(separator: UInt8(ascii: ":")).last ?? [], as: UTF8.self)
        if isEnd {
            close(local)
        } else if inside.last != UInt8(ascii: "/"), open.count < Self.deepest {
            open.append(local)
            if local == "loc" { text = [] }
        }
    }

    private mutating func close(_ name: String) {
        // An element that was not closed ends with the one around it.
        guard let place = open.lastIndex(of: name) else { return }
        let parent = place > 0 ? open[place - 1] : ""
        open.removeSubrange(place...)
        guard name == "loc" else { return }
        let address = Self.plain(text)
        text = []
        guard !address.isEmpty else { return }
        switch parent {
        case "sitemap": content.sitemaps.append(address)
        case "image": content.images.append(address)
        case "url": content.pages.append(address)
        default: break
        }
    }

    /// The text with its entities replaced, without surrounding white space.
    private static func plain(_ bytes: [UInt8]) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        var result = ""
        var rest = text[...]
        while let mark = rest.firstIndex(of: "&") {
            result += rest[..<mark]
            rest = rest[mark...]
            guard let end = rest.prefix(12).firstIndex(of: ";"),
                let character = entity(rest[rest.index(after: mark)..<end])
            else {
                result.append("&")
                rest = rest.dropFirst()
                continue
            }
            result.append(character)
            rest = rest[rest.index(after: end)...]
        }
        result += rest
        return result.split(whereSeparator: \.isWhitespace).joined(separator: "%20")
    }

    private static func entity(_ name: Substring) -> Character? {
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            guard name.hasPrefix("#") else { return nil }
            let digits = name.dropFirst()
            let code = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
            return code.flatMap(Unicode.Scalar.init).map(Character.init)
        }
    }
}
