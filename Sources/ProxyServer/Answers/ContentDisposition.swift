import HTTPKit

/// `Content-Disposition` (RFC 6266) of a request with `filename` or `download`.
struct ContentDisposition: Hashable, Sendable {
    let isDownload: Bool
    /// The file's name: what `filename` states, or the last segment of the image's path; `nil` for none.
    let name: String?
    /// Whether the request states the name.
    let isStated: Bool

    /// The longest name from a path, in bytes: with an extension, a name that file systems can store.
    private static let longest = 250

    /// - Parameters:
    ///   - filename: the value of `filename`.
    ///   - segment: the last segment of the image's path, decoded; `nil` if it must not be revealed, or if there is none.
    /// - Returns: `nil` if the response has no such field.
    init?(filename: String?, isDownload: Bool, segment: String?) {
        guard isDownload || filename != nil else { return nil }
        self.isDownload = isDownload
        isStated = filename != nil
        let isName = segment.map { text in
            (1...Self.longest).contains(text.utf8.count)
                && !text.utf8.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
        }
        name = filename ?? (isName == true ? segment : nil)
    }

    /// Whether the field is the same for all formats of the result.
    var isFixed: Bool { name.map { isStated && Self.dot(of: $0) != nil } ?? true }

    /// The encoded field of a response.
    ///
    /// A stated name without an extension gets that of the result; that of a path gives way to it, unless it is one for the same format.
    ///
    /// - Parameter mediaType: that of the content, with parameters or without; a name keeps its extension if the type is unknown.
    func field(for mediaType: String) -> [UInt8] {
        guard let name, !isFixed, let known = Self.extensions[String(mediaType.prefix { $0 != ";" })] else {
            return Self.field(filename: self.name, download: isDownload)
        }
        guard let dot = Self.dot(of: name) else {
            return Self.field(filename: "\(name).\(known[0])", download: isDownload)
        }
        let isRight = known.contains(name[name.index(after: dot)...].lowercased())
        return Self.field(filename: isRight ? name : "\(name[..<dot]).\(known[0])", download: isDownload)
    }

    /// The dot before the extension of a name: at most five letters and digits, not digits alone; `nil` for none.
    private static func dot(of name: String) -> String.Index? {
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return nil }
        let end = name[name.index(after: dot)...]
        guard (1...5).contains(end.utf8.count), end.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }),
            end.contains(where: \.isLetter)
        else { return nil }
        return dot
    }

    /// The extensions of media types; the first one is the usual one.
    private static let extensions = [
        "image/jpeg": ["jpg", "jpeg", "jpe", "jfif"], "image/png": ["png", "apng"], "image/gif": ["gif"],
        "image/webp": ["webp"], "image/avif": ["avif"], "image/jxl": ["jxl"], "image/tiff": ["tiff", "tif"],
        "image/heic": ["heic", "heif"], "image/jp2": ["jp2"], "image/bmp": ["bmp", "dib"],
        "image/vnd.microsoft.icon": ["ico"], "image/svg+xml": ["svg", "svgz"], "application/pdf": ["pdf"],
        "application/json": ["json"], "text/plain": ["txt"],
    ]

    /// The encoded field; empty without `filename` and `download`.
    static func field(filename: String?, download: Bool) -> [UInt8] {
        guard download || filename != nil else { return [] }
        var value = download ? "attachment" : "inline"
        if let filename {
            value += "; filename=\"\(fallback(filename))\""
            if filename.utf8.contains(where: { $0 >= 0x80 || $0 == UInt8(ascii: "%") }) {
                value += "; filename*=UTF-8''\(extended(filename))"
            }
        }
        var block = FieldBlock()
        block.append("Content-Disposition", value)
        return block.bytes
    }

    /// The name in ASCII for clients without RFC 8187; characters that a quoted string cannot contain become `_`.
    private static func fallback(_ name: String) -> String {
        String(
            name.unicodeScalars.map { scalar in
                let isPlain = (0x20..<0x7F).contains(scalar.value) && !["\"", "\\", "%"].contains(scalar)
                return isPlain ? Character(scalar) : "_"
            }
        )
    }

    /// The name as an extended value (RFC 8187 §3.2.1).
    private static func extended(_ name: String) -> String {
        let digits = Array("0123456789ABCDEF")
        return name.utf8.reduce(into: "") { text, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                text.append("%")
                text.append(digits[Int(byte >> 4)])
                text.append(digits[Int(byte & 15)])
            }
        }
    }
}
