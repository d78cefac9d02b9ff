import ImagePlan

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
