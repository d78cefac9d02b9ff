import HTTPSemantics

/// Finds the picture that a page names for previews of itself.
///
/// Reads the page's head as browsers do, in one pass, whatever the markup: comments, scripts and quoted attributes contain no tags.
/// Of the names, `og:image` (The Open Graph protocol) precedes `twitter:image`, and that `<link rel=image_src>`; of equals the
/// first counts.
struct PageImage {
    /// The reference as written; may be relative.
    let reference: String
    /// `<base href>`.
    let base: String?

    private static let names = [
        "og:image": 0, "og:image:url": 0, "og:image:secure_url": 0, "twitter:image": 1, "twitter:image:src": 1,
    ]
    private static let linkRank = 2

    /// Finds the picture; `nil` if the page names none.
    init?(in page: [UInt8]) {
        var scanner = MarkupScanner(page)
        var base: String?
        var found: (rank: Int, reference: String)?
        while let tag = scanner.next(), tag.name != "body" {
            switch tag.name {
            case "base": base = base ?? tag["href"]
            case "meta":
                guard let name = tag["property"] ?? tag["name"], let rank = Self.names[name.lowercased()],
                    let content = tag["content"], rank < found?.rank ?? .max
                else { continue }
                found = (rank, content)
            case "link":
                let kinds = tag["rel"]?.lowercased().split(separator: " ") ?? []
                guard kinds.contains("image_src"), let target = tag["href"], Self.linkRank < found?.rank ?? .max else {
                    continue
                }
                found = (Self.linkRank, target)
            default: continue
            }
        }
        guard let found else { return nil }
        reference = found.reference
        self.base = base
    }

    /// The picture's URL; `nil` if it is none of http or https.
    func url(on page: OriginURL) -> OriginURL? {
        let start = base.flatMap { try? page.resolving($0) } ?? page
        return try? start.resolving(reference)
    }

    /// Whether content may be a page: its first character is `<`.
    static func isMarkup(_ content: [UInt8]) -> Bool {
        let bytes = content.starts(with: [0xEF, 0xBB, 0xBF]) ? content.dropFirst(3) : content[...]
        return bytes.first { !MarkupScanner.isBlank($0) } == UInt8(ascii: "<")
    }
}

/// Reads the start tags of HTML in one pass, without ever failing; keeps the attributes of those that may name a picture.
struct MarkupScanner {
    /// A start tag.
    struct Tag {
        /// In lower case.
        let name: String
        /// Decoded values by names in lower case; of equal names the first.
        fileprivate(set) var attributes: [String: String] = [:]

        /// The trimmed value of an attribute; `nil` if it is missing or empty.
        subscript(name: String) -> String? { attributes[name].flatMap { $0.isEmpty ? nil : $0 } }
    }

    /// Elements whose content has no tags.
    private static let texts: Set<String> = [
        "script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes",
    ]
    /// Elements whose attributes are kept.
    private static let withAttributes: Set<String> = ["base", "link", "meta"]
    private static let longestName = 32
    private static let mostAttributes = 32
    private static let longestValue = 8192

    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    static func isBlank(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0C, 0x0D: true
        default: false
        }
    }

    /// Returns the next start tag; `nil` at the end.
    mutating func next() -> Tag? {
        while let start = bytes[index...].firstIndex(of: UInt8(ascii: "<")) {
            index = start + 1
            if bytes[index...].starts(with: "!--".utf8) {
                skip(past: Array("-->".utf8), from: index + 1)
            } else if index < bytes.count, Self.isLetter(bytes[index]) {
                let tag = readTag()
                if Self.texts.contains(tag.name) { skip(past: Array("</\(tag.name)".utf8), from: index) }
                return tag
            }
        }
        return nil
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    /// Moves behind a text, or to the end; letters are compared in lower case.
    private mutating func skip(past text: [UInt8], from start: Int) {
        var place = start
        while place < bytes.count, let next = bytes[place...].firstIndex(of: text[0]), next + text.count <= bytes.count
        {
            if bytes[next..<next + text.count].elementsEqual(text, by: { Self.lower($0) == $1 }) {
                index = next + text.count
                return
            }
            place = next + 1
        }
        index = bytes.count
    }

    private static func lower(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

    /// Reads a tag from its name to behind its `>`.
    private mutating func readTag() -> Tag {
        var tag = Tag(name: word { Self.isBlank($0) || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ">") })
        let isWanted = Self.withAttributes.contains(tag.name)
        while true {
            skipBlanks(and: UInt8(ascii: "/"))
            guard index < bytes.count, bytes[index] != UInt8(ascii: ">") else { break }
            let name = word(atLeast: 1) { Self.isBlank($0) || "/>=".utf8.contains($0) }
            skipBlanks()
            var value = ""
            if index < bytes.count, bytes[index] == UInt8(ascii: "=") {
                index += 1
                skipBlanks()
                value = readValue(isWanted: isWanted)
            }
            if isWanted, tag.attributes.count < Self.mostAttributes, tag.attributes[name] == nil {
                tag.attributes[name] = value
            }
        }
        index = min(index + 1, bytes.count)
        return tag
    }

    /// Reads bytes up to one that ends them; returns them in lower case, or nothing if they are too long.
    private mutating func word(atLeast least: Int = 0, until isEnd: (UInt8) -> Bool) -> String {
        let start = index
        index += least
        while index < bytes.count, !isEnd(bytes[index]) { index += 1 }
        guard index - start <= Self.longestName else { return "" }
        return String(decoding: bytes[start..<index].map(Self.lower), as: UTF8.self)
    }

    private mutating func skipBlanks(and other: UInt8 = 0x20) {
        while index < bytes.count, Self.isBlank(bytes[index]) || bytes[index] == other { index += 1 }
    }

    private mutating func readValue(isWanted: Bool) -> String {
        guard index < bytes.count else { return "" }
        let quote = bytes[index]
        let isQuoted = quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
        if isQuoted { index += 1 }
        let start = index
        while index < bytes.count, isQuoted ? bytes[index] != quote : !endsBare(bytes[index]) { index += 1 }
        let value = bytes[start..<index]
        if isQuoted { index = min(index + 1, bytes.count) }
        guard isWanted, value.count <= Self.longestValue else { return "" }
        return Self.decoded(value)
    }

    private func endsBare(_ byte: UInt8) -> Bool { Self.isBlank(byte) || byte == UInt8(ascii: ">") }

    private static let entities = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]

    /// Replaces the character references that URLs need, and trims blanks.
    private static func decoded(_ value: ArraySlice<UInt8>) -> String {
        var value = value.drop(while: isBlank)
        while let last = value.last, isBlank(last) { value.removeLast() }
        let text = String(decoding: value.filter { ![0x09, 0x0A, 0x0D].contains($0) }, as: UTF8.self)
        var result = ""
        var rest = text[...]
        while let mark = rest.firstIndex(of: "&") {
            result += rest[..<mark]
            rest = rest[rest.index(after: mark)...]
            // The longest reference is &#x10ffff;
            guard let end = rest.prefix(9).firstIndex(of: ";"), let character = character(rest[..<end]) else {
                result += "&"
                continue
            }
            result += character
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    private static func character(_ name: Substring) -> String? {
        guard name.first == "#" else { return entities[String(name)] }
        let digits = name.dropFirst()
        let code = digits.first?.lowercased() == "x" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return code.flatMap(UnicodeScalar.init).map { String(Character($0)) }
    }
}
