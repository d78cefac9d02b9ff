/// The one spelling of paths and queries that AWS Signature Version 4 signs ("UriEncode" of its documentation).
///
/// Letters, digits, `-`, `.`, `_` and `~` stand for themselves (RFC 3986 §2.3), all other bytes are `%XX` in upper case.
enum AWSEncoding {
    /// Undoes percent-encoding; a `%` without two digits behind it stays.
    static func decode(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let bytes = Array(bytes)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = digit(bytes[index + 1]),
                let low = digit(bytes[index + 2])
            {
                result.append(high << 4 | low)
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }

    /// A decoded path; slashes stay.
    static func path(_ bytes: some Sequence<UInt8>) -> String { encode(bytes, keepsSlashes: true) }

    /// A raw query with each name and value in that spelling, in the order given; what is in it stays apart by `&` and `=`.
    static func query(_ raw: String) -> String {
        pairs(raw).map { pair in pair.value.map { "\(pair.name)=\($0)" } ?? pair.name }.joined(separator: "&")
    }

    /// A raw query as it is signed: by name, then by value, each name with its `=`.
    static func canonicalQuery(_ raw: String) -> String {
        pairs(raw).map { (name: $0.name, value: $0.value ?? "") }
            .sorted { ($0.name, $0.value) < ($1.name, $1.value) }
            .map { "\($0.name)=\($0.value)" }
            .joined(separator: "&")
    }

    private static func pairs(_ raw: String) -> [(name: String, value: String?)] {
        raw.utf8.split(separator: UInt8(ascii: "&")).map { pair in
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let texts = parts.map { encode(decode($0), keepsSlashes: false) }
            return (texts.first ?? "", texts.count > 1 ? texts[1] : nil)
        }
    }

    private static func encode(_ bytes: some Sequence<UInt8>, keepsSlashes: Bool) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var result: [UInt8] = []
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                result.append(byte)
            case UInt8(ascii: "/") where keepsSlashes: result.append(byte)
            case _ where "-._~".utf8.contains(byte): result.append(byte)
            default: result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 48...57: byte - 48
        case 65...70: byte - 55
        case 97...102: byte - 87
        default: nil
        }
    }
}
