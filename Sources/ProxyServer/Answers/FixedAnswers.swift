import HTTPKit

/// Constant responses: `/`, `/robots.txt` and `/favicon.ico`.
enum FixedAnswers {
    /// The response to `/` without a query, or to one of the other two with any query; `nil` for everything else.
    ///
    /// `/?url=…`, which some image proxies use, must not look like a success.
    static func response(to target: Range<Int>, in bytes: Span<UInt8>) -> Response? {
        // The longest path has 12 bytes, so most targets are dismissed after a short scan.
        guard let start = target.first else { return root }
        var end = start
        while end < target.upperBound, end - start <= 12, bytes[end] != UInt8(ascii: "?") { end += 1 }
        switch end - start {
        // Absolute-form may have no path, which is equivalent to "/".
        case 0: return target.upperBound <= end + 1 ? root : nil
        case 1 where bytes[start] == UInt8(ascii: "/"): return target.upperBound <= end + 1 ? root : nil
        case 11 where equal(bytes, start, "/robots.txt"): return robots
        case 12 where equal(bytes, start, "/favicon.ico"): return favicon
        default: return nil
        }
    }

    private static let root = Response(text: "Edgeprint, an image proxy.\n")
    private static let robots = Response(text: "User-agent: *\nDisallow: /\n")
    private static let favicon = Response(text: "Not found.\n", status: 404)

    private static func equal(_ bytes: Span<UInt8>, _ start: Int, _ text: StaticString) -> Bool {
        text.withUTF8Buffer { buffer in
            for index in 0..<buffer.count where unsafe bytes[start + index] != buffer[index] { return false }
            return true
        }
    }
}
