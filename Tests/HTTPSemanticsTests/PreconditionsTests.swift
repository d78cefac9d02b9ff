import HTTPSemantics
import Testing

@Suite(.timeLimit(.minutes(1)))
struct PreconditionsTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT.
    static let modified: Int64 = 784_111_777

    @Test(arguments: [
        (nil as String?, nil as String?, Preconditions.Verdict.proceed),
        ("\"a\"", nil, .notModified), ("W/\"a\"", nil, .notModified), ("*", nil, .notModified),
        ("\"b\"", nil, .proceed), ("a", nil, .proceed), ("", nil, .proceed),
        (nil, "Sun, 06 Nov 1994 08:49:37 GMT", .notModified), (nil, "Sun, 06 Nov 1994 08:49:38 GMT", .notModified),
        (nil, "Sun, 06 Nov 1994 08:49:36 GMT", .proceed), (nil, "Sunday, 06-Nov-94 08:49:37 GMT", .notModified),
        (nil, "yesterday", .proceed), (nil, "", .proceed),
        // Only the tag counts, either way (RFC 9110 §13.1.3).
        ("\"b\"", "Sun, 06 Nov 1994 08:49:37 GMT", .proceed), ("\"a\"", "Sun, 06 Nov 1994 08:49:36 GMT", .notModified),
        ("broken", "Sun, 06 Nov 1994 08:49:37 GMT", .proceed),
    ])
    func `evaluates the tag, otherwise the date`(tag: String?, date: String?, expected: Preconditions.Verdict) {
        let verdict = Preconditions.evaluate(
            ifNoneMatch: tag,
            ifModifiedSince: date,
            entityTag: EntityTag("\"a\""),
            lastModified: Self.modified,
            now: 800_000_000
        )
        #expect(verdict == expected)
    }

    @Test func `proceeds if there is nothing to compare with`() {
        let verdict = Preconditions.evaluate(
            ifNoneMatch: nil as String?,
            ifModifiedSince: "Sun, 06 Nov 1994 08:49:37 GMT",
            entityTag: nil,
            lastModified: nil,
            now: 800_000_000
        )
        #expect(verdict == .proceed)
    }

    @Test(arguments: [
        (nil as String?, nil as String?, false), ("\"a\"", nil, false), ("*", nil, false),
        ("\"b\" , \"a\"", nil, false), ("W/\"a\"", nil, true), ("\"b\"", nil, true), ("a", nil, true), ("", nil, true),
        (nil, "Sun, 06 Nov 1994 08:49:37 GMT", false), (nil, "Sun, 06 Nov 1994 08:49:36 GMT", true),
        (nil, "yesterday", false),
        // Only the tag counts (RFC 9110 §13.1.4).
        ("\"a\"", "Sun, 06 Nov 1994 08:49:36 GMT", false), ("\"b\"", "Sun, 06 Nov 1994 08:49:37 GMT", true),
    ])
    func `fails by strong comparison of the tag, otherwise by the date`(tag: String?, date: String?, expected: Bool) {
        let fails = Preconditions.fail(
            ifMatch: tag,
            ifUnmodifiedSince: date,
            entityTag: EntityTag("\"a\""),
            lastModified: Self.modified,
            now: 800_000_000
        )
        #expect(fails == expected)
    }
}
