extension OriginURL {
    /// Resolves a `Location` against this URL (RFC 3986 §5.2, RFC 9110 §10.2.2).
    ///
    /// Servers write blanks, UTF-8 and stray percent signs into `Location`: the first two are percent-encoded and the last
    /// stay, as in browsers. Control characters are refused. The rest is requested in the spelling of the reference, which its
    /// server has chosen and may have signed; no cache key contains it.
    ///
    /// - Throws: the problem of the resolved URL; `.scheme` for a redirect to anything but http or https.
    package func resolving(_ reference: String) throws(Defect) -> OriginURL {
        let text = reference.drop { $0 == " " || $0 == "\t" }
        if let colon = text.firstIndex(of: ":"), Self.isScheme(text[..<colon]) { return try Self.target(String(text)) }
        if text.hasPrefix("//") { return try Self.target("\(scheme.rawValue):\(text)") }
        switch text.first {
        case nil, "#": return withoutDotSegments
        case "/": return try Self.target("\(origin)\(text)")
        case "?": return try Self.target("\(origin)\(path)\(text)")
        default:
            // RFC 3986 §5.2.3: the reference replaces what follows the base path's last slash.
            let folder = path[...(path.lastIndex(of: "/") ?? path.startIndex)]
            return try Self.target("\(origin)\(folder)\(text)")
        }
    }

    private static func target(_ text: String) throws(Defect) -> OriginURL {
        try OriginURL(text, keepsSpelling: true, allowsStrayPercent: true).withoutDotSegments
    }

    /// The same URL with `.` and `..` segments of its path removed (RFC 3986 §5.2.4).
    private var withoutDotSegments: OriginURL {
        let target = Array(requestTarget.utf8)
        let path = target.prefix { $0 != UInt8(ascii: "?") }
        let resolved = URLTarget.withoutDotSegments(Array(path)) + target[path.endIndex...]
        return OriginURL(
            scheme: scheme,
            host: host,
            hostText: hostText,
            port: port,
            requestTarget: String(decoding: resolved, as: UTF8.self),
            normalTarget: normalTarget
        )
    }

    /// RFC 3986 §3.1.
    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, (97...122).contains(first | 0x20) else { return false }
        return text.utf8.allSatisfy {
            (48...57).contains($0) || (97...122).contains($0 | 0x20) || $0 == 43 || $0 == 45 || $0 == 46
        }
    }
}
