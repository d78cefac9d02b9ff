/// Path and query of a URL, as given and in normal form.
struct URLTarget {
    let asGiven: String
    let normal: String

    /// Takes everything between authority and fragment; `nil` where a `%` is malformed.
    init?(_ bytes: ArraySlice<UInt8>) {
        let path = bytes.prefix { $0 != UInt8(ascii: "?") }
        let query = bytes[path.endIndex...]
        guard let pathForms = Self.forms(of: path), let queryForms = Self.forms(of: query) else { return nil }
        // RFC 3986 §6.2.3: an empty path is "/".
        let givenPath = pathForms.given.isEmpty ? [UInt8(ascii: "/")] : pathForms.given
        asGiven = String(decoding: givenPath + queryForms.given, as: UTF8.self)
        normal = String(decoding: Self.withoutDotSegments(pathForms.normal) + queryForms.normal, as: UTF8.self)
    }

    /// The bytes with those encoded that no URL may hold; and, in normal form, unreserved ones decoded and digits in capitals.
    private static func forms(of bytes: ArraySlice<UInt8>) -> (given: [UInt8], normal: [UInt8])? {
        var given: [UInt8] = []
        var normal: [UInt8] = []
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            if byte == UInt8(ascii: "%") {
                guard index + 2 < bytes.endIndex, let high = bytes[index + 1].hexadecimalValue,
                    let low = bytes[index + 2].hexadecimalValue
                else { return nil }
                given += bytes[index...index + 2]
                // RFC 3986 §6.2.2.2 and §6.2.2.1.
                let decoded = high << 4 | low
                if decoded.isURLUnreserved {
                    normal.append(decoded)
                } else {
                    PercentCoding.append(decoded, to: &normal)
                }
                index += 3
                continue
            }
            if isAllowed(byte) {
                given.append(byte)
                normal.append(byte)
            } else {
                PercentCoding.append(byte, to: &given)
                PercentCoding.append(byte, to: &normal)
            }
            index += 1
        }
        return (given, normal)
    }

    /// RFC 3986 §2.2 and §2.3; brackets too, which everybody writes in queries.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte.isURLUnreserved || "!$&'()*+,;=:@/?[]".utf8.contains(byte)
    }

    /// RFC 3986 §6.2.2.3, §5.2.4: `.` and `..` resolved; what would leave the root stays at the root.
    private static func withoutDotSegments(_ path: [UInt8]) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        var kept: [ArraySlice<UInt8>] = []
        let segments = path.dropFirst().split(separator: slash, omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch Array(segment) {
            case [UInt8(ascii: ".")]:
                if isLast { kept.append([]) }
            case [UInt8(ascii: "."), UInt8(ascii: ".")]:
                _ = kept.popLast()
                if isLast { kept.append([]) }
            default:
                kept.append(segment)
            }
        }
        return [slash] + Array(kept.joined(separator: [slash]))
    }
}
