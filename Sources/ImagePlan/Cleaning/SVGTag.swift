/// The opening or empty tag of an SVG element.
struct SVGTag {
    /// The name as written, with its prefix.
    let name: [UInt8]
    /// The name without its prefix.
    let localName: String
    /// Whether the element ends with its tag.
    let isEmpty: Bool
    private let attributes: [(name: String, written: ArraySlice<UInt8>, value: String?)]

    /// Parses a tag from `<` to `>`; `nil` if it is malformed.
    init?(_ tag: ArraySlice<UInt8>) {
        var rest = tag.dropFirst().dropLast()
        isEmpty = rest.last == UInt8(ascii: "/")
        if isEmpty { rest = rest.dropLast() }
        let name = rest.prefix { !Self.isBlank($0) }
        guard Self.isName(name) else { return nil }
        self.name = Array(name)
        localName = Self.local(String(decoding: name, as: UTF8.self))
        rest = rest.dropFirst(name.count)
        var attributes: [(name: String, written: ArraySlice<UInt8>, value: String?)] = []
        while true {
            rest = rest.drop(while: Self.isBlank)
            guard !rest.isEmpty else { break }
            let name = rest.prefix { !Self.isBlank($0) && $0 != UInt8(ascii: "=") }
            var value = rest.dropFirst(name.count).drop(while: Self.isBlank)
            guard Self.isName(name), value.first == UInt8(ascii: "=") else { return nil }
            value = value.dropFirst().drop(while: Self.isBlank)
            guard let quote = value.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
                let end = value.dropFirst().firstIndex(of: quote)
            else { return nil }
            let text = value[(value.startIndex + 1)..<end]
            guard !text.contains(UInt8(ascii: "<")) else { return nil }
            attributes.append(
                (String(decoding: name, as: UTF8.self), rest[rest.startIndex...end], Self.decoded(text))
            )
            rest = rest[(end + 1)...]
        }
        self.attributes = attributes
    }

    /// The index after the tag that begins at an index; `nil` if it is not closed.
    static func end(in bytes: [UInt8], from start: Int) -> Int? {
        var quote: UInt8?
        for index in start..<bytes.count {
            let byte = bytes[index]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                return index + 1
            }
        }
        return nil
    }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
    private static func isLetter(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
    /// Whether the bytes are a name (XML 1.0 §2.3); every byte beyond ASCII counts as part of one.
    ///
    /// Parsers of HTML accept other bytes and end names elsewhere: to them, `/onload` is the attribute `onload`.
    private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, first >= 0x80 || isLetter(first) || first == UInt8(ascii: ":") else {
            return false
        }
        return bytes.allSatisfy { byte in
            byte >= 0x80 || isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: ":")).contains(byte)
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
        }
    }
    private static func local(_ name: String) -> String {
        name.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).last.map {
            String(Substring($0))
        }
            ?? name
    }
}

extension SVGTag {
    /// The elements of SVG 1.1 and SVG 2 that draw, define, animate or describe.
    private static let elements: Set<String> = [
        "a", "animate", "animateColor", "animateMotion", "animateTransform", "circle", "clipPath", "defs", "desc",
        "ellipse",
        "feBlend", "feColorMatrix", "feComponentTransfer", "feComposite", "feConvolveMatrix", "feDiffuseLighting",
        "feDisplacementMap", "feDistantLight", "feDropShadow", "feFlood", "feFuncA", "feFuncB", "feFuncG", "feFuncR",
        "feGaussianBlur", "feImage", "feMerge", "feMergeNode", "feMorphology", "feOffset", "fePointLight",
        "feSpecularLighting", "feSpotLight", "feTile", "feTurbulence", "filter", "g", "image", "line", "linearGradient",
        "marker", "mask", "mpath", "path", "pattern", "polygon", "polyline", "radialGradient", "rect", "set", "stop",
        "style",
        "svg", "switch", "symbol", "text", "textPath", "title", "tref", "tspan", "use", "view",
    ]

    /// Whether the element is kept.
    var isKept: Bool {
        guard Self.elements.contains(localName) else { return false }
        // An animation may set a reference after the document is loaded.
        guard localName == "set" || localName.hasPrefix("animate") else { return true }
        return attributes.allSatisfy { attribute in
            guard Self.local(attribute.name) == "attributeName" else { return true }
            return attribute.value.map { !Self.isReference($0) && !Self.isHandler($0) } ?? false
        }
    }

