/// Media types that origins send (RFC 9110 §8.3.1).
enum MediaType {
    private static let longest = 255
    /// The characters of names besides letters and digits (RFC 6838 §4.2).
    private static let punctuation = Set("!#$&-^_.+".utf8)

    /// Returns a value of `Content-Type` that may be passed on: a type, a subtype, and parameters of printable ASCII characters.
    ///
    /// - Returns: `nil` if the value is malformed or longer than 255 bytes.
    static func valid(_ value: String) -> String? {
        let names = value.prefix { $0 != ";" }.utf8.split(
            separator: UInt8(ascii: "/"),
            omittingEmptySubsequences: false
        )
        guard names.count == 2, names.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isNameCharacter) }),
            value.utf8.count <= longest, value.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { return nil }
        return value
    }

    private static func isNameCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: punctuation.contains(byte)
        }
    }
}
