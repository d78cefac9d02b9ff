/// Removes scripts, event handlers and external references from an SVG document.
///
/// Works from a list of elements to keep: others are dropped with their content, including metadata, foreign content and elements
/// of other vocabularies. References are kept if they point into the document or are data of a raster image. Comments, processing
/// instructions and the document type are dropped. Entities that contain plain text are replaced first, because drawing programs
/// declare them for namespaces; a document that refers to any other entity is refused.
struct SVGCleaner {
    private var bytes: [UInt8]
    private var position = 0
    private var cleaned: [UInt8] = []
    /// The names of the open elements that are kept.
    private var open: [[UInt8]] = []
    /// The names of the open elements within a dropped one, which is the first.
    private var dropped: [[UInt8]] = []
    /// The start of the text of an open `style` element in `cleaned`.
    private var styleStart: Int?

    /// The maximum nesting of elements.
    private static let deepest = 1024
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    /// The names of root elements that are detected as SVG.
    private static let roots = [Array("svg".utf8), Array("svg:svg".utf8)]

    /// Returns the cleaned document.
    ///
    /// - Throws: `MetadataCleaner.Stop.broken` for a malformed document, or one that refers to entities other than plain text.
    static func clean(_ bytes: Span<UInt8>) throws(MetadataCleaner.Stop) -> [UInt8] {
        var cleaner = SVGCleaner(bytes: unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) })
        try cleaner.run()
        return cleaner.cleaned
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func run() throws(MetadataCleaner.Stop) {
        guard String(utf8: bytes) != nil else { throw .broken("the markup is not UTF-8") }
        if bytes.starts(with: Self.byteOrderMark) { position = Self.byteOrderMark.count }
        while position < bytes.count {
            guard bytes[position] == UInt8(ascii: "<") else {
                try takeText()
                continue
            }
            if skip("<!--", through: "-->") || skip("<?", through: "?>") { continue }
            if has("<![CDATA[") {
                try takeCharacterData()
            } else if has("<!") {
                try skipDocumentType()
            } else if has("</") {
                try takeClosing()
            } else {
                try takeOpening()
            }
        }
        guard open.isEmpty, dropped.isEmpty, !cleaned.isEmpty else { throw .broken("the markup is truncated") }
    }

    // MARK: Text

    private mutating func takeText() throws(MetadataCleaner.Stop) {
        let end = bytes[position...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
        if dropped.isEmpty, !open.isEmpty {
            guard SVGTag.decoded(bytes[position..<end]) != nil else { throw .broken("an entity is not plain text") }
            cleaned += bytes[position..<end]
        }
        position = end
    }

    private mutating func takeCharacterData() throws(MetadataCleaner.Stop) {
        let start = position + "<![CDATA[".utf8.count
        guard let end = index(of: "]]>", from: start) else { throw .broken("the markup is truncated") }
        if dropped.isEmpty, !open.isEmpty {
            // Written as text, so that only one form has to be checked.
            for byte in bytes[start..<end] { cleaned += Self.escaped(byte) }
        }
        position = end + 3
    }

    private static func escaped(_ byte: UInt8) -> [UInt8] {
        switch byte {
        case UInt8(ascii: "<"): Array("&lt;".utf8)
        case UInt8(ascii: ">"): Array("&gt;".utf8)
        case UInt8(ascii: "&"): Array("&amp;".utf8)
        default: [byte]
        }
    }

    /// Skips the document type and replaces the entities that it declares in the rest of the document.
    private mutating func skipDocumentType() throws(MetadataCleaner.Stop) {
        guard let type = SVGDocumentType(bytes, at: position) else { throw .broken("the document type is malformed") }
        guard open.isEmpty, cleaned.isEmpty else { throw .broken("the document has a document type inside an element") }
        position = type.end
        guard !type.entities.isEmpty else { return }
        guard let replaced = type.replaced(in: bytes[position...]) else { throw .broken("the entities are too long") }
        (bytes, position) = (replaced, 0)
    }

    // MARK: Elements

    private mutating func takeOpening() throws(MetadataCleaner.Stop) {
        guard let end = SVGTag.end(in: bytes, from: position) else { throw .broken("a tag is not closed") }
        guard let tag = SVGTag(bytes[position..<end]) else { throw .broken("a tag is malformed") }
        position = end
        guard open.count + dropped.count < Self.deepest else { throw .broken("elements are nested too deeply") }
        guard dropped.isEmpty, tag.isKept, styleStart == nil else {
            if !tag.isEmpty { dropped.append(tag.name) }
            return
        }
        // Detection reads a malformed document type differently, and may have found another root.
        guard !cleaned.isEmpty || Self.roots.contains(tag.name) else { throw .broken("the root is not svg") }
        cleaned += tag.cleaned
        guard !tag.isEmpty else { return }
        open.append(tag.name)
        if tag.localName == "style" { styleStart = cleaned.count }
    }

    private mutating func takeClosing() throws(MetadataCleaner.Stop) {
        guard let end = bytes[position...].firstIndex(of: UInt8(ascii: ">")) else {
            throw .broken("a tag is not closed")
        }
        var name = Array(bytes[(position + 2)..<end])
        while let last = name.last, SVGTag.isBlank(last) { name.removeLast() }
        position = end + 1
        if !dropped.isEmpty {
            guard dropped.removeLast() == name else { throw .broken("a closing tag does not match") }
            return
        }
        guard let opened = open.popLast(), opened == name else { throw .broken("a closing tag does not match") }
        if let start = styleStart {
            let sheet = SVGTag.decoded(cleaned[start...])
            if !(sheet.map(SVGReference.isSafe(style:)) ?? false) { cleaned.removeSubrange(start...) }
            styleStart = nil
        }
        cleaned += Array("</".utf8) + name + [UInt8(ascii: ">")]
    }

    // MARK: Scanning

    private func has(_ text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

    private func index(of text: String, from start: Int) -> Int? {
        let wanted = Array(text.utf8)
        var index = start
        while let next = bytes[index...].firstIndex(of: wanted[0]) {
            if bytes[next...].starts(with: wanted) { return next }
            index = next + 1
        }
        return nil
    }

    /// Skips a construct up to its end, or up to the end of the document.
    private mutating func skip(_ opening: String, through closing: String) -> Bool {
        guard has(opening) else { return false }
        let end = index(of: closing, from: position + opening.utf8.count)
        position = end.map { $0 + closing.utf8.count } ?? bytes.count
        return true
    }
}
