extension AnswerCase {
    private static let fresh = "Cache-Control: max-age=60"

    /// The storability of responses.
    static let storing: [AnswerCase] = [
        AnswerCase(
            "no-store",
            .asks(.picture("Cache-Control: max-age=60, no-store", "ETag: \"a\"")),
            .asks(.changed("Cache-Control: max-age=60, no-store"))
        ),
        AnswerCase(
            "private",
            .asks(.picture("Cache-Control: max-age=60, private", "ETag: \"a\"")),
            .asks(.changed("Cache-Control: max-age=60, private"))
        ),
        AnswerCase(
            "private=\"etag\"",
            .asks(.picture("Cache-Control: private=\"etag\", max-age=60", "ETag: \"a\"")),
            .stored(after: 59)
        ),
        AnswerCase(
            "private=\"set-cookie\"",
            .asks(.picture("Cache-Control: private=\"set-cookie\", max-age=60", "Set-Cookie: a=b")),
            .stored(after: 59)
        ),
        AnswerCase(
            "no-cache",
            .asks(.picture("Cache-Control: no-cache, max-age=60", "ETag: \"a\"")),
            .asks(.unchanged("Cache-Control: no-cache, max-age=60", "ETag: \"a\"")),
            .asks(.changed("Cache-Control: no-cache, max-age=60", "ETag: \"b\"")),
            .asks(.status("503 x"))
        )
        .differs(.failureStatus, 4, at: [.status])
        .differs(.failureDocument, 4, at: .document),
        AnswerCase(
            "no-cache without a validator",
            .asks(.picture("Cache-Control: no-cache")),
            .asks(.changed("Cache-Control: no-cache"))
        )
        .differs(.staleAtOnce, 1, at: .storage)
        .differs(.staleAtOnce, 2, at: .storage + [.way]),
        AnswerCase(
            "no-cache=\"set-cookie\"",
            .asks(.picture("Cache-Control: no-cache=\"set-cookie\", max-age=60", "Set-Cookie: a=b")),
            .stored(after: 59)
        )
        .differs(.cookies, 1, at: .storage)
        .differs(.cookies, 2, at: .way + .document + [.age]),
        AnswerCase(
            "no-cache=\"secret\"",
            .asks(.picture("Cache-Control: no-cache=\"secret\", max-age=60", "Secret: 1")),
            .stored(after: 59),
            .asks(.changed(fresh), after: 1)
        ),
        AnswerCase(
            "no-cache=\"etag\"",
            .asks(.picture("Cache-Control: no-cache=\"etag\", max-age=60", "ETag: \"a\"")),
            .asks(.unchanged("Cache-Control: no-cache=\"etag\", max-age=60", "ETag: \"a\""))
        ),
        AnswerCase(
            "must-understand with no-store",
            .asks(.picture("Cache-Control: max-age=60, must-understand, no-store")),
            .stored(after: 59),
            .asks(.changed(fresh), after: 1)
        ),
        AnswerCase("Set-Cookie", .asks(.picture(fresh, "Set-Cookie: a=b")), .stored(after: 59))
            .differs(.cookies, 1, at: .storage)
            .differs(.cookies, 2, at: .way + [.age, .content]),
        AnswerCase(
            "Authorization in the request",
            .asks(.picture(fresh), with: "Authorization: Basic eDp5"),
            .stored()
        )
        .differs(.authorization, 1, at: .storage)
        .differs(.authorization, 2, at: .way + [.age, .content]),
        AnswerCase(
            "Authorization in the request, public",
            .asks(.picture("Cache-Control: max-age=60, public"), with: "Authorization: Basic eDp5"),
            .stored()
        ),
        AnswerCase(
            "no-store in the request",
            .asks(.picture(fresh), with: "Cache-Control: no-store"),
            .stored()
        )
        .differs(.requestDirectives, 1, at: .storage + [.way])
        .differs(.requestDirectives, 2, at: .way + [.age, .content]),
        AnswerCase(
            "no-cache in the request",
            .asks(.picture(fresh, "ETag: \"a\"")),
            .stored(with: "Cache-Control: no-cache")
        )
        .differs(.requestDirectives, 2, at: .way + [.conditions, .age, .content]),
        AnswerCase(
            "only-if-cached in the request",
            Step(request: ["Cache-Control: only-if-cached"]),
            .asks(.picture(fresh)),
            .stored(after: 59, with: "Cache-Control: only-if-cached"),
            Step(request: ["Cache-Control: only-if-cached"], after: 1)
        ),
        AnswerCase("Vary: *", .asks(.picture(fresh, "Vary: *")), .asks(.changed(fresh, "Vary: *"))),
        AnswerCase(
            "Vary: Accept-Language",
            .asks(.picture(fresh, "Vary: Accept-Language"), with: "Accept-Language: de"),
            .stored(with: "Accept-Language: de"),
            .stored(with: "Accept-Language: fr")
        )
        .differs(.vary, 3, at: .way + [.age, .content]),
        AnswerCase(
            "Range, nothing stored",
            .asks(.picture(fresh), with: "Range: bytes=0-9"),
            .stored()
        ),
        AnswerCase(
            "Range of a stored response",
            .asks(.picture(fresh)),
            .stored(with: "Range: bytes=0-9"),
            .stored(with: "Range: bytes=99999-")
        )
        .differs(.failureDocument, 3, at: .document + [.age]),
        AnswerCase(
            "If-None-Match, nothing stored",
            .asks(.picture(fresh, "ETag: \"a\""), with: "If-None-Match: \"z\""),
            .stored()
        )
        .differs(.conditions, 1, at: [.conditions]),
        AnswerCase(
            "If-Modified-Since of a stored response",
            .asks(.picture(fresh, "Last-Modified: \(date(-1000))")),
            .stored(with: "If-Modified-Since: \(date(-1000))"),
            .stored(with: "If-Modified-Since: \(date(-2000))")
        ),
        AnswerCase(
            "If-Modified-Since of a response with only a Date",
            .asks(.picture(fresh, "Date: \(date(0))")),
            .stored(with: "If-Modified-Since: \(date(0))")
        )
        .differs(.conditions, 2, at: [.status, .content]),
        AnswerCase(
            "HEAD, nothing stored",
            Step(method: "HEAD", answer: .picture(fresh), asked: 1),
            .stored(),
            Step(method: "HEAD")
        )
        .differs(.head, 1, at: .storage)
        .differs(.head, 2, at: .way + [.age, .content]),
    ]
}
