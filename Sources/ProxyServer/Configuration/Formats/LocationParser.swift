import HTTPSemantics
import ImagePipeline
import LinuxSystem
import OriginTransfer

/// Parses the URL of a source's originals.
enum LocationParser {
    /// The reason why a location is invalid; never contains the text, which may have a password.
    struct BadLocation: Error, Hashable {
        var message: String
    }

    /// Parses `http(s)://host[:port]/prefix/`, `s3://bucket/prefix/` or `file:///folder/`.
    ///
    /// The path of a request is appended unchanged, so a slash is added to a prefix without one.
    static func parse(_ text: String) -> Result<SourceRule.Location, BadLocation> {
        guard let colon = text.firstRange(of: "://") else {
            return failure("expected a URL such as https://photos.example.com/originals/ or file:///srv/images/")
        }
        let rest = text[colon.upperBound...]
        switch text[..<colon.lowerBound].lowercased() {
        case "http", "https": return http(text, rest)
        case "file": return file(rest)
        case "s3": return bucket(rest)
        default: return failure("expected http://, https://, s3:// or file://")
        }
    }

    /// The URL of a folder.
    static func fileURL(_ root: String) -> String {
        let path = root.utf8.map { byte in
            byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "%")
                ? String(UnicodeScalar(byte)) : "%" + [byte].hexText
        }
        return "file://" + path.joined() + (root == "/" ? "" : "/")
    }

    private static func http(_ text: String, _ rest: Substring) -> Result<SourceRule.Location, BadLocation> {
        guard !rest.prefix(while: { !"/?#\\".contains($0) }).contains("@") else {
            return failure("must not contain a user or password; use auth")
        }
        guard !text.contains("?"), !text.contains("#") else {
            return failure("must not have a query or fragment: the path of a request is appended to it")
        }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return failure("must not contain spaces or non-ASCII characters")
        }
        do throws(OriginURL.Defect) {
            _ = try OriginURL(text)
        } catch {
            return failure(error.reason)
        }
        return .success(.http(prefix: text.hasSuffix("/") ? text : text + "/"))
    }

    private static func file(_ rest: Substring) -> Result<SourceRule.Location, BadLocation> {
        let path = rest.hasPrefix("localhost/") ? rest.dropFirst("localhost".count) : rest
        guard path.hasPrefix("/") else {
            return failure("must have an absolute path, as in file:///srv/images/")
        }
        guard !path.contains("?"), !path.contains("#"), let bytes = PercentEncoding.decodeStrictly(path.utf8),
            let decoded = String(validating: bytes, as: UTF8.self),
            !decoded.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F })
        else { return failure("is not a valid file:// URL") }
        var root = decoded
        while root.count > 1, root.hasSuffix("/") { root.removeLast() }
        return .success(.file(root: root))
    }

    private static func failure(_ message: String) -> Result<SourceRule.Location, BadLocation> {
        .failure(BadLocation(message: message))
    }
}

extension LocationParser {
    /// Parses the part after `s3://`: a bucket and, after a slash, the literal prefix of its keys.
    ///
    /// As in the tools of object stores, nothing is percent-decoded, as keys can contain any character.
    private static func bucket(_ rest: Substring) -> Result<SourceRule.Location, BadLocation> {
        let name = rest.prefix { $0 != "/" }
        guard isBucketName(name) else {
            return .failure(
                BadLocation(
                    message:
                        "is not a valid bucket: a name has 3 to 63 of a-z, 0-9, '-' and '.', as in s3://bucket/prefix/"
                )
            )
        }
        var prefix = String(rest.dropFirst(name.count + 1))
        guard !prefix.unicodeScalars.contains(where: { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }),
            !prefix.split(separator: "/").contains(where: { $0 == "." || $0 == ".." }), !prefix.hasPrefix("/")
        else {
            return .failure(
                BadLocation(
                    message:
                        "has an invalid key prefix: control characters, '.', '..' and a leading slash are not allowed"
                )
            )
        }
        if !prefix.isEmpty, !prefix.hasSuffix("/") { prefix += "/" }
        return .success(.bucket(ObjectBucket(name: String(name), prefix: prefix)))
    }

    /// Parses `http(s)://host[:port]` with an optional final slash; `nil` for anything else.
    static func origin(_ text: String) -> String? {
        guard case .success(.http(let prefix)) = parse(text), let scheme = prefix.firstRange(of: "://") else {
            return nil
        }
        let authority = prefix[scheme.upperBound...].dropLast()
        return authority.contains("/")
            ? nil : prefix[..<scheme.lowerBound].lowercased() + "://" + authority.lowercased()
    }

    private static func isBucketName(_ name: Substring) -> Bool {
        func isAlphanumeric(_ byte: UInt8) -> Bool { (48...57).contains(byte) || (97...122).contains(byte) }
        guard (3...63).contains(name.utf8.count), let first = name.utf8.first, let last = name.utf8.last else {
            return false
        }
        return isAlphanumeric(first) && isAlphanumeric(last) && !name.contains("..")
            && name.utf8.allSatisfy { isAlphanumeric($0) || "-.".utf8.contains($0) }
    }
}
