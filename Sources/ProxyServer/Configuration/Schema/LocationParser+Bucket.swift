import ImagePipeline

extension LocationParser {
    /// Parses the part after `s3://`: a bucket and, after a slash, the literal prefix of its keys.
    ///
    /// As in the tools of object stores, nothing is percent-decoded, as keys can contain any character.
    static func bucket(_ rest: Substring) -> Result<SourceRule.Location, Failure> {
        let name = rest.prefix { $0 != "/" }
        guard isBucketName(name) else {
            return .failure(
                Failure(message: "is no bucket's name: 3 to 63 of a-z, 0-9, '-' and '.', as in s3://bucket/prefix/")
            )
        }
        var prefix = String(rest.dropFirst(name.count + 1))
        guard !prefix.unicodeScalars.contains(where: { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }),
            !prefix.split(separator: "/").contains(where: { $0 == "." || $0 == ".." }), !prefix.hasPrefix("/")
        else {
            return .failure(
                Failure(
                    message: "is no prefix of keys: control characters, '.', '..' and a second slash first are refused"
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
