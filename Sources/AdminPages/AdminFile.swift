/// A file of the web application, as it is sent.
package struct AdminFile: Sendable {
    package let bytes: [UInt8]
    /// The media type.
    package let type: String
    /// A strong entity tag of the bytes, with its quotes (RFC 9110 §8.8.3).
    package let entityTag: String
    /// Whether the file is sent without a token: the page that asks for the token needs it.
    package let isOpen: Bool

    init(_ bytes: [UInt8], _ type: String, isOpen: Bool = false) {
        self.bytes = bytes
        self.type = type
        self.isOpen = isOpen
        entityTag = "\"\(String(Self.digest(of: bytes), radix: 16))-\(bytes.count)\""
    }

    /// FNV-1a with 64 bits: distinguishes releases of a file, and need not resist an attacker.
    private static func digest(of bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
