/// Percent-encoding (RFC 3986 §2.1) of query values and path segments.
package enum PercentCoding {
    /// The reason bytes cannot be decoded, as a clause for an error message.
    package struct Failure: Error, Hashable, Sendable {
        package let reason: String
    }

    /// Decodes once; rejects a malformed `%`, control characters (including NUL) and invalid UTF-8, plain or encoded.
    ///
    /// `+` stays a plus.
    package static func decode(_ bytes: ArraySlice<UInt8>) throws(Failure) -> String {
        // The common case: nothing to decode or check.
        if bytes.allSatisfy({ (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "%") }) {
            return String(decoding: bytes, as: UTF8.self)
        }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            var byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "%") {
                guard index + 1 < bytes.endIndex, let high = bytes[index].hexadecimalValue,
                    let low = bytes[index + 1].hexadecimalValue
                else {
                    throw Failure(reason: "has a % that is not followed by two hexadecimal digits")
                }
                byte = high << 4 | low
                index += 2
            }
            if byte.isASCIIControl { throw Failure(reason: "has a control character") }
            decoded.append(byte)
        }
        guard let text = String(utf8: decoded) else { throw Failure(reason: "is not valid UTF-8") }
        // C1 controls take two bytes in UTF-8.
        guard !text.unicodeScalars.contains(where: { (0x80...0x9F).contains($0.value) }) else {
            throw Failure(reason: "has a control character")
        }
        return text
    }

    /// A query value in canonical form: everything except unreserved characters, `,` and `:` is encoded.
    package static func encodedValue(_ value: String) -> String {
        if value.utf8.allSatisfy(isPlain) { return value }
        var bytes: [UInt8] = []
        for byte in value.utf8 {
            if isPlain(byte) {
                bytes.append(byte)
            } else {
                append(byte, to: &bytes)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isURLUnreserved || byte == UInt8(ascii: ",") || byte == UInt8(ascii: ":")
    }

    /// Whether a byte stands for itself in a path (RFC 3986 §3.3), slashes included.
    package static func isPathByte(_ byte: UInt8) -> Bool {
        byte.isURLUnreserved || "/!$&'()*+,;=:@".utf8.contains(byte)
    }

    /// Appends `%XX`.
    package static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "%"))
        bytes.append(.uppercaseHexadecimalDigit(byte >> 4))
        bytes.append(.uppercaseHexadecimalDigit(byte & 15))
    }
}
