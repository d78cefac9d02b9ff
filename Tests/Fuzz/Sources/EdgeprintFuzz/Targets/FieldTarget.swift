import HTTPSemantics

/// The fields of requests and responses, structured ones (RFC 9651) included.
enum FieldTarget: FuzzTarget {
    static let name = "fields"

    static let seeds: [[UInt8]] = [
        "max-age=60, s-maxage=\"30\", no-cache=\"Set-Cookie, X\", stale-while-revalidate=9",
        "private, no-store, max-stale",
        "max-age=60;a=1, no-cache;b=\"x\", foo=(1 2 \"3\");q=1.5, bar=:YWI=:, baz=@12, d=?0", "bytes=0-499",
        "bytes=-500",
        "bytes 0-499/1234", "bytes */99", "\"abc\", W/\"def\"", "Sun, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "u=2, i", "edgeprint:80;a=\"b\";c=d, other",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "public, immutable, must-understand, only-if-cached",
    ].map { Array($0.utf8) }

    static let dictionary = [
        "max-age=", "s-maxage=", "no-cache", "no-store", "private=\"", "stale-while-revalidate=", "stale-if-error=",
        "bytes=", "W/\"",
        " GMT", "Mon, ", "u=", "?1", "?0", ":YQ==:", "@1", "(", ")", ";", "\\\"", "99999999999999999999", "-0", "*",
        "/",
    ]

    /// A fixed time, 2026-11-22.
    private static let now: Int64 = 1_795_000_000

    static func run(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        let control = CacheControl(bytes.span)
        expectEqual(CacheControl(control.text).text, control.text, "Cache-Control")
        if let targeted = CacheControl(targeted: bytes.span) {
            expectEqual(CacheControl(targeted.text).text, targeted.text, "CDN-Cache-Control")
        }
        _ = control.isStorable
        checkValidators(bytes, text)
        let loop = CDNLoop(bytes)
        if !loop.isExcessive { expectEqual(CDNLoop(Array(loop.text.utf8)).text, loop.text, "CDN-Loop") }
        _ = RequestPriority(field: text, purpose: text)
        _ = TraceContext(bytes.span)
        _ = FieldLines.members(text)
        _ = FieldLine(line: bytes)
    }

    private static func checkValidators(_ bytes: [UInt8], _ text: String) {
        if let date = HTTPDate(bytes.span, now: now) {
            var line: [UInt8] = []
            date.append(to: &line)
            expectEqual(HTTPDate(line.span, now: now), date, String(decoding: line, as: UTF8.self))
        }
        let tag = EntityTag("\"abc\"")
        let weak = EntityTagList.weaklyMatches(bytes.span, current: tag)
        let strong = EntityTagList.stronglyMatches(bytes.span, current: tag)
        expect(weak || !strong, "a strong match is no weak one")
        // Of a malformed list, the members before the defect count.
        if let tag, case .tags(let tags) = EntityTagList(bytes.span) {
            expectEqual(weak, tags.contains { $0.matchesWeakly(tag) }, "weak match")
            expectEqual(strong, tags.contains { $0.matchesStrongly(tag) }, "strong match")
        }
        _ = IfRange.holds(bytes.span, entityTag: tag, lastModified: now - 100, now: now)
        _ = ContentRange(bytes.span)
        guard let range = ByteRange(bytes.span) else { return }
        for length in [0, 1, 500, Int.max] {
            if case .satisfiable(let part) = range.resolve(length: length) {
                expect(!part.isEmpty && part.lowerBound >= 0 && part.upperBound <= length, "\(part) of \(length)")
            }
        }
    }
}
