/// Percent-encoding of octets (RFC 3986 §2.1).
package enum PercentEncoding {
    /// Whether a byte is a letter, a digit, or one of `-._~` (RFC 3986 §2.3).
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// Appends `%XX`, with digits in upper case.
    package static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "%"))
        bytes.append(HexDigits.upper(byte >> 4))
        bytes.append(HexDigits.upper(byte & 15))
    }

    /// Encodes every byte that does not satisfy a condition.
    package static func encode(_ bytes: some Sequence<UInt8>, except isKept: (UInt8) -> Bool) -> String {
        var result: [UInt8] = []
        for byte in bytes {
            if isKept(byte) { result.append(byte) } else { append(byte, to: &result) }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Decodes; a `%` that is not followed by two hexadecimal digits is kept.
    package static func decode(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let bytes = Array(bytes)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if let octet = octet(bytes[index...]) {
                result.append(octet)
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }

    /// Decodes; `nil` if a `%` is not followed by two hexadecimal digits.
    package static func decodeStrictly(_ bytes: some Sequence<UInt8>) -> [UInt8]? {
        let bytes = Array(bytes)
        for index in bytes.indices where bytes[index] == UInt8(ascii: "%") {
            guard octet(bytes[index...]) != nil else { return nil }
        }
        return decode(bytes)
    }

    /// The octet encoded by `%XX` at the start of the bytes; `nil` if they start with anything else.
    static func octet(_ bytes: ArraySlice<UInt8>) -> UInt8? {
        let start = bytes.startIndex
        guard bytes.count >= 3, bytes[start] == UInt8(ascii: "%"), let high = HexDigits.value(bytes[start + 1]),
            let low = HexDigits.value(bytes[start + 2])
        else { return nil }
        return high << 4 | low
    }
}
