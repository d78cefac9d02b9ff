extension AnswerCase {
    private static let fresh = "Cache-Control: max-age=60"
    private static let tag = "ETag: \"a\""

    /// The handling of stale responses.
    static let validating: [AnswerCase] = [
        AnswerCase(
            "max-age=0 with an entity tag",
            .asks(.picture("Cache-Control: max-age=0", tag)),
            .asks(.unchanged("Cache-Control: max-age=0", tag)),
            .asks(.unchanged(tag)),
            .asks(.changed("Cache-Control: max-age=0", "ETag: \"b\""))
        ),
        AnswerCase(
            "max-age=0 with Last-Modified",
            .asks(.picture("Cache-Control: max-age=0", "Last-Modified: \(date(-1000))")),
            .asks(.unchanged("Cache-Control: max-age=0")),
            .asks(.changed("Cache-Control: max-age=0"))
        ),
        AnswerCase(
            "max-age=0 without a validator",
            .asks(.picture("Cache-Control: max-age=0")),
            .asks(.changed("Cache-Control: max-age=0"))
        ),
        AnswerCase(
            "304 with a longer lifetime",
            .asks(.picture(fresh, tag)),
            .asks(.unchanged("Cache-Control: max-age=120", tag), after: 60),
            .stored(after: 119),
            .asks(.changed(fresh), after: 1)
        ),
        AnswerCase(
            "304 without freshness",
            .asks(.picture(fresh, tag)),
            .asks(.unchanged(), after: 60),
            .stored(after: 59),
            .asks(.changed(fresh), after: 1)
        ),
        AnswerCase(
            "304 without freshness, after Expires",
            .asks(.picture("Expires: \(date(60))", tag)),
            .asks(.unchanged(), after: 60),
            .asks(.unchanged("Expires: \(date(120))")),
            .stored(after: 59)
        )
        .differs(.statedLifetime, 1, 2, 3, 4, at: [.cacheControl]),
        AnswerCase(
            "304 with an Age",
            .asks(.picture(fresh, tag)),
            .asks(.unchanged(fresh, "Age: 50", tag), after: 60),
            .stored(after: 9),
            .asks(.changed(fresh), after: 1)
        ),
        AnswerCase(
            "304 with no-store",
            .asks(.picture(fresh, tag)),
            .asks(.unchanged("Cache-Control: no-store", tag), after: 60),
            .asks(.changed(fresh))
        )
        .differs(.voidInMemory, 2, at: [.memory]),
        AnswerCase(
            "304 with another entity tag",
            .asks(.picture(fresh, tag)),
            // Requested again, without a condition.
            Step(answer: .unchanged(fresh, "ETag: \"b\""), after: 60, asked: 2),
            .stored()
        ),
        AnswerCase(
            "304 to a request without a condition",
            .asks(ScriptedAnswer(status: "304 x", fields: [fresh], content: .nothing)),
            .asks(.picture(fresh), after: 13)
        )
        .differs(.picturesAlone, 1, at: .document + [.status]),
        AnswerCase(
            "replaced by an unstorable response",
            .asks(.picture(fresh, tag)),
            .asks(.changed("Cache-Control: no-store"), after: 60),
            .asks(.picture(fresh))
        )
        .differs(.voidInMemory, 2, at: [.memory]),
        AnswerCase(
            "must-revalidate, and the origin fails",
            .asks(.picture("Cache-Control: max-age=60, must-revalidate", tag)),
            .asks(.status("503 x"), after: 60),
            .asks(.unchanged(fresh, tag), after: 13)
        )
        .differs(.failureStatus, 2, at: [.status])
        .differs(.failureDocument, 2, at: .document),
        AnswerCase(
            "proxy-revalidate, and the origin fails",
            .asks(.picture("Cache-Control: max-age=60, proxy-revalidate", tag)),
            .asks(.status("503 x"), after: 60)
        )
        .differs(.failureStatus, 2, at: [.status])
        .differs(.failureDocument, 2, at: .document),
        AnswerCase(
            "s-maxage, and the origin fails",
            .asks(.picture("Cache-Control: s-maxage=60", tag)),
            .asks(.status("503 x"), after: 60)
        )
        .differs(.failureStatus, 2, at: [.status])
        .differs(.failureDocument, 2, at: .document),
        AnswerCase(
            "stale-if-error",
            .asks(.picture("Cache-Control: max-age=60, stale-if-error=600")),
            .asks(.status("503 x"), after: 60),
            .asks(.status("503 x"), after: 600)
        )
        .differs(.failureStatus, 3, at: [.status])
        .differs(.failureDocument, 3, at: .document),
        AnswerCase(
            "stale-if-error during the back-off",
            .asks(.picture("Cache-Control: max-age=60, stale-if-error=600")),
            .asks(.status("503 x"), after: 60),
            .remembered(.status("503 x"), after: 1),
            .asks(.changed(fresh), after: 13)
        ),
        AnswerCase(
            "the source's stale-if-error",
            .asks(.picture(fresh)),
            .asks(.status("500 x"), after: 60),
            .asks(.status("429 x"), after: 60),
            .asks(ScriptedAnswer(content: .cut), after: 60),
            .asks(.status("503 x"), after: 3600)
        )
        .differs(.failureStatus, 5, at: [.status])
        .differs(.failureDocument, 5, at: .document),
        AnswerCase(
            "stale-while-revalidate",
            .asks(.picture("Cache-Control: max-age=60, stale-while-revalidate=600")),
            Step(answer: .changed(fresh), after: 60, asked: 1, refreshes: true),
            .stored(after: 59)
        ),
        AnswerCase(
            "expired stale-while-revalidate",
            .asks(.picture("Cache-Control: max-age=60, stale-while-revalidate=30")),
            .asks(.changed(fresh), after: 90)
        ),
        AnswerCase(
            "stale, and gone",
            .asks(.picture(fresh, tag)),
            .asks(.status("404 x"), after: 60),
            .asks(.changed(fresh), after: 301)
        )
        .differs(.failureDocument, 2, at: .document)
        .differs(.failureLifetime, 2, at: [.disk])
        .differs(.failureLifetime, 3, at: [.way]),
        AnswerCase(
            "stale, and denied",
            .asks(.picture(fresh, tag)),
            .asks(.status("403 x"), after: 60),
            .asks(.unchanged(fresh, tag), after: 61)
        )
        .differs(.failureStatus, 2, at: [.status])
        .differs(.failureDocument, 2, at: .document),
    ]
}
