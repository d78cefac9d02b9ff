/// Failures that outlive the process.
extension DiskIndex {
    /// Keeps a failure in place of the key's old one, and no more than so many in all: the oldest go.
    mutating func keep(_ failure: KeptFailure, limit: Int) throws(SQLiteError) {
        guard let (word, payload) = failure.error.text else { return }
        try connection.run(
            """
            INSERT OR REPLACE INTO failures \
            (key, origin, source, identity, url, plan, kind, error, payload, failures, until, has_stored) \
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
            """,
            [
                .key(failure.key), .key(failure.origin), .text(failure.source), .text(failure.identity),
                .text(failure.url),
                failure.plan.map { .text($0) } ?? .null, .text(failure.kind.rawValue), .text(word), .text(payload),
                .integer(failure.failures), .integer(failure.until), .integer(failure.hasStored ? 1 : 0),
            ]
        )
        // Numbers only grow, so that this many of the newest are at most as many rows.
        let newest = Int(connection.lastInsertedRow)
        try connection.run("DELETE FROM failures WHERE id <= ?1", [.integer(newest - max(0, limit))])
    }

    /// Forgets a key's failure.
    mutating func discardFailure(_ key: CacheKey) throws(SQLiteError) {
        try connection.run("DELETE FROM failures WHERE key = ?1", [.key(key)])
    }

    /// The failures that are kept, newest first; those of words that this release does not know are left out.
    mutating func failures(limit: Int) throws(SQLiteError) -> [KeptFailure] {
        try connection.all(
            """
            SELECT key, origin, source, identity, url, plan, kind, error, payload, failures, until, has_stored \
            FROM failures ORDER BY id DESC LIMIT ?1
            """,
            [.integer(limit)],
            Self.keptFailure
        ).compactMap(\.self)
    }

    private static func keptFailure(_ row: SQLiteStatement) -> KeptFailure? {
        guard let key = row.key(0), let origin = row.key(1), let kind = FailureClass(rawValue: row.text(6) ?? ""),
            let error = PipelineError(word: row.text(7) ?? "", payload: row.text(8) ?? "")
        else { return nil }
        return KeptFailure(
            key: key,
            origin: origin,
            source: row.text(2) ?? "",
            identity: row.text(3) ?? "",
            url: row.text(4) ?? "",
            plan: row.text(5),
            kind: kind,
            error: error,
            failures: Int(row.integer(9)),
            // Whatever a damaged row says, sums with it stay sums.
            until: min(max(0, row.integer(10)), 1 << 40),
            hasStored: row.integer(11) == 1
        )
    }
}
