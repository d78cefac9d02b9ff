internal import ImagePlan

/// The original that a request names: a file of a configured source, or a URL of another server.
public struct ImageLocation: Hashable, Sendable {
    /// The raw path of the request.
    let path: String
    /// The pair that names a remote URL, `url=…`, `url64=…` or `enc=…`; `nil` for a file of a source.
    let pair: String?
    /// What is wrong with a remote URL; `nil` if nothing is, as far as a client can tell.
    private let defect: ImageURLError?

    private init(path: String, pair: String? = nil, defect: ImageURLError? = nil) {
        self.path = path
        self.pair = pair
        self.defect = defect
    }

    /// A file of a configured source, as `SOURCE/PATH`.
    ///
    /// - Parameter path: the name of the source and the path below it, not percent-encoded, such as `photos/a b.jpg`.
    public static func path(_ path: String) -> ImageLocation {
        ImageLocation(path: encoded(path, keepsEscapes: false))
    }

    /// A file of a configured source, with a path that is percent-encoded already, such as `photos/a%20b.jpg`.
    ///
    /// Bytes that must not stand in a path are encoded all the same.
    public static func encodedPath(_ path: String) -> ImageLocation {
        ImageLocation(path: encoded(path, keepsEscapes: true))
    }

    /// An http, https or data URL, which the server fetches (`/fetch`).
    ///
    /// - Parameters:
    ///   - url: the absolute URL, as the server is to request it.
    ///   - isBase64: whether the URL is sent as base64url (`url64`), for intermediaries that do not like URLs in URLs.
    public static func remote(_ url: String, isBase64: Bool = false) -> ImageLocation {
        let pair =
            isBase64
            ? "url64=\(Base64.encodeForURL(Array(url.utf8)))" : "url=\(PercentCoding.encodedValue(url))"
        let defect = defect(of: url).map { ImageURLError(parameter: isBase64 ? "url64" : "url", reason: $0) }
        return ImageLocation(path: "/fetch", pair: pair, defect: defect)
    }

    /// Why every server would refuse a remote URL; only its beginning and its characters are examined.
    private static func defect(of url: String) -> String? {
        let bytes = Array(url.utf8)
        let start = bytes.prefix(8).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return "has a control character" }
        if start.starts(with: "data:".utf8) { return nil }
        guard let scheme = ["https://", "http://"].first(where: { start.starts(with: $0.utf8) }),
            let host = bytes.dropFirst(scheme.utf8.count).first, !"/?#:@".utf8.contains(host)
        else { return "must be an absolute http, https or data URL" }
        return bytes.contains(UInt8(ascii: "\\")) ? "has a backslash" : nil
    }

    /// A URL that has been encrypted with one of the server's `remote.url-keys` (`enc`).
    ///
    /// - Parameter sealed: 12 bytes of initialisation vector, the AES-256-GCM ciphertext, and 16 bytes of tag.
    public static func encrypted(_ sealed: [UInt8]) -> ImageLocation {
        ImageLocation(path: "/fetch", pair: "enc=\(Base64.encodeForURL(sealed))")
    }

    /// Percent-encodes every byte that is not allowed in a path (RFC 3986 §3.3), except slashes.
    private static func encoded(_ path: String, keepsEscapes: Bool) -> String {
        var bytes = [UInt8(ascii: "/")]
        let text = path.utf8
        for byte in text.first == UInt8(ascii: "/") ? text.dropFirst() : text[...] {
            if PercentCoding.isPathByte(byte) || keepsEscapes && byte == UInt8(ascii: "%") {
                bytes.append(byte)
            } else {
                PercentCoding.append(byte, to: &bytes)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Checks the path or the URL as the server does.
    func validate() throws(ImageURLError) {
        if let defect { throw defect }
        guard pair == nil else { return }
        let parsed: RequestPath?
        do throws(RequestError) {
            parsed = try RequestPath.parse(path)
        } catch {
            throw ImageURLError(error)
        }
        guard let parsed else {
            throw ImageURLError(
                parameter: "path",
                reason: "must begin with the name of a source: lower-case letters, digits and '-'"
            )
        }
        guard parsed.source != "fetch" else {
            throw ImageURLError(parameter: "path", reason: "must not begin with fetch: use remote(_:)")
        }
    }
}
