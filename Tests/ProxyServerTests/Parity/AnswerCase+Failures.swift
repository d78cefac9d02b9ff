extension AnswerCase {
    private static let fresh = "Cache-Control: max-age=60"

    /// Responses without an image, and failures.
    static let failures: [AnswerCase] = remembered + answered

    /// Failures that an image source caches for the time of their class.
    private static let remembered: [AnswerCase] =
        [
            missing("404 x"), missing("410 x"), bare("502 x", over: 13),
            bare("401 x", over: 61).differs(.failureStatus, 1, at: [.status]),
            bare("403 x", over: 61).differs(.failureStatus, 1, at: [.status]),
            bare("429 x", over: 13).differs(.failureStatus, 1, at: [.status]),
            bare("500 x", over: 13).differs(.failureStatus, 1, at: [.status]),
            bare("503 x", over: 13).differs(.failureStatus, 1, at: [.status]),
            timed("429 x", "Retry-After: 30", then: "Retry-After: 1"),
            timed("503 x", "Retry-After: 30", then: "Retry-After: 1"),
            timed("503 x", "Retry-After: \(date(30))", then: "Retry-After: 1"),
            AnswerCase(
                "consecutive failures",
                .asks(.status("503 x")),
                .asks(.status("503 x"), after: 13),
                .remembered(.status("503 x"), after: 13),
                .asks(.picture(fresh), after: 13)
            )
            .differs(.failureStatus, 1, 2, at: [.status]).differs(.failureDocument, 1, 2, at: .document),
        ]
        + [
            lost("aborted in the body", ScriptedAnswer(fields: [fresh], content: .half)),
            lost("aborted before the head", ScriptedAnswer(content: .cut)),
            AnswerCase("refused connection", Step(isDead: true), Step(isDead: true), Step(after: 13, isDead: true)),
        ]

    /// A failure without stated lifetime, cached for a few seconds.
    private static func bare(_ status: String, over seconds: Int64) -> AnswerCase {
        AnswerCase(
            "\(status.prefix(3))",
            .asks(.status(status)),
            .remembered(.status(status)),
            .asks(.picture(fresh), after: seconds)
        )
        .differs(.failureDocument, 1, at: .document)
    }

    /// A failure that is storable without a stated lifetime (RFC 9110 §15.1), cached for five minutes.
    private static func missing(_ status: String) -> AnswerCase {
        AnswerCase(
            "\(status.prefix(3))",
            .asks(.status(status)),
            .remembered(.status(status)),
            .asks(.picture(fresh), after: 301)
        )
        .differs(.failureDocument, 1, 2, at: .document)
        .differs(.failureLifetime, 1, at: .storage)
        .differs(.failureLifetime, 2, at: .storage + [.detail, .age])
        .differs(.failureLifetime, 3, at: [.way])
    }

    /// A failure with `Retry-After` of half a minute.
    private static func timed(_ status: String, _ field: String, then rest: String) -> AnswerCase {
        AnswerCase(
            "\(status.prefix(3)) with \(field)",
            .asks(.status(status, field)),
            .remembered(.status(status, rest), after: 29),
            .asks(.picture(fresh), after: 1)
        )
        .differs(.failureStatus, 1, at: [.status]).differs(.failureDocument, 1, at: .document)
        .differs(.firstRetryAfter, 1, at: [.retryAfter])
    }

    /// No response at all.
    private static func lost(_ name: String, _ answer: ScriptedAnswer) -> AnswerCase {
        AnswerCase(name, .asks(answer), .remembered(answer), .asks(.picture(fresh), after: 13))
    }

    /// Failures and responses without an image, with caching fields.
    private static let answered: [AnswerCase] = [
        AnswerCase("400", .asks(.status("400 x")), .asks(.picture(fresh)))
            .differs(.failureStatus, 1, at: [.status])
            .differs(.failureDocument, 1, at: .document),
        AnswerCase(
            "404 with max-age",
            .asks(.status("404 x", fresh)),
            .remembered(.status("404 x", fresh), after: 59),
            .asks(.picture(fresh), after: 1)
        )
        .differs(.failureDocument, 1, 2, at: .document)
        .differs(.failureLifetime, 1, at: .storage)
        .differs(.failureLifetime, 2, at: .storage + [.detail, .age])
        .differs(.failureLifetime, 3, at: [.way]),
        AnswerCase("404 with no-store", .asks(.status("404 x", "Cache-Control: no-store")), .asks(.picture(fresh)))
            .differs(.failureDocument, 1, at: [.content]),
        AnswerCase(
            "403 with max-age",
            .asks(.status("403 x", "Cache-Control: max-age=30")),
            .remembered(.status("403 x", fresh), after: 29),
            .asks(.status("403 x", fresh), after: 1)
        )
        .differs(.failureStatus, 1, 2, 3, at: [.status])
        .differs(.failureDocument, 1, 2, 3, at: .document)
        .differs(.failureLifetime, 1, at: .storage)
        .differs(.failureLifetime, 2, at: .storage + [.detail, .age])
        .differs(.failureLifetime, 3, at: .way + .storage),
        AnswerCase(
            "500 with max-age",
            .asks(.status("500 x", fresh)),
            .remembered(.status("500 x", fresh), after: 5),
            .remembered(.status("500 x", fresh), after: 54)
        )
        .differs(.failureStatus, 1, 2, 3, at: [.status])
        .differs(.failureDocument, 1, 2, 3, at: .document)
        .differs(.failureLifetime, 1, at: .storage)
        .differs(.failureLifetime, 2, at: .storage + [.detail, .age, .retryAfter])
        .differs(.failureLifetime, 3, at: .way + .storage + [.age]),
        AnswerCase(
            "301 with max-age",
            .asks(ScriptedAnswer(status: "301 x", fields: [fresh, "Location: /elsewhere.png"], content: .nothing)),
            .stored(after: 59)
        )
        .differs(.redirects, 1, at: [.asked, .status, .forwardedStatus, .content])
        .differs(.redirects, 2, at: [.status, .content]),
        AnswerCase(
            "302",
            .asks(ScriptedAnswer(status: "302 x", fields: ["Location: /elsewhere.png"], content: .nothing)),
            .asks(ScriptedAnswer(status: "302 x", fields: ["Location: /elsewhere.png"], content: .nothing))
        )
        .differs(.redirects, 1, at: .document + .storage + [.asked, .status, .forwardedStatus])
        .differs(.redirects, 2, at: .way + .document + .storage + [.status, .age]),
        AnswerCase(
            "204 with max-age",
            .asks(ScriptedAnswer(status: "204 x", fields: [fresh], content: .nothing)),
            .remembered(ScriptedAnswer(status: "204 x", fields: [fresh], content: .nothing), after: 5)
        )
        .differs(.picturesAlone, 1, at: .document + .storage + [.status])
        .differs(.picturesAlone, 2, at: .document + .storage + [.status, .detail, .age, .retryAfter]),
        AnswerCase(
            "unrequested 206",
            .asks(
                ScriptedAnswer(status: "206 x", fields: [fresh, "Content-Range: bytes 0-9/99"], content: .first)
            ),
            .asks(.picture(fresh), after: 13)
        )
        .differs(.picturesAlone, 1, at: .document + [.status]),
        AnswerCase(
            "203 with max-age",
            .asks(ScriptedAnswer(status: "203 x", fields: [fresh])),
            .remembered(ScriptedAnswer(status: "203 x", fields: [fresh]), after: 5)
        )
        .differs(.picturesAlone, 1, at: .document + .storage + [.status])
        .differs(.picturesAlone, 2, at: .document + .storage + [.status, .detail, .age, .retryAfter]),
        AnswerCase(
            "a page instead of an image",
            .asks(.status("200 OK", fresh)),
            .remembered(.status("200 OK", fresh), after: 59),
            .asks(.picture(fresh), after: 600)
        )
        .differs(.picturesAlone, 1, at: .document + .storage + [.status])
        .differs(.picturesAlone, 2, at: .document + .storage + [.status, .detail, .age])
        .differs(.picturesAlone, 3, at: [.way]),
    ]
}
