/// The character classes of RFC 9110 §5.6 and RFC 9112 §3, as bitmaps over ASCII.
enum ByteClass {
    /// `tchar` of RFC 9110 §5.6.2: letters, digits and ``!#$%&'*+-.^_`|~``.
    @inline(__always)
    static func isToken(_ byte: UInt8) -> Bool {
        contains(byte, low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE)
    }

    /// A byte permitted in a request target: no controls, space, DEL or `#` (fragments are never sent).
    ///
    /// Bytes from 0x80 are accepted, although RFC 3986 requires percent-encoding: some clients send them raw, and nginx accepts
    /// them, too. The application decides what they mean.
    @inline(__always)
    static func isTarget(_ byte: UInt8) -> Bool { byte > 0x20 && byte != 0x7F && byte != 0x23 }

    /// A byte permitted in a field value: VCHAR, obs-text, SP and HTAB (RFC 9110 §5.5).
    @inline(__always)
    static func isValue(_ byte: UInt8) -> Bool { (byte >= 0x20 && byte != 0x7F) || byte == 0x09 }

    /// A byte permitted in a registered name or an IPv4 address, other than percent-encoding: unreserved and sub-delims (RFC 3986
    /// §3.2.2).
    @inline(__always)
    static func isNameByte(_ byte: UInt8) -> Bool {
        contains(byte, low: 0x2BFF_7FD2_0000_0000, high: 0x47FF_FFFE_87FF_FFFE)
    }

    /// `qdtext` of RFC 9110 §5.6.4: a byte that needs no escape in a quoted string.
    static func isQuotedText(_ byte: UInt8) -> Bool { isValue(byte) && byte != 0x22 && byte != 0x5C }

    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    /// The value of a hexadecimal digit.
    static func hexValue(_ byte: UInt8) -> Int? {
        switch byte {
        case 0x30...0x39: Int(byte) - 0x30
        case 0x41...0x46: Int(byte) - 0x41 + 10
        case 0x61...0x66: Int(byte) - 0x61 + 10
        default: nil
        }
    }

    @inline(__always)
    private static func contains(_ byte: UInt8, low: UInt64, high: UInt64) -> Bool {
        let word = byte < 64 ? low : byte < 128 ? high : 0
        return word >> UInt64(byte & 63) & 1 == 1
    }
}
