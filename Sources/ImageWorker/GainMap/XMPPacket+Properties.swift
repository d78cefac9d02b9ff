extension XMPPacket {
    /// Returns the texts of the properties of a namespace, by their names without a prefix.
    ///
    /// A property is an attribute, an element with text, or an element with a list of texts.
    func properties(of namespace: String) -> [String: [String]] {
        let prefixes = prefixes(of: [namespace])
        guard !prefixes.isEmpty else { return [:] }
        var found: [String: [String]] = [:]
        // The property's element in which the position is.
        var open: (name: String, texts: [String])?
        var position = 0
        while position < bytes.count {
            guard bytes[position] == UInt8(ascii: "<") else {
                let end = bytes[position...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
                let text = Self.trimmed(bytes[position..<end])
                if !text.isEmpty { open?.texts.append(text) }
                position = end
                continue
            }
            guard let end = endOfTag(from: position) else { return found }
            let tag = XMLTag(bytes[position..<end])
            for attribute in tag.attributes where prefixes.contains(attribute.prefix) {
                found[String(decoding: attribute.localName, as: UTF8.self)] = [attribute.text]
            }
            if prefixes.contains(tag.prefix) {
                switch tag.kind {
                case .opening: open = (String(decoding: tag.localName, as: UTF8.self), [])
                case .closing:
                    if let open { found[open.name] = open.texts }
                    open = nil
                case .empty, .other: break
                }
            }
            position = end
        }
        return found
    }

    /// Returns a packet of descriptions.
    static func wrapped(_ descriptions: String) -> [UInt8] {
        Array(
            """
            <x:xmpmeta xmlns:x="adobe:ns:meta/">\
            <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\(descriptions)</rdf:RDF></x:xmpmeta>
            """.utf8
        )
    }

    /// Returns the packet with another description; `nil` without a place for it.
    func adding(_ description: String) -> [UInt8]? {
        // The element has this prefix by convention, which the properties of RDF share.
        let end = Array("</rdf:RDF>".utf8)
        guard bytes.contains(Array("http://www.w3.org/1999/02/22-rdf-syntax-ns#".utf8)),
            let place = bytes.indices.reversed().first(where: { bytes[$0...].starts(with: end) })
        else { return nil }
        return bytes[..<place] + Array(description.utf8) + bytes[place...]
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> String {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        let tail = text.drop(while: isBlank)
        let end = tail.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? tail.startIndex
        return String(decoding: tail[..<end], as: UTF8.self)
    }
}
