/// `NAME/PATH` in a value: another original that a step needs, below a configured source.
///
/// PATH is written as in the path of a request, and so percent-encoded in itself; a comma in it is `%2C`. Never a URL.
package struct IngredientPath: Hashable, Sendable {
    /// The longest in bytes, as canonical text.
    package static let longest = 1024

    /// One spelling for all that RFC 3986 §6.2.2 holds to be equivalent; commas encoded.
    package let text: String
    /// The same as a request for it would have it, with its commas as they are.
    package let path: RequestPath

    /// Reads `NAME/PATH`, or `/NAME/PATH`.
    ///
    /// - Throws: 400 naming the parameter: a path that no request may have, one without a file's name, `/fetch`.
    package init(parsing parameter: Parameter) throws(RequestError) {
        let bytes = Array(parameter.value.utf8)
        guard let text = Self.canonical(bytes.first == UInt8(ascii: "/") ? bytes.dropFirst() : bytes[...]) else {
            throw parameter.error("has a % that two hexadecimal digits do not follow")
        }
        guard text.utf8.count <= Self.longest else {
            throw parameter.error("names a picture in more than \(Self.longest) bytes")
        }
        let path: RequestPath?
        do {
            path = try RequestPath.parse("/" + text.replacing("%2C", with: ","))
        } catch {
            throw parameter.error("names a picture whose path \(error.reason)")
        }
        guard let path, !path.segments.isEmpty, path.segments.last?.isEmpty == false, path.source != "fetch" else {
            throw parameter.error("must name a picture as SOURCE/PATH")
        }
        self.text = text
        self.path = path
    }

    /// Encodes what may not stand in a path, decodes what need not be encoded; `nil` for a malformed `%`.
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
