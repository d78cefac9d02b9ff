/// Host and port of a URL (RFC 3986 §3.2), stricter than the RFC: nothing that two parsers could read as two hosts.
struct URLAuthority {
    let host: String
    let port: Int?

    /// DNS's own bound.
    private static let longestHost = 253

    /// Reads `host`, `host:port`, `[v6]` or `[v6]:port`; `nil` for anything else.
    init?(_ bytes: ArraySlice<UInt8>) {
        let hostEnd: Int
        if bytes.first == UInt8(ascii: "[") {
            guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")),
                Self.isIPv6(bytes[(bytes.startIndex + 1)..<bracket])
            else { return nil }
            hostEnd = bracket + 1
        } else {
            hostEnd = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
            guard Self.isName(bytes[..<hostEnd]) else { return nil }
        }
        host = String(decoding: bytes[..<hostEnd].map(\.asciiLowercased), as: UTF8.self)
        guard hostEnd < bytes.endIndex else {
            port = nil
            return
        }
        guard bytes[hostEnd] == UInt8(ascii: ":") else { return nil }
        let digits = bytes[(hostEnd + 1)...]
        // RFC 3986 §6.2.3: an empty port is the default one.
        if digits.isEmpty {
            port = nil
            return
        }
        guard digits.count <= 5, digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
            let number = Int(String(decoding: digits, as: UTF8.self)), (1...65_535).contains(number)
        else { return nil }
        port = number
    }

    /// Letters, digits, `-`, `_` and single dots: what DNS names and IPv4 addresses are made of; no percent-encoding, no Unicode.
    private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard !bytes.isEmpty, bytes.count <= longestHost, bytes.first != UInt8(ascii: ".") else { return false }
        var previous: UInt8 = 0
        for byte in bytes {
            guard byte.isURLUnreserved, byte != UInt8(ascii: "~") else { return false }
            if byte == UInt8(ascii: "."), previous == byte { return false }
            previous = byte
        }
        return true
    }

    /// Hexadecimal digits, colons and dots; no zone: whether they make an address is the resolver's to say.
    private static func isIPv6(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count >= 2 && bytes.count <= 45 && bytes.contains(UInt8(ascii: ":"))
            && bytes.allSatisfy { $0.hexadecimalValue != nil || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }
    }
}
