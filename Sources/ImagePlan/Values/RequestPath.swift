/// A request path, `/NAME/PATH`: raw for the origin, and split into decoded segments.
package struct RequestPath: Hashable, Sendable {
    /// The source's name, `[a-z0-9][a-z0-9-]*`, decoded.
    package let source: String
    /// Everything after `/NAME/`, raw: the path to request from an HTTP origin.
    package let rawPath: String
    /// The raw segments of the path.
    package let rawSegments: [String]
    /// The segments of the path, decoded once.
    package let segments: [String]

    /// Whether a segment contains an encoded slash or backslash (`%2F`), which is invalid for a folder source.
    package let hasEncodedSlash: Bool
    /// Whether the path has two consecutive slashes or ends in one, which is invalid for a folder source.
    package let hasEmptySegment: Bool

    /// The path below a folder: the segments joined by `/`.
    ///
    /// - Throws: 400, naming `path`, if the path is empty, contains `//` or an encoded slash, or ends in `/`.
    package func filePath() throws(RequestError) -> String {
        guard !hasEncodedSlash else { throw Self.error("has an encoded slash, which is not valid for a file") }
        guard !hasEmptySegment, !segments.isEmpty else {
            throw Self.error("has an empty segment, which is not valid for a file")
        }
        return segments.joined(separator: "/")
    }

    /// Parses a raw path, without the query; `nil` if no source can have the name, which means 404.
    ///
    /// - Throws: 400, naming `path`, for `.` and `..` segments (also encoded, also between encoded slashes), a malformed `%`,
    ///   control characters and invalid UTF-8.
    package static func parse(_ path: String) throws(RequestError) -> RequestPath? {
        try parse(Array(path.utf8))
    }

    /// Parses the bytes of a raw path, without the query; `nil` if no source can have the name, which means 404.
    ///
    /// - Throws: 400, naming `path`.
    package static func parse(_ path: [UInt8]) throws(RequestError) -> RequestPath? {
        let slash = UInt8(ascii: "/")
        guard path.first == slash else { throw error("must begin with a slash") }
        // Checked before the name, so that a dot segment is always a 400, never a 404.
        let all = path.dropFirst().split(separator: slash, omittingEmptySubsequences: false)
        var decoded: [String] = []
        for segment in all { decoded.append(try decode(segment)) }
        guard isSourceName(decoded[0]) else { return nil }
        let below = all.dropFirst()
        // `/NAME/` and `/NAME` have no path.
        let isEmpty = below.isEmpty || below.count == 1 && below.allSatisfy(\.isEmpty)
        let segments = isEmpty ? [] : Array(decoded.dropFirst())
        let rawSegments = isEmpty ? [] : below.map { String(decoding: $0, as: UTF8.self) }
        return RequestPath(
            source: decoded[0],
            rawPath: rawSegments.joined(separator: "/"),
            rawSegments: rawSegments,
            segments: segments,
            hasEncodedSlash: segments.contains { $0.utf8.contains(slash) || $0.utf8.contains(UInt8(ascii: "\\")) },
            hasEmptySegment: segments.contains("")
        )
    }

    /// The decoded first segment of a raw path or target, which may be a source's name; raw if it cannot be decoded.
    package static func name(in target: some Collection<UInt8>) -> String {
        let segment = Array(target.dropFirst().prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") })
        return (try? PercentCoding.decode(segment[...])) ?? String(decoding: segment, as: UTF8.self)
    }

    /// Whether a configured source may have a name.
    package static func isSourceName(_ name: String) -> Bool {
        guard let first = name.utf8.first, first != UInt8(ascii: "-") else { return false }
        return name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
            default: false
            }
        }
    }

    private static func decode(_ segment: ArraySlice<UInt8>) throws(RequestError) -> String {
        let text: String
        do {
            text = try PercentCoding.decode(segment)
        } catch {
            throw self.error(error.reason)
        }
        // An origin may decode %2F and %5C before resolving dots (CVE-2021-41773 and similar).
        for part in text.split(omittingEmptySubsequences: false, whereSeparator: { $0 == "/" || $0 == "\\" }) {
            guard part != ".", part != ".." else { throw self.error("has a dot segment") }
        }
        return text
    }

    private static func error(_ reason: String) -> RequestError {
        RequestError(parameter: "path", reason: reason)
    }
}
