/// A request's path, `/NAME/PATH`: split into segments, each decoded once, and kept as it came for the origin.
package struct RequestPath: Hashable, Sendable {
    /// The source's name, `[a-z0-9][a-z0-9-]*`.
    package let source: String
    /// Everything behind `/NAME/` as it came: what goes upstream to an http origin.
    package let rawPath: String
    /// The path's segments as they came.
    package let rawSegments: [String]
    /// The path's segments, decoded once.
    package let segments: [String]

    /// Whether a segment holds an encoded slash or backslash (`%2F`): means nothing below a folder.
    package let hasEncodedSlash: Bool
    /// Whether two slashes stand side by side, or one at the end: means nothing below a folder.
    package let hasEmptySegment: Bool

    /// The path below a folder, segments joined by `/`.
    ///
    /// - Throws: 400, naming `path`, where the path is empty, has `//` or ends in `/`, or has an encoded slash.
    package func filePath() throws(RequestError) -> String {
        guard !hasEncodedSlash else { throw Self.error("has an encoded slash, which names no file") }
        guard !hasEmptySegment, !segments.isEmpty else { throw Self.error("has an empty segment, which names no file") }
        return segments.joined(separator: "/")
    }

    /// Reads a raw path, without the query; `nil` where no source can have the name, which is 404.
    ///
    /// - Throws: 400, naming `path`: `.` and `..` segments (also encoded, also between encoded slashes), a malformed `%`,
    ///   control characters, invalid UTF-8.
    package static func parse(_ path: String) throws(RequestError) -> RequestPath? {
        try parse(Array(path.utf8))
    }

    /// Reads the bytes of a raw path, without the query; `nil` where no source can have the name, which is 404.
    ///
    /// - Throws: 400, naming `path`.
    package static func parse(_ path: [UInt8]) throws(RequestError) -> RequestPath? {
        let slash = UInt8(ascii: "/")
        guard path.first == slash else { throw error("must begin with a slash") }
        // Looked at before the name, so that no dot segment ever counts as merely unknown.
        let all = path.dropFirst().split(separator: slash, omittingEmptySubsequences: false)
        var decoded: [String] = []
        for segment in all { decoded.append(try decode(segment)) }
        guard let name = all.first, isSourceName(name) else { return nil }
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

    /// Whether a configured source may have a name.
    package static func isSourceName(_ name: String) -> Bool { isSourceName(Array(name.utf8)[...]) }

    private static func isSourceName(_ name: ArraySlice<UInt8>) -> Bool {
        guard let first = name.first, first != UInt8(ascii: "-") else { return false }
        return name.allSatisfy { byte in
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
        // An origin may decode %2F and %5C before it resolves dots (CVE-2021-41773 and its kin).
        for part in text.split(omittingEmptySubsequences: false, whereSeparator: { $0 == "/" || $0 == "\\" }) {
            guard part != ".", part != ".." else { throw self.error("has a dot segment") }
        }
        return text
    }

    private static func error(_ reason: String) -> RequestError {
        RequestError(parameter: "path", reason: reason)
    }
}
