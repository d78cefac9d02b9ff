import HTTPSemantics
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct ExpiringAnswerTests {
    @Test(
        arguments: [
            (nil, 60, "public, max-age=60"), (nil, 7200, "public, max-age=3600"), (nil, -5, "public, max-age=0"),
            ("max-age=86400", 60, "max-age=60"), ("public, max-age=10", 60, "public, max-age=10"),
            ("public, max-age=86400, s-maxage=30, immutable", 60, "public, max-age=60, s-maxage=30"),
            ("max-age=1, s-maxage=600, stale-while-revalidate=600, stale-if-error=9", 60, "max-age=1, s-maxage=60"),
            ("public", 60, "public, max-age=60"), ("no-store", 60, "no-store"),
            ("private, max-age=99", 60, "private, max-age=60"),
            ("no-cache, must-revalidate, no-transform", 60, "no-cache, max-age=60, must-revalidate, no-transform"),
        ] as [(String?, Int64, String)]
    )
    func `clamps every lifetime to the request's`(words: String?, left: Int64, expected: String) {
        #expect(ExpiringAnswer.cacheControl(words, lifetime: 3600, secondsLeft: left, age: 0) == expected)
    }

    @Test(
        arguments: [
            ("Cache-Control: max-age=999, s-maxage=9", "Cache-Control: max-age=60, s-maxage=9"),
            ("", "Cache-Control: max-age=0"), ("Cache-Control: no-store", "Cache-Control: no-store"),
            (
                "Expires: Fri, 02 Jan 1970 00:00:30 GMT",
                "Expires: Fri, 02 Jan 1970 00:00:30 GMT|Cache-Control: max-age=30"
            ),
            (
                "Expires: Sun, 01 Jan 2034 00:00:00 GMT",
                "Cache-Control: max-age=60|Expires: Fri, 02 Jan 1970 00:01:00 GMT"
            ),
            ("Expires: 0|X: y", "Expires: 0|X: y|Cache-Control: max-age=0"),
            (
                "CDN-Cache-Control: max-age=5000|cdn-cache-control: stale-if-error=9|Cache-Control: private",
                "Cache-Control: private, max-age=0|CDN-Cache-Control: max-age=60"
            ),
            ("Surrogate-Control: no-store", "Cache-Control: max-age=0|Surrogate-Control: no-store"),
        ]
    )
    func `limits every field of a raw response that states a lifetime`(sent: String, expected: String) {
        let lines = sent.split(separator: "|").compactMap { FieldLine(line: Array($0.utf8)) }
        let fields = ExpiringAnswer.fields(FieldLines(lines), expires: 86_460, now: 86_400, age: nil)
        #expect(fields.lines.map { "\($0.name): \($0.text)" }.joined(separator: "|") == expected)
    }

    @Test(
        arguments: [
            (nil, 1200, 1800, "public, max-age=3000"), (nil, 7200, 1800, "public, max-age=3600"),
            ("max-age=86400, s-maxage=43200", 1200, 1800, "max-age=3000, s-maxage=3000"),
            ("max-age=2400", 1200, 1800, "max-age=2400"), ("max-age=86400", -5, 1800, "max-age=1800"),
            ("max-age=86400", 60, -7, "max-age=60"), ("max-age=86400", 60, .max, "max-age=86400"),
        ] as [(String?, Int64, Int64, String)]
    )
    func `a lifetime counts from when the origin created the response`(
        words: String?,
        left: Int64,
        age: Int64,
        expected: String
    ) {
        #expect(ExpiringAnswer.cacheControl(words, lifetime: 3600, secondsLeft: left, age: age) == expected)
    }

    @Test func `lifetimes of a raw response include its age`() {
        let lines = ["Cache-Control: max-age=999", "CDN-Cache-Control: max-age=5000, stale-if-error=9"]
        let sent = FieldLines(lines.compactMap { FieldLine(line: Array($0.utf8)) })
        let fields = ExpiringAnswer.fields(sent, expires: 86_460, now: 86_400, age: 500)
        #expect(fields["cache-control"] == "max-age=560" && fields["cdn-cache-control"] == "max-age=560")
    }
}
