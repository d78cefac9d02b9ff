extension UpstreamURL {
    /// Resolves a `Location` against this URL (RFC 3986 §5.2, RFC 9110 §10.2.2).
    ///
    /// Servers write blanks and UTF-8 into `Location`: these are percent-encoded first, as browsers do. Control
    /// characters are refused.
    ///
    /// - Throws: what is wrong with the URL that comes out, `.scheme` for a redirect to anything but http(s).
    package func resolving(_ reference: String) throws(Defect) -> UpstreamURL {
        let text = try Self.repaired(reference)
        if let colon = text.firstIndex(of: ":"), Self.isScheme(text[..<colon]) {
            return try UpstreamURL(text).removingDotSegments()
        }
        if text.hasPrefix("//") { return try UpstreamURL("\(scheme.rawValue):\(text)").removingDotSegments() }
        let base = "\(scheme.rawValue)://\(authority)"
        let target: String
        switch text.first {
        case nil, "#": target = self.text
        case "/": target = base + text
        case "?": target = base + path + text
        default:
            // RFC 3986 §5.2.3: what follows the base path's last slash is replaced.
            let folder = path[...(path.lastIndex(of: "/") ?? path.startIndex)]
            target = base + folder + text
        }
        return try UpstreamURL(target).removingDotSegments()
    }

    /// RFC 3986 §5.2.4, on the path alone.
    func removingDotSegments() -> UpstreamURL {
        var output: [Substring] = []
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch segment {
            case ".":
                if isLast { output.append("") }
            case "..":
                if !output.isEmpty { output.removeLast() }
                if isLast { output.append("") }
            default:
                output.append(segment)
            }
        }
        return UpstreamURL(
            scheme: scheme,
            host: host,
            hostText: hostText,
            port: port,
            path: "/" + output.joined(separator: "/"),
            query: query
        )
    }

    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, (97...122).contains(first | 0x20) else { return false }
        return text.utf8.allSatisfy {
            (48...57).contains($0) || (97...122).contains($0 | 0x20) || $0 == 43 || $0 == 45 || $0 == 46
        }
    }

    private static func repaired(_ reference: String) throws(Defect) -> String {
        let trimmed = reference.utf8.drop { $0 == 32 || $0 == 9 }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(trimmed.count)
        for byte in trimmed {
            if byte == 32 || byte >= 0x80 || (byte > 32 && byte != 0x5C && byte != 127 && !isURLCharacter(byte)) {
                bytes.append(UInt8(ascii: "%"))
                bytes += Array(String(byte, radix: 16, uppercase: true).utf8)
            } else if isURLCharacter(byte) {
                bytes.append(byte)
            } else {
                throw .syntax
            }
        }
        guard bytes.count <= maximumLength else { throw .syntax }
        return String(decoding: bytes, as: UTF8.self)
    }
}
