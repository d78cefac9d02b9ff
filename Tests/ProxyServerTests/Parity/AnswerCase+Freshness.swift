extension AnswerCase {
    /// The freshness of responses.
    static let freshness: [AnswerCase] = [
        AnswerCase(
            "max-age",
            .asks(.picture("Cache-Control: max-age=60")),
            .stored(),
            .stored(after: 59),
            .asks(.changed("Cache-Control: max-age=60"), after: 1),
            .stored(after: 10)
        ),
        AnswerCase(
            "s-maxage overrides max-age",
            .asks(.picture("Cache-Control: max-age=0, s-maxage=60")),
            .stored(after: 59),
            .asks(.changed("Cache-Control: max-age=60, s-maxage=0"), after: 1),
            .asks(.picture("Cache-Control: max-age=60"))
        )
        .differs(.staleAtOnce, 3, at: .storage)
        .differs(.staleAtOnce, 4, at: [.way]),
        AnswerCase(
            "two lines of Cache-Control",
            .asks(.picture("Cache-Control: max-age=60", "Cache-Control: must-revalidate")),
            .stored(after: 59),
            .asks(.status("503 x"), after: 1)
        )
        .differs(.failureStatus, 3, at: [.status])
        .differs(.failureDocument, 3, at: .document),
        AnswerCase(
            "equal directives: the first counts",
            .asks(.picture("Cache-Control: max-age=60, max-age=0")),
            .stored(after: 59),
            .asks(.changed("Cache-Control: max-age=60"), after: 1)
        ),
        AnswerCase(
            "invalid max-age",
            .asks(.picture("Cache-Control: max-age=soon")),
            .asks(.changed("Cache-Control: max-age=60"))
        ),
        AnswerCase(
            "immutable",
            .asks(.picture("Cache-Control: max-age=60, immutable")),
            .stored(after: 59),
            .asks(.changed("Cache-Control: max-age=60"), after: 1)
        ),
        AnswerCase(
            "Age from the origin",
            .asks(.picture("Cache-Control: max-age=60", "Age: 40")),
            .stored(after: 19),
            .asks(.changed("Cache-Control: max-age=60"), after: 1)
        ),
        AnswerCase(
            "Age above the lifetime",
            .asks(.picture("Cache-Control: max-age=60", "Age: 90")),
            .asks(.changed("Cache-Control: max-age=60"))
        ),
        AnswerCase(
            "Age above the lifetime, with a validator",
            .asks(.picture("Cache-Control: max-age=60", "Age: 90", "ETag: \"a\"")),
            .asks(.unchanged("Cache-Control: max-age=60", "ETag: \"a\"")),
            .stored(after: 59)
        ),
        AnswerCase(
            "Date of half a minute ago",
            .asks(.picture("Cache-Control: max-age=60", "Date: \(date(-30))")),
            .stored(after: 29),
            .asks(.changed("Cache-Control: max-age=60"), after: 1)
        ),
        AnswerCase(
            "Expires",
            .asks(.picture("Expires: \(date(60))")),
            .stored(after: 59),
            .asks(.changed("Expires: \(date(120))"), after: 1)
        )
        .differs(.statedLifetime, 1, 2, 3, at: [.cacheControl]),
        AnswerCase(
            "Expires minus Date",
            .asks(.picture("Date: \(date(0))", "Expires: \(date(60))")),
            .stored(after: 59),
            .asks(.changed("Cache-Control: max-age=60"), after: 1)
        )
        .differs(.statedLifetime, 1, 2, at: [.cacheControl]),
        AnswerCase(
            "Expires: 0",
            .asks(.picture("Expires: 0")),
            .asks(.changed("Expires: 0")),
            .asks(.status("503 x"))
        )
        .differs(.statedLifetime, 1, 2, 3, at: [.cacheControl]),
        AnswerCase(
            "Expires in the past",
            .asks(.picture("Expires: \(date(-60))")),
            .asks(.changed("Expires: \(date(-60))"))
        )
        .differs(.statedLifetime, 1, 2, at: [.cacheControl]),
        AnswerCase(
            "max-age overrides Expires",
            .asks(.picture("Cache-Control: max-age=60", "Expires: 0")),
            .stored(after: 59),
            .asks(.changed("Cache-Control: max-age=60"), after: 1)
        ),
        AnswerCase(
            "no freshness fields",
            .asks(.picture()),
            .asks(.changed())
        )
        .differs(.statedLifetime, 1, 2, at: [.cacheControl])
        .differs(.ttl, 1, at: .storage)
        .differs(.ttl, 2, at: .way + .storage + [.age, .content]),
        AnswerCase(
            "only Last-Modified",
            .asks(.picture("Last-Modified: \(date(-1000))")),
            .stored(after: 99),
            .asks(.unchanged(), after: 1)
        )
        .differs(.statedLifetime, 1, 2, 3, at: [.cacheControl])
        .differs(.ttl, 3, at: .way + [.conditions, .age]),
        AnswerCase(
            "CDN-Cache-Control overrides no-store",
            .asks(.picture("Cache-Control: no-store", "CDN-Cache-Control: max-age=60")),
            .stored(after: 59),
            .asks(.changed("Cache-Control: no-store", "CDN-Cache-Control: max-age=60"), after: 1)
        ),
        AnswerCase(
            "CDN-Cache-Control: no-store overrides max-age",
            .asks(.picture("Cache-Control: max-age=60", "CDN-Cache-Control: no-store")),
            .asks(.changed("Cache-Control: max-age=60", "CDN-Cache-Control: no-store"))
        ),
        AnswerCase(
            "malformed CDN-Cache-Control",
            .asks(.picture("Cache-Control: max-age=60", "CDN-Cache-Control: max-age=0, &")),
            .stored(after: 59),
            .asks(.changed("Cache-Control: max-age=60"), after: 1)
        ),
        AnswerCase(
            "CDN-Cache-Control overrides Expires",
            .asks(.picture("Expires: \(date(600))", "CDN-Cache-Control: max-age=60")),
            .stored(after: 59),
            .asks(.changed("Cache-Control: max-age=60"), after: 1)
        )
        .differs(.statedLifetime, 1, 2, at: [.cacheControl]),
    ]
}
