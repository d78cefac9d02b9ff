/// Path and query of a URL, as given and in normal form.
struct URLTarget {
    let asGiven: String
    let normal: String

    /// Parses everything between authority and fragment; `nil` if a `%` is malformed.
    ///
    /// - Parameter allowsStrayPercent: whether a malformed `%` stays as it is.
    init?(_ bytes: ArraySlice<UInt8>, allowsStrayPercent: Bool) {
        let path = bytes.prefix { $0 != UInt8(ascii: "?") }
        let query = bytes[path.endIndex...]
        guard let pathForms = Self.forms(of: path, allowsStrayPercent),
            let queryForms = Self.forms(of: query, allowsStrayPercent)
        else { return nil }
        // RFC 3986 §6.2.3: an empty path is "/".
        let givenPath = pathForms.given.isEmpty ? [UInt8(ascii: "/")] : pathForms.given
        let given = givenPath + queryForms.given
        let normal = Self.withoutDotSegments(pathForms.normal) + queryForms.normal
        asGiven = String(decoding: given, as: UTF8.self)
        self.normal = normal == given ? asGiven : String(decoding: normal, as: UTF8.self)
    }

    /// Encodes the bytes that a URL cannot contain; normal form also decodes unreserved ones and uses upper-case digits.
    private static func forms(
        of bytes: ArraySlice<UInt8>,
        _ allowsStrayPercent: Bool
    ) -> (given: [UInt8], normal: [UInt8])? {
        var given: [UInt8] = []
        var normal: [UInt8] = []
        given.reserveCapacity(bytes.count)
        normal.reserveCapacity(bytes.count)
        var rest = bytes
        while let byte = rest.first {
            if let octet = PercentEncoding.octet(rest) {
                given += rest.prefix(3)
                // RFC 3986 §6.2.2.2 and §6.2.2.1.
                if PercentEncoding.isUnreserved(octet) {
                    normal.append(octet)
                } else {
                    PercentEncoding.append(octet, to: &normal)
                }
                rest = rest.dropFirst(3)
                continue
            }
            if byte == UInt8(ascii: "%"), !allowsStrayPercent { return nil }
            if isAllowed(byte) || byte == UInt8(ascii: "%") {
                given.append(byte)
                normal.append(byte)
            } else {
                PercentEncoding.append(byte, to: &given)
                PercentEncoding.append(byte, to: &normal)
            }
            rest = rest.dropFirst()
        }
        return (given, normal)
    }

    /// RFC 3986 §2.2 and §2.3; brackets too, which are common in queries.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        PercentEncoding.isUnreserved(byte) || "!$&'()*+,;=:@/?[]".utf8.contains(byte)
    }

    /// Removes `.` and `..` segments (RFC 3986 §5.2.4, §6.2.2.3); a `..` above the root stays at the root.
    static func withoutDotSegments(_ path: [UInt8]) -> [UInt8] {
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
