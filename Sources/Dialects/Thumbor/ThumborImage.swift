import HTTPSemantics
import ImagePlan

/// The image at the end of a path: an address with a scheme or without, or a path.
enum ThumborImage {
    /// Reads the rest of a path.
    ///
    /// Without a scheme, it is an address if it begins with a host: labels with a dot between them, the last one of letters only.
    static func image(_ raw: ArraySlice<UInt8>, rules: ThumborRules) throws(RequestError) -> Translation.Image {
        var raw = Array(raw.drop { $0 == UInt8(ascii: "/") })
        switch rules {
        // Decodes what can be decoded.
        case .thumbor: raw = PercentCoding.repaired(raw[...])
        // Decodes as in a query.
        case .imagor: raw = raw.flatMap { $0 == UInt8(ascii: "+") ? Array("%20".utf8) : [$0] }
        }
        var text = try decoded(raw[...])
        if rules == .imagor {
            guard !text.hasPrefix("color:") else {
                throw RequestError(
                    parameter: "color",
                    reason: "cannot be said: this server makes no pictures of one colour"
                )
            }
            if let inner = base64(text) {
                text = inner
                raw = encoded(inner)
            }
        }
        // Some clients encode twice, which thumbor's loader undoes.
        let isEncodedTwice =
            text.prefix(10).lowercased().hasPrefix("http%3a") || text.lowercased().hasPrefix("https%3a")
        if isEncodedTwice { text = try decoded(repaired(text, rules)[...]) }
        let lowered = text.prefix(8).lowercased()
        if lowered.hasPrefix("http://") || lowered.hasPrefix("https://") {
            return .url(String(decoding: repaired(text, rules), as: UTF8.self))
        }
        if startsWithHost(text) {
            return .url("\(rules.scheme)://\(String(decoding: repaired(text, rules), as: UTF8.self))")
        }
        return .path(PercentCoding.encodedPath(raw))
    }

    /// An address as thumbor's loader sends it: a percent sign that encodes nothing is encoded.
    private static func repaired(_ text: String, _ rules: ThumborRules) -> [UInt8] {
        let bytes = Array(text.utf8)
        return rules == .thumbor ? PercentCoding.repaired(bytes[...]) : bytes
    }

    private static func error(_ reason: String) -> RequestError {
        RequestError(parameter: "path", reason: "has an image that \(reason)")
    }

    private static func decoded(_ bytes: ArraySlice<UInt8>) throws(RequestError) -> String {
        do {
            return try PercentCoding.decode(bytes)
        } catch {
            throw Self.error(error.reason)
        }
    }

    /// The text behind imagor's `b64:`; `nil` without it, or if it is not base64url, and then part of a file's name.
    static func base64(_ text: String) -> String? {
        guard text.hasPrefix("b64:") else { return nil }
        let digits = text.utf8.dropFirst(4).prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: "/") }
        return Base64Decoder.decode(digits, .url).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// A path in percent-encoding.
    static func encoded(_ path: String) -> [UInt8] {
        path.utf8.reduce(into: []) { bytes, byte in
            if byte.isURLUnreserved || byte == UInt8(ascii: "/") {
                bytes.append(byte)
            } else {
                PercentCoding.append(byte, to: &bytes)
            }
        }
    }

    /// Whether a path begins with a host and has more.
    static func startsWithHost(_ text: String) -> Bool {
        guard let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")) else { return false }
        let host = text.utf8[..<slash].prefix { $0 != UInt8(ascii: ":") }
        let labels = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.count > 1, let last = labels.last, last.count > 1 else { return false }
        let isLetter = { (byte: UInt8) in (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }
        return last.allSatisfy(isLetter)
            && labels.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0.isURLUnreserved && $0 != UInt8(ascii: "~") } }
    }
}
