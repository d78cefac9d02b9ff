/// Detects SVG: text whose first element is `svg`, after an optional byte order mark, declarations, comments and a document type.
///
/// UTF-16 is not supported.
enum SVGMarkup {
    /// The number of bytes within which the element must start.
    private static let decisiveBytes = 64 << 10

    static func detect(_ bytes: Span<UInt8>, of total: Int) -> ImageSniffer.Detection {
        let limit = min(bytes.count, decisiveBytes)
        let inconclusive: ImageSniffer.Detection = bytes.count < min(total, decisiveBytes) ? .undecided : .none
        var index = bytes.has(bytes: [0xEF, 0xBB, 0xBF], at: 0) ? 3 : 0
        while true {
            while index < limit, isBlank(bytes[index]) { index += 1 }
            // The longest keyword must be within the limit.
            guard index + 9 <= limit else {
                return index < limit && bytes[index] != UInt8(ascii: "<")
                    ? .none : endDecision(bytes, index, inconclusive)
            }
            guard bytes[index] == UInt8(ascii: "<") else { return .none }
            var end: Int?
            if bytes.has("<?", at: index) {
                end = self.end(of: "?>", in: bytes, from: index + 2, limit)
            } else if bytes.has("<!--", at: index) {
                end = self.end(of: "-->", in: bytes, from: index + 4, limit)
            } else if bytes.has("<!DOCTYPE", at: index) || bytes.has("<!doctype", at: index) {
                end = endOfDocumentType(in: bytes, from: index + 9, limit)
            } else {
                return isRoot(bytes, at: index) ? .format(.svg) : .none
            }
            guard let end else { return inconclusive }
            index = end
        }
    }

    /// The decision when fewer than nine bytes follow the declarations.
    private static func endDecision(
        _ bytes: Span<UInt8>,
        _ index: Int,
        _ inconclusive: ImageSniffer.Detection
    ) -> ImageSniffer.Detection {
        inconclusive == .none && isRoot(bytes, at: index) ? .format(.svg) : inconclusive
    }

    /// `<svg` or `<svg:svg` and the end of the name.
    private static func isRoot(_ bytes: Span<UInt8>, at index: Int) -> Bool {
        let name = bytes.has("<svg:svg", at: index) ? index + 8 : index + 4
        guard bytes.has("<svg", at: index), name < bytes.count else { return false }
        return isBlank(bytes[name]) || bytes[name] == UInt8(ascii: ">") || bytes[name] == UInt8(ascii: "/")
    }

    /// The index after the next occurrence of a word.
    private static func end(of word: String, in bytes: Span<UInt8>, from start: Int, _ limit: Int) -> Int? {
        var index = start
        while index + word.utf8.count <= limit {
            if bytes.has(word, at: index) { return index + word.utf8.count }
            index += 1
        }
        return nil
    }

    /// The index after a document type, whose internal subset is in brackets.
    private static func endOfDocumentType(in bytes: Span<UInt8>, from start: Int, _ limit: Int) -> Int? {
        var index = start
        var inSubset = false
        while index < limit {
            switch bytes[index] {
            case UInt8(ascii: "["): inSubset = true
            case UInt8(ascii: "]"): inSubset = false
            case UInt8(ascii: ">") where !inSubset: return index + 1
            default: break
            }
            index += 1
        }
        return nil
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}
