/// A tag of XML text, from `<` to `>`, with its attributes.
struct XMLTag {
    /// The kind of a tag; comments and processing instructions are `other`.
    enum Kind {
        case opening, closing, empty, other
    }

    /// An attribute with the white space before it.
    struct Attribute {
        let range: Range<Int>
        let name: [UInt8]
        let value: [UInt8]

        /// The part before the colon; empty without one.
        var prefix: [UInt8] { XMLTag.prefix(of: name) }
        /// The part after the colon.
        var localName: [UInt8] { Array(name.dropFirst(prefix.isEmpty ? 0 : prefix.count + 1)) }
        var text: String { String(decoding: value, as: UTF8.self) }
    }

    let kind: Kind
    let attributes: [Attribute]
    /// The namespace prefix of the element's name.
    let prefix: [UInt8]
    /// The element's name after the prefix.
    let localName: [UInt8]
    private let bytes: ArraySlice<UInt8>

    /// Parses a tag; anything but attributes is kept unchanged.
    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        let inside = bytes.dropFirst().dropLast()
        let mark = inside.first
        if mark == UInt8(ascii: "!") || mark == UInt8(ascii: "?") {
            (kind, attributes, prefix, localName) = (.other, [], [], [])
            return
        }
        let isClosing = mark == UInt8(ascii: "/")
        kind = isClosing ? .closing : inside.last == UInt8(ascii: "/") ? .empty : .opening
        let named = isClosing ? inside.dropFirst() : inside
        let name = named.prefix { !Self.isBlank($0) && $0 != UInt8(ascii: "/") }
        prefix = Self.prefix(of: Array(name))
        localName = Array(name.dropFirst(prefix.isEmpty ? 0 : prefix.count + 1))
        attributes = isClosing ? [] : Self.attributes(in: named[name.endIndex...])
    }

    /// Returns the tag without some of its attributes.
    func without(_ isDropped: (Attribute) -> Bool) -> [UInt8] {
        var kept: [UInt8] = []
        var position = bytes.startIndex
        for attribute in attributes where isDropped(attribute) {
            kept += bytes[position..<attribute.range.lowerBound]
            position = attribute.range.upperBound
        }
        return kept + bytes[position...]
    }

    private static func attributes(in bytes: ArraySlice<UInt8>) -> [Attribute] {
        var found: [Attribute] = []
        var rest = bytes
        while true {
            let start = rest.startIndex
            let name = rest.drop(while: isBlank).prefix { !isBlank($0) && $0 != UInt8(ascii: "=") }
            let equals = rest[name.endIndex...].drop(while: isBlank)
            guard !name.isEmpty, equals.first == UInt8(ascii: "=") else { return found }
            let quoted = equals.dropFirst().drop(while: isBlank)
            guard let quote = quoted.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
                let end = quoted.dropFirst().firstIndex(of: quote)
            else { return found }
            let value = quoted[(quoted.startIndex + 1)..<end]
            found.append(Attribute(range: start..<end + 1, name: Array(name), value: Array(value)))
            rest = rest[(end + 1)...]
        }
    }

    private static func prefix(of name: [UInt8]) -> [UInt8] {
        name.firstIndex(of: UInt8(ascii: ":")).map { Array(name[..<$0]) } ?? []
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}
