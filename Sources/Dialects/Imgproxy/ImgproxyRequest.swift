import HTTPSemantics
package import ImagePlan

/// imgproxy's URLs: `/%signature/%options/plain/%url@%extension`, and the same with an encoded or encrypted URL.
///
/// The grammar and the defaults are those of imgproxy 4, with the separator `:` and without a base URL.
package enum ImgproxyRequest {
    /// The image that the text of an encrypted URL names, as the same text names it unencrypted.
    ///
    /// - Throws: 400, naming `path`.
    package static func image(at text: String) throws(RequestError) -> Translation.Image {
        try ImgproxySource.image(text)
    }

    /// Translates a request; a query is ignored, as in imgproxy.
    ///
    /// - Parameter path: the raw path, beginning with a slash.
    /// - Throws: 400, naming the option as written, or `path`.
    package static func translate(path: [UInt8], query: [UInt8]) throws(RequestError) -> Translation {
        guard path.first == UInt8(ascii: "/"), let text = String(validating: path.dropFirst(), as: UTF8.self) else {
            throw error("is not a path in UTF-8")
        }
        guard let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")), slash > text.startIndex else {
            throw error("must have a signature, options and an image URL")
        }
        let code = text[..<slash]
        guard !code.utf8.contains(UInt8(ascii: ":")) else {
            throw error("has no signature before its options; without one, imgproxy's URLs begin with /unsafe/ or /_/")
        }
        let signed = restored(text[text.utf8.index(after: slash)...])
        let segments = signed.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let stated = segments.prefix { $0.utf8.contains(UInt8(ascii: ":")) }
        guard stated.count <= longestOptions else { throw error("has more than \(longestOptions) options") }
        var options = ImgproxyOptions()
        for segment in stated {
            let parts = segment.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            let option = ImgproxyOption(name: parts[0], arguments: Array(parts.dropFirst()))
            try ImgproxyOptionType.read(option, into: &options)
        }
        let rest = segments.dropFirst(stated.count)
        if let first = rest.first, rest.count > 1, ImgproxyOptions.Resizing(rawValue: first) != nil {
            throw error("is in imgproxy's old format \(first)/WIDTH/HEIGHT/…, which imgproxy refuses, too")
        }
        let source = try ImgproxySource(rest)
        if let format = source.format, !options.isRaw {
            options.format = try ImgproxyFormat(format, by: ImgproxyOption(name: "extension", arguments: [format]))
        }
        return Translation(
            image: source.image,
            parameters: try options.parameters(of: source.image),
            signature: signature(code, of: signed)
        )
    }

    /// The most options of a URL, as the parameters of a query.
    private static let longestOptions = QueryPair.maximumCount

    /// What imgproxy's documentation writes where URLs are not signed.
    private static let unsigned = ["unsafe", "insecure", "_"]

    /// The signature; none for a text that is not base64url, which imgproxy refuses only if it has keys.
    private static func signature(_ code: Substring, of signed: String) -> Translation.Signature {
        guard !unsigned.contains(String(code)), let bytes = Base64Decoder.decode(code.utf8, .url), !bytes.isEmpty else {
            return .none
        }
        return .stated(code: bytes, message: Array("/\(signed)".utf8))
    }

    /// Undoes what proxies do to paths, as imgproxy does before it verifies: `%3A` in options, and `http:/` in plain URLs.
    private static func restored(_ text: Substring) -> String {
        let marker = "/plain/"
        let isPlainAlone = text.hasPrefix("plain/")
        guard isPlainAlone || text.contains(marker) else { return String(text.replacing("%3A", with: ":")) }
        let options = isPlainAlone ? "" : text.prefix(upTo: text.firstRange(of: marker)?.lowerBound ?? text.startIndex)
        var url = text.dropFirst(isPlainAlone ? marker.utf8.count - 1 : options.count + marker.utf8.count)
        let scheme = url.prefix { $0 != ":" && !$0.isWhitespace }
        let afterColon = url.dropFirst(scheme.count + 1)
        if !scheme.isEmpty, afterColon.hasPrefix("/"), !afterColon.hasPrefix("//"), afterColon.count > 1 {
            let slashes = scheme == "local" ? "///" : "//"
            url = "\(scheme):\(slashes)\(afterColon.dropFirst())"[...]
        }
        let start = options.isEmpty ? "" : options.replacing("%3A", with: ":") + "/"
        return "\(start)plain/\(url)"
    }

    private static func error(_ reason: String) -> RequestError { RequestError(parameter: "path", reason: reason) }
}
