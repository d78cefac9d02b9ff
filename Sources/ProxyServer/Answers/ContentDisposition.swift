import HTTPKit

/// `Content-Disposition` (RFC 6266), for `filename` and `download`.
enum ContentDisposition {
    /// The encoded field; empty without `filename` and `download`.
    static func field(filename: String?, download: Bool) -> [UInt8] {
        guard download || filename != nil else { return [] }
        var value = download ? "attachment" : "inline"
        if let filename {
            value += "; filename=\"\(fallback(filename))\""
            if filename.utf8.contains(where: { $0 >= 0x80 || $0 == UInt8(ascii: "%") }) {
                value += "; filename*=UTF-8''\(extended(filename))"
            }
        }
        var block = FieldBlock()
        block.append("Content-Disposition", value)
        return block.bytes
    }

    /// The name in ASCII for clients without RFC 8187; characters that a quoted string cannot contain become `_`.
    private static func fallback(_ name: String) -> String {
        String(
            name.unicodeScalars.map { scalar in
                let isPlain = (0x20..<0x7F).contains(scalar.value) && !["\"", "\\", "%"].contains(scalar)
                return isPlain ? Character(scalar) : "_"
            }
        )
    }

    /// The name as an extended value (RFC 8187 §3.2.1).
    private static func extended(_ name: String) -> String {
        let digits = Array("0123456789ABCDEF")
        return name.utf8.reduce(into: "") { text, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                text.append("%")
                text.append(digits[Int(byte >> 4)])
                text.append(digits[Int(byte & 15)])
            }
        }
    }
}
