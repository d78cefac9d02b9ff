/// Hexadecimal digits in ASCII.
enum HexDigits {
    /// The digit of a value from 0 to 15, `A` to `F` in upper case.
    static func upper(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    /// The digit of a value from 0 to 15, `a` to `f` in lower case.
    static func lower(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    /// The value of a digit in either case; `nil` for any other byte.
    static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

// Not of Sequence: generic code is not specialised in other modules, and every cache key is written this way.
extension [UInt8] {
    /// Two lower-case hexadecimal digits for each byte.
    package var hexText: String {
        unsafe String(unsafeUninitializedCapacity: 2 * count) { text in
            for index in indices {
                unsafe text.initializeElement(at: 2 * index, to: HexDigits.lower(self[index] >> 4))
                unsafe text.initializeElement(at: 2 * index + 1, to: HexDigits.lower(self[index] & 15))
            }
            return 2 * count
        }
    }

    /// Decodes pairs of hexadecimal digits in either case; `nil` for anything else.
    package init?(hexadecimal text: String) {
        let digits = text.utf8.compactMap { HexDigits.value($0) }
        guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
        self = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
