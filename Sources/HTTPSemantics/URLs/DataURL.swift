/// A `data:` URL (RFC 2397): content within a URL.
///
/// Parsed as browsers do (WHATWG Fetch, "data: URL processor"): a fragment is dropped, a `%` that two hexadecimal digits do not
/// follow stays, and blanks within Base64 are skipped.
package struct DataURL: Hashable, Sendable {
    /// The media type as written; `text/plain;charset=US-ASCII` if there is none.
    package let mediaType: String
    /// The decoded content.
    package let bytes: [UInt8]

    /// Creates the URL of content with a media type.
    package init(mediaType: String, bytes: [UInt8]) {
        self.mediaType = mediaType
        self.bytes = bytes
    }

    /// The reason why a text is not a `data:` URL.
    package enum Defect: String, Error, Hashable, Sendable {
        case scheme
        /// Without the comma before the content.
        case comma
        /// Content with `;base64` that is not Base64.
        case base64

        /// The problem, as a clause without a subject.
        package var reason: String {
            switch self {
            case .scheme: "does not begin with data:"
            case .comma: "has no comma before its content, as in data:image/png;base64,iVBOR…"
            case .base64: "has content that is not valid Base64"
            }
        }
    }

    private static let scheme = Array("data:".utf8)
    private static let standardType = "text/plain;charset=US-ASCII"

    /// Whether a text begins with `data:`, in any case.
    package static func isOne(_ text: String) -> Bool {
        text.utf8.prefix(scheme.count).elementsEqual(scheme) { $0 | 0x20 == $1 | 0x20 }
    }

    /// Parses a URL.
    ///
    /// - Throws: the problem of the URL.
    package init(_ text: String) throws(Defect) {
        guard Self.isOne(text) else { throw .scheme }
        let rest = text.utf8.dropFirst(Self.scheme.count).prefix { $0 != UInt8(ascii: "#") }
        guard let comma = rest.firstIndex(of: UInt8(ascii: ",")) else { throw .comma }
        var type = String(decoding: Array(rest[..<comma]), as: UTF8.self).lowercased()
        let content = PercentEncoding.decode(rest[rest.index(after: comma)...])
        if let head = Self.beforeBase64(type) {
            type = head
            guard let decoded = Base64Decoder.decode(content, .standard, skipsBlanks: true) else { throw .base64 }
            bytes = decoded
        } else {
            bytes = content
        }
        if type.hasPrefix(";") { type = "text/plain" + type }
        // It becomes a field's value.
        let isSound = type.contains("/") && type.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        mediaType = isSound ? type : Self.standardType
    }

    /// The media type before `;base64`, around which blanks are allowed; `nil` without it.
    private static func beforeBase64(_ type: String) -> String? {
        var rest = type[...]
        while rest.last == " " { rest.removeLast() }
        guard rest.hasSuffix("base64") else { return nil }
        rest.removeLast("base64".count)
        while rest.last == " " { rest.removeLast() }
        guard rest.popLast() == ";" else { return nil }
        while rest.last == " " { rest.removeLast() }
        return String(rest)
    }

    /// The URL without its content, for people.
    package var summary: String { "data:\(mediaType), \(bytes.count) bytes" }
}
