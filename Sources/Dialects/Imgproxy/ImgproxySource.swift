import HTTPSemantics
import ImagePlan

/// The last part of an imgproxy URL: the image, and perhaps the format of the result.
struct ImgproxySource {
    let image: Translation.Image
    /// The extension after `@` or `.`; `nil` if there is none.
    let format: String?

    /// Reads the segments after the options.
    ///
    /// - Throws: 400, naming `path`.
    init(_ segments: ArraySlice<String>) throws(RequestError) {
        switch segments.first {
        case "plain" where segments.count > 1:
            let (text, format) = try Self.split(segments.dropFirst().joined(separator: "/"), at: "@")
            let decoded: String
            do {
                decoded = try PercentCoding.decode(Array(text.utf8)[...])
            } catch {
                throw Self.error("has an image URL that \(error.reason)")
            }
            image = try Self.image(decoded)
            self.format = format
        case "enc" where segments.count > 1:
            let (text, format) = try Self.split(segments.dropFirst().joined(), at: ".")
            let bytes = try Self.decode(text)
            guard bytes.count >= 32, bytes.count.isMultiple(of: 16) else {
                throw Self.error(
                    "has an encrypted image URL that is not an initialisation vector and whole blocks of 16 bytes"
                )
            }
            image = .encrypted(bytes)
            self.format = format
        default:
            let (text, format) = try Self.split(segments.joined(), at: ".")
            guard let url = String(validating: try Self.decode(text), as: UTF8.self) else {
                throw Self.error("has an image URL that is not valid UTF-8")
            }
            image = try Self.image(url)
            self.format = format
        }
    }

    /// The text before the separator, and the extension after it.
    private static func split(
        _ text: String,
        at separator: Character
    ) throws(RequestError) -> (text: String, format: String?) {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        guard let first = parts.first, !first.isEmpty else { throw error("has no image URL") }
        guard parts.count <= 2 else {
            throw error("has several formats after '\(separator)'; in a plain URL, write it as %40")
        }
        return (String(first), parts.count == 2 && !parts[1].isEmpty ? String(parts[1]) : nil)
    }

    private static func decode(_ text: String) throws(RequestError) -> [UInt8] {
        let digits = text.utf8.reversed().drop { $0 == UInt8(ascii: "=") }.reversed()
        guard let bytes = Base64Decoder.decode(digits, .url), !bytes.isEmpty else {
            throw error("has an image URL that is not valid base64url; a plain one begins with plain/")
        }
        return bytes
    }

    /// The image that a decoded URL names: a path if it is local or has no scheme.
    static func image(_ url: String) throws(RequestError) -> Translation.Image {
        let isControl = { (scalar: Unicode.Scalar) in scalar.properties.generalCategory == .control }
        guard !url.unicodeScalars.contains(where: isControl) else {
            throw error("has an image URL with a control character")
        }
        let scheme = url.utf8.prefix { $0 != UInt8(ascii: ":") }
        let isAbsolute =
            url.utf8.dropFirst(scheme.count).starts(with: "://".utf8) && !scheme.isEmpty
            && scheme.allSatisfy(\.isURLUnreserved)
        let isLocal = scheme.elementsEqual("local".utf8)
        guard !isAbsolute || isLocal else {
            guard url.utf8.count > scheme.count + 3 else { throw error("has an image URL without a host") }
            return .url(url)
        }
        let path = (isAbsolute ? url.utf8.dropFirst("local://".utf8.count) : url.utf8[...])
            .drop { $0 == UInt8(ascii: "/") }
        guard !path.isEmpty else { throw error("has no image URL") }
        guard !path.contains(UInt8(ascii: "?")) else {
            throw error("has an image URL with a query, which needs a scheme and a host")
        }
        return .path(PercentCoding.encodedPath(decoded: path))
    }

    private static func error(_ reason: String) -> RequestError { RequestError(parameter: "path", reason: reason) }
}