    /// The tag without event handlers and external references.
    var cleaned: [UInt8] {
        var tag = [UInt8(ascii: "<")] + name
        for attribute in attributes where keeps(attribute.name, attribute.value) {
            tag.append(UInt8(ascii: " "))
            tag += attribute.written
        }
        return tag + (isEmpty ? Array("/>".utf8) : [UInt8(ascii: ">")])
    }

    private func keeps(_ name: String, _ value: String?) -> Bool {
        guard let value, name != "xml:base", !Self.isHandler(name) else { return false }
        if name == "xmlns" || name.hasPrefix("xmlns:") { return true }
        if Self.isReference(name) { return SVGReference.isInside(value) }
        return SVGReference.isSafe(style: value)
    }

    /// Whether an attribute's value is executed as a script.
    private static func isHandler(_ name: String) -> Bool { local(name).lowercased().hasPrefix("on") }

    /// Whether an attribute's value is an address, in SVG or in HTML.
    private static func isReference(_ name: String) -> Bool {
        ["href", "src", "srcset", "action", "formaction", "data", "ping", "poster", "base"].contains(
            local(name).lowercased()
        )
    }

    /// The text with its character references replaced; `nil` if it has any other entity.
    static func decoded(_ text: ArraySlice<UInt8>) -> String? {
        var decoded = ""
        var rest = text
        while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
            decoded += String(decoding: rest[..<start], as: UTF8.self)
            guard let end = rest[start...].firstIndex(of: UInt8(ascii: ";")) else { return nil }
            guard let scalar = scalar(named: String(decoding: rest[(start + 1)..<end], as: UTF8.self)) else {
                return nil
            }
            decoded.unicodeScalars.append(scalar)
            rest = rest[(end + 1)...]
        }
        return decoded + String(decoding: rest, as: UTF8.self)
    }

    private static func scalar(named name: String) -> Unicode.Scalar? {
        switch name {
        case "amp": "&"
        case "lt": "<"
        case "gt": ">"
        case "quot": "\""
        case "apos": "'"
        case _ where name.hasPrefix("#x"): UInt32(name.dropFirst(2), radix: 16).flatMap { Unicode.Scalar($0) }
        case _ where name.hasPrefix("#"): UInt32(name.dropFirst(), radix: 10).flatMap { Unicode.Scalar($0) }
        default: nil
        }
    }
}

/// What the attributes and style sheets of an SVG document refer to.
enum SVGReference {
    /// The media types of embedded data that are images of pixels.
    private static let images = [
        "data:image/png", "data:image/jpeg", "data:image/gif", "data:image/webp", "data:image/avif",
    ]

    /// Whether an address is within the document: a fragment, or the data of an image.
    static func isInside(_ address: String) -> Bool {
        let trimmed = trimmed(address)
        return trimmed.isEmpty || trimmed.hasPrefix("#") || isImage(trimmed)
    }

    private static func isImage(_ address: String) -> Bool {
        let lower = address.prefix(32).lowercased()
        return images.contains { lower.hasPrefix($0 + ";") || lower.hasPrefix($0 + ",") }
    }

    /// Whether a style sheet, a declaration or another value names no address outside the document.
    ///
    /// Escapes (CSS Syntax 3 §4.3.7) are refused with everything else that could hide an address.
    static func isSafe(style: String) -> Bool {
        let lower = style.lowercased()
        let hidden = [
            "\\", "@import", "expression(", "image(", "image-set(", "src(", "javascript:", "-moz-binding", "behavior:",
        ]
        guard !hidden.contains(where: { lower.contains($0) }) else { return false }
        var rest = Substring(lower)
        while let next = range(of: "url(", in: rest) {
            rest = rest[next...]
            let address = trimmed(String(rest.prefix(64))).drop { $0 == "\"" || $0 == "'" }
            guard address.hasPrefix("#") || isImage(String(address)) else { return false }
        }
        return true
    }

    /// The index after the first occurrence of a text.
    private static func range(of text: String, in whole: Substring) -> Substring.Index? {
        var rest = whole
        while let start = rest.firstIndex(of: "u") {
            if rest[start...].hasPrefix(text) { return rest.index(start, offsetBy: text.count) }
            rest = rest[rest.index(after: start)...]
        }
        return nil
    }

    private static func trimmed(_ text: String) -> String {
        String(text.unicodeScalars.drop { $0.value <= 0x20 }.map(Character.init))
    }
}
