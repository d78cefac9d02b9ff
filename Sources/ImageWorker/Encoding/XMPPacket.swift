import ImagePlan

/// An XMP packet (ISO 16684-1), for removing what is not true of a result.
///
/// Gain maps, motion photos, depth maps and extended XMP are stored after the image or in segments of their own. References to them
/// would make readers look for them at the wrong place. Results are upright, so that another orientation would turn them.
struct XMPPacket {
    let bytes: [UInt8]

    /// The namespaces of such references.
    private static let referenceNamespaces = [
        GainMapSearch.namespace, "http://ns.apple.com/HDRGainMap/1.0/",
        "http://ns.google.com/photos/1.0/container/", "http://ns.google.com/photos/1.0/container/item/",
        "http://ns.google.com/photos/1.0/camera/", "http://ns.google.com/photos/1.0/depthmap/",
        "http://ns.google.com/photos/1.0/image/", "http://ns.google.com/photos/dd/1.0/device/",
        "http://ns.adobe.com/xmp/note/",
    ]

    /// The namespace of an orientation.
    private static let tiff = "http://ns.adobe.com/tiff/1.0/"

    /// The texts with which a packet begins: its wrapper (ISO 16684-1 §7.3), or its outermost element.
    private static let openings = ["<?xpacket", "<x:xmpmeta", "<rdf:RDF"]

    /// Whether the bytes begin as a packet does, after a byte order mark and white space.
    var isPlausible: Bool {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let marked = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
        let text = marked.drop { [0x09, 0x0A, 0x0D, 0x20].contains($0) }
        return Self.openings.contains { text.starts(with: $0.utf8) }
    }

    /// The packet without elements and attributes of these namespaces and without an orientation; `nil` if it uses them and is malformed.
    var ofResult: [UInt8]? {
        let prefixes = prefixes(of: Self.referenceNamespaces)
        let tiff = self.prefixes(of: [Self.tiff])
        guard !prefixes.isEmpty || !tiff.isEmpty else { return bytes }
        func drops(_ prefix: [UInt8], _ name: [UInt8]) -> Bool {
            prefixes.contains(prefix) || tiff.contains(prefix) && name.elementsEqual("Orientation".utf8)
        }
        var kept: [UInt8] = []
        kept.reserveCapacity(bytes.count)
        var position = 0
        // The depth within a dropped element.
        var dropped = 0
        while position < bytes.count {
            guard bytes[position] == UInt8(ascii: "<") else {
                if dropped == 0 { kept.append(bytes[position]) }
                position += 1
                continue
            }
            guard let end = endOfTag(from: position) else { return nil }
            let tag = XMLTag(bytes[position..<end])
            if dropped > 0 || drops(tag.prefix, tag.localName) {
                switch tag.kind {
                case .opening: dropped += 1
                case .closing:
                    dropped -= 1
                    guard dropped >= 0, dropped > 0 || drops(tag.prefix, tag.localName) else { return nil }
                case .empty, .other: break
                }
            } else {
                kept += tag.without { attribute in
                    let declares = attribute.prefix == Array("xmlns".utf8) && prefixes.contains(attribute.localName)
                    return declares || drops(attribute.prefix, attribute.localName)
                }
            }
            position = end
        }
        return dropped == 0 ? kept : nil
    }

    /// The prefixes bound to some namespaces anywhere in the packet.
    func prefixes(of namespaces: [String]) -> Set<[UInt8]> {
        var prefixes: Set<[UInt8]> = []
        var position = 0
        while let start = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
            guard let end = endOfTag(from: start) else { break }
            for attribute in XMLTag(bytes[start..<end]).attributes
            where attribute.prefix == Array("xmlns".utf8) && namespaces.contains(attribute.text) {
                prefixes.insert(attribute.localName)
            }
            position = end
        }
        return prefixes
    }

    /// Returns the index after the tag, comment or instruction at an index.
    func endOfTag(from start: Int) -> Int? {
        let rest = bytes[start...]
        for (opening, closing) in [("<!--", "-->"), ("<?", "?>"), ("<![CDATA[", "]]>")]
        where rest.starts(with: opening.utf8) {
            var position = start + opening.utf8.count
            while position < bytes.count {
                if bytes[position...].starts(with: closing.utf8) { return position + closing.utf8.count }
                position += 1
            }
            return nil
        }
        var quote: UInt8?
        for position in (start + 1)..<bytes.count {
            let byte = bytes[position]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                return position + 1
            } else if byte == UInt8(ascii: "<") {
                return nil
            }
        }
        return nil
    }
}
