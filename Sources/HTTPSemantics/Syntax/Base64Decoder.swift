/// Decodes Base64 (RFC 4648 §4) and base64url (§5), piece by piece.
///
/// Padding may be missing. Padding in the middle, other characters and bits that no byte would have produced are errors.
package struct Base64Decoder: Sendable {
    /// The characters that stand for 62 and 63.
    package enum Alphabet: Sendable {
        /// `+` and `/`.
        case standard
        /// `-` and `_`.
        case url
        /// Both.
        case any
    }

    private let alphabet: Alphabet
    /// Whether blanks and line ends are skipped, as in files with lines of 76 characters.
    private let skipsBlanks: Bool
    private var bits: UInt32 = 0
    /// The number of characters of the current group of four.
    private var characters = 0
    private var padding = 0
    private var isValid = true

    /// Creates a decoder.
    package init(_ alphabet: Alphabet = .any, skipsBlanks: Bool = false) {
        self.alphabet = alphabet
        self.skipsBlanks = skipsBlanks
    }

    /// Decodes a whole text; `nil` if it is invalid.
    package static func decode(
        _ text: some Sequence<UInt8>,
        _ alphabet: Alphabet = .any,
        skipsBlanks: Bool = false
    ) -> [UInt8]? {
        var decoder = Base64Decoder(alphabet, skipsBlanks: skipsBlanks)
        var bytes: [UInt8] = []
        for character in text where !decoder.decode(character, into: &bytes) { return nil }
        return decoder.finish() ? bytes : nil
    }

    /// Decodes one character and appends the bytes that it completes.
    ///
    /// - Returns: `false` if the text is invalid, which it then stays.
    package mutating func decode(_ character: UInt8, into bytes: inout [UInt8]) -> Bool {
        guard isValid else { return false }
        if let value = value(of: character), padding == 0 {
            bits = bits << 6 | value
            characters += 1
            if characters == 4 { flush(into: &bytes) } else if characters > 1 { append(into: &bytes) }
        } else if character == UInt8(ascii: "="), padding < 2, padding > 0 || characters > 1 {
            padding += 1
        } else {
            isValid = skipsBlanks && [0x20, 0x09, 0x0A, 0x0D, 0x0C].contains(character)
        }
        return isValid
    }

    /// Ends the text; `false` if it is invalid.
    package func finish() -> Bool {
        guard isValid, characters != 1, padding == 0 || characters + padding == 4 else { return false }
        // The bits that are left over must be zero (RFC 4648 §3.5).
        return bits & (characters == 2 ? 0xF : characters == 3 ? 0x3 : 0) == 0
    }

    private mutating func append(into bytes: inout [UInt8]) {
        bytes.append(UInt8(truncatingIfNeeded: characters == 2 ? bits >> 4 : bits >> 2))
    }

    private mutating func flush(into bytes: inout [UInt8]) {
        bytes.append(UInt8(truncatingIfNeeded: bits))
        (bits, characters) = (0, 0)
    }

    private func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character) - 71
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character) + 4
        case UInt8(ascii: "+") where alphabet != .url: 62
        case UInt8(ascii: "/") where alphabet != .url: 63
        case UInt8(ascii: "-") where alphabet != .standard: 62
        case UInt8(ascii: "_") where alphabet != .standard: 63
        default: nil
        }
    }
}
