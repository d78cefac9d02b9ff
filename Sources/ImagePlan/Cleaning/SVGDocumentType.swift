/// A document type declaration (XML 1.0 §2.8) and the entities in it that contain plain text.
struct SVGDocumentType {
    /// The index after the declaration.
    private(set) var end = 0
    /// The texts by name; entities with markup, references or an external address are omitted.
    private(set) var entities: [String: [UInt8]] = [:]

    private static let mostEntities = 64
    private static let longestText = 1024
    /// The maximum growth of a document.
    private static let largestGrowth = 1 << 20

    /// Reads the declaration at an index; `nil` if it is not closed.
    init?(_ bytes: [UInt8], at start: Int) {
        var position = start + 2
        var quote: UInt8?
        var subset: Int?
        while position < bytes.count {
            let byte = bytes[position]
            switch (byte, quote) {
            case (_, .some(let open)): if byte == open { quote = nil }
            case (UInt8(ascii: "\""), _), (UInt8(ascii: "'"), _): quote = byte
            case (UInt8(ascii: "["), _): subset = subset ?? position + 1
            case (UInt8(ascii: "]"), _):
                guard let from = subset else { return nil }
                read(bytes[from..<position])
                subset = nil
            case (UInt8(ascii: ">"), _) where subset == nil:
                end = position + 1
                return
            default: break
            }
            position += 1
        }
        return nil
    }

    /// Reads `<!ENTITY name "text">`; everything else is skipped.
    private mutating func read(_ subset: ArraySlice<UInt8>) {
        let keyword = Array("<!ENTITY".utf8)
        var rest = subset
        while entities.count < Self.mostEntities, let start = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[start...]
            guard rest.starts(with: keyword) else {
                rest = rest.dropFirst()
                continue
            }
            rest = rest.dropFirst(keyword.count).drop(while: SVGTag.isBlank)
            let name = rest.prefix { !SVGTag.isBlank($0) }
            rest = rest.dropFirst(name.count).drop(while: SVGTag.isBlank)
            guard let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
                let end = rest.dropFirst().firstIndex(of: quote)
            else { continue }
            let text = rest[(rest.startIndex + 1)..<end]
            rest = rest[(end + 1)...]
            let special = Array("<&%\"'".utf8)
            guard text.count <= Self.longestText, !text.contains(where: special.contains) else { continue }
            // XML 1.0 §4.2: the first declaration counts.
            let key = String(decoding: name, as: UTF8.self)
            if entities[key] == nil { entities[key] = Array(text) }
        }
    }

    /// Returns a text with its references to these entities replaced; `nil` if it becomes too long.
    func replaced(in text: ArraySlice<UInt8>) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var rest = text
        while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
            result += rest[..<start]
            let end = rest[start...].prefix(Self.longestText).firstIndex(of: UInt8(ascii: ";"))
            if let end, let entity = entities[String(decoding: rest[(start + 1)..<end], as: UTF8.self)] {
                result += entity
                rest = rest[(end + 1)...]
            } else {
                result.append(UInt8(ascii: "&"))
                rest = rest[(start + 1)...]
            }
            guard result.count <= text.count + Self.largestGrowth else { return nil }
        }
        return result + rest
    }
}
