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
        #expect(ExpiringAnswer.cacheControl(words, lifetime: 3600, secondsLeft: left) == expected)
    }
}
