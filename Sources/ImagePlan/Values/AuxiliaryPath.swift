/// The path of an auxiliary image, `NAME/PATH`, below a configured source; never a URL.
///
/// PATH is written as in a request path, percent-encoded within the parameter's value; a comma in it is `%2C`.
package struct AuxiliaryPath: Hashable, Sendable {
    /// The longest path in bytes, in canonical form.
    package static let longest = 1024

    /// The canonical form of all spellings equivalent under RFC 3986 §6.2.2, with commas encoded.
    package let text: String
    /// The same path as in a request for the image itself, with plain commas.
    package let path: RequestPath

    /// Parses `NAME/PATH` or `/NAME/PATH`.
    ///
    /// - Throws: 400, naming the parameter, for an invalid path, one without a file name, or `/fetch`.
    package init(parsing parameter: Parameter) throws(RequestError) {
        let bytes = Array(parameter.value.utf8)
        guard let text = Self.canonical(bytes.first == UInt8(ascii: "/") ? bytes.dropFirst() : bytes[...]) else {
            throw parameter.error("has a % that is not followed by two hexadecimal digits")
        }
        guard text.utf8.count <= Self.longest else {
            throw parameter.error("names an image with a path longer than \(Self.longest) bytes")
        }
        let path: RequestPath?
        do {
            path = try RequestPath.parse("/" + text.replacing("%2C", with: ","))
        } catch {
            throw parameter.error("names an image whose path \(error.reason)")
        }
        guard let path, !path.segments.isEmpty, path.segments.last?.isEmpty == false, path.source != "fetch" else {
            throw parameter.error("must name an image as SOURCE/PATH")
        }
        self.text = text
        self.path = path
    }

    /// Normalises percent-encoding: encodes bytes not allowed in a path, decodes unreserved ones; `nil` for a malformed `%`.
    private static func canonical(_ bytes: ArraySlice<UInt8>) -> String? {
        var result: [UInt8] = []
        var index = bytes.startIndex
        while index < bytes.endIndex {
            var byte = bytes[index]
            var isEncoded = false
            index += 1
            if byte == UInt8(ascii: "%") {
                guard index + 1 < bytes.endIndex, let high = bytes[index].hexadecimalValue,
                    let low = bytes[index + 1].hexadecimalValue
                else { return nil }
                byte = high << 4 | low
                isEncoded = true
                index += 2
            }
            let isPlain = byte.isURLUnreserved || !isEncoded && "/!$&'()*+;=:@".utf8.contains(byte)
            if isPlain { result.append(byte) } else { PercentCoding.append(byte, to: &result) }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
