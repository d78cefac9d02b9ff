/// The normal form of an `Accept-Language` value (RFC 9110 §12.5.4).
///
/// Two values have the same form if they give the same language ranges the same weights. Their order and case do not matter:
/// RFC 9110 §12.5.4 makes the weight, and not the place in the list, the preference.
struct LanguagePreferences {
    /// The ranges in lower case, with their weights unless these are 1, in alphabetical order.
    let text: String

    /// Parses a value; `nil` if a member is no language range with a weight.
    init?(_ value: String) {
        var members: [String] = []
        for member in value.utf8.split(separator: UInt8(ascii: ",")) {
            let trimmed = Self.trim(member)
            guard !trimmed.isEmpty else { continue }
            guard let normal = Self.normal(trimmed) else { return nil }
            members.append(normal)
        }
        text = members.sorted().joined(separator: ",")
    }

    private typealias Bytes = Substring.UTF8View.SubSequence

    private static func trim(_ text: Bytes) -> Bytes {
        var text = text.drop { $0 == 0x20 || $0 == 0x09 }
        while let last = text.last, last == 0x20 || last == 0x09 { text.removeLast() }
        return text
    }

    /// Returns the normal form of one member; `nil` if it is malformed.
    private static func normal(_ member: Bytes) -> String? {
        let parts = member.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        guard parts.count <= 2, let range = languageRange(trim(parts[0])) else { return nil }
        guard parts.count == 2 else { return range }
        guard let weight = weight(trim(parts[1])) else { return nil }
        return weight == 1000 ? range : "\(range);q=\(weight)"
    }

    /// Returns a language range in lower case (RFC 4647 §2.1); `nil` if it is malformed.
    private static func languageRange(_ text: Bytes) -> String? {
        let subtags = text.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        let isSound = subtags.allSatisfy { subtag in
            (1...8).contains(subtag.count)
                && subtag.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "*") }
        }
        return isSound ? String(decoding: text, as: UTF8.self).lowercased() : nil
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    /// Returns a weight such as `q=0.5` in thousandths (RFC 9110 §12.4.2); `nil` if it is malformed.
    private static func weight(_ text: Bytes) -> Int? {
        let text = Array(text)
        guard (3...7).contains(text.count), text[0] | 0x20 == UInt8(ascii: "q"), text[1] == UInt8(ascii: "="),
            text[2] == UInt8(ascii: "0") || text[2] == UInt8(ascii: "1"),
            text.count == 3 || text[3] == UInt8(ascii: ".")
        else { return nil }
        let digits = text.dropFirst(4)
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let scale = [1000, 100, 10, 1]
        var weight = Int(text[2] - 0x30) * scale[0]
        for (place, digit) in digits.enumerated() { weight += Int(digit - 0x30) * scale[place + 1] }
        return weight <= 1000 ? weight : nil
    }
}
