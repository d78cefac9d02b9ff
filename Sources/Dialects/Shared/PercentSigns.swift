import ImagePlan

extension PercentCoding {
    /// A raw path of a request: what no path can have (RFC 3986 §3.3) is encoded, and what is encoded stays.
    static func encodedPath(_ raw: some Sequence<UInt8>) -> String {
        encoded(raw) { isPathByte($0) || $0 == UInt8(ascii: "%") }
    }

    /// A decoded path in percent-encoding; slashes stay.
    static func encodedPath(decoded path: some Sequence<UInt8>) -> String { encoded(path, isPathByte) }

    private static func encoded(_ path: some Sequence<UInt8>, _ isPlain: (UInt8) -> Bool) -> String {
        var bytes: [UInt8] = []
        for byte in path {
            if isPlain(byte) { bytes.append(byte) } else { append(byte, to: &bytes) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Percent signs that encode nothing, of which other servers are tolerant.
extension PercentCoding {
    /// Whether two hexadecimal digits follow each `%`.
    static func isWellFormed(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.indices.allSatisfy { bytes[$0] != UInt8(ascii: "%") || isEscape(at: $0, of: bytes) }
    }

    /// The bytes with `%25` for each `%` that encodes nothing.
    static func repaired(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        bytes.indices.flatMap { index in
            bytes[index] == UInt8(ascii: "%") && !isEscape(at: index, of: bytes) ? Array("%25".utf8) : [bytes[index]]
        }
    }

    /// The bytes with `%25` for each `%`, so that they stand for themselves.
    static func literal(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        bytes.flatMap { $0 == UInt8(ascii: "%") ? Array("%25".utf8) : [$0] }
    }

    private static func isEscape(at index: Int, of bytes: ArraySlice<UInt8>) -> Bool {
        let digits = bytes[(index + 1)...].prefix(2)
        return digits.count == 2 && digits.allSatisfy { $0.hexadecimalValue != nil }
    }
}
