import LinuxSystem

/// Changes to persisted failures that are not committed yet: one per key, in a bounded number.
final class DiskFailures: Sendable {
    /// The change of a key's row.
    enum Change: Hashable, Sendable {
        case keep(KeptFailure)
        case discard
    }

    private let keptCapacity: Int
    private let discardedCapacity: Int
    private let pending = Lock<[CacheKey: Change]>([:])

    /// Creates an empty collection.
    ///
    /// Deletions are small and matter more than additions, so they have a bound of their own.
    init(keptCapacity: Int, discardedCapacity: Int) {
        self.keptCapacity = keptCapacity
        self.discardedCapacity = discardedCapacity
    }

    /// Adds a change in place of the key's last one; drops it when full.
    ///
    /// - Returns: whether to wake the writer.
    func add(_ change: Change, for key: CacheKey) -> Bool {
        pending.withLock { pending in
            let capacity = change == .discard ? discardedCapacity : keptCapacity
            guard pending[key] != nil || pending.count < capacity else { return false }
            pending[key] = change
            return pending.count == max(1, keptCapacity / 4)
        }
    }

    /// Removes and returns all.
    func drain() -> [CacheKey: Change] {
        pending.withLock { pending in
            let taken = pending
            pending = [:]
            return taken
        }
    }

    /// Puts back changes whose transaction failed, unless their keys have newer ones.
    func putBack(_ changes: [CacheKey: Change]) {
        pending.withLock { pending in
            for (key, change) in changes where pending[key] == nil && pending.count < discardedCapacity {
                pending[key] = change
            }
        }
    }
}

/// Failures that survive a restart.
extension DiskIndex {
    /// Stores a failure in place of the key's old one, and deletes the oldest above `limit`.
    mutating func keep(_ failure: KeptFailure, limit: Int) throws(SQLiteError) {
        try connection.run(
            """
            INSERT OR REPLACE INTO failures \
            (key, origin, source, identity, url, plan, kind, error, payload, failures, until, has_stored) \
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
            """,
            [
                .key(failure.key), .key(failure.origin), .text(failure.source), .text(failure.identity),
                .text(failure.url),
                failure.plan.map { .text($0) } ?? .null, .text(failure.kind.rawValue), .text(Self.error(of: failure)),
                .text(failure.payload),
                .integer(failure.failures), .integer(failure.until), .integer(failure.hasStored ? 1 : 0),
            ]
        )
        // Row numbers only grow, so at most `limit` rows have one of the highest `limit` numbers.
        let newest = Int(connection.lastInsertedRow)
        try connection.run("DELETE FROM failures WHERE id <= ?1", [.integer(newest - max(0, limit))])
    }

    /// Deletes a key's failure.
    mutating func discardFailure(_ key: CacheKey) throws(SQLiteError) {
        try connection.run("DELETE FROM failures WHERE key = ?1", [.key(key)])
    }

    /// Deletes all failures.
    mutating func discardFailures() throws(SQLiteError) {
        try connection.run("DELETE FROM failures")
    }

    /// The stored failures, newest first, without those of a kind that this release does not know.
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

    /// The word, and what identifies the configuration; earlier releases stored the word alone.
    private static func error(of failure: KeptFailure) -> String {
        failure.configuration.isEmpty ? failure.word : "\(failure.word) \(failure.configuration)"
    }

    private static func keptFailure(_ row: SQLiteStatement) -> KeptFailure? {
        guard let key = row.key(0), let origin = row.key(1), let kind = FailureClass(rawValue: row.text(6) ?? "")
        else { return nil }
        let error = (row.text(7) ?? "").split(separator: " ", maxSplits: 1)
        return KeptFailure(
            key: key,
            origin: origin,
            source: row.text(2) ?? "",
            identity: row.text(3) ?? "",
            url: row.text(4) ?? "",
            plan: row.text(5),
            kind: kind,
            word: error.first.map(String.init) ?? "",
            payload: row.text(8) ?? "",
            // A damaged row must not make later sums overflow.
            failures: row.count(9),
            until: min(max(0, row.integer(10)), 1 << 40),
            hasStored: row.integer(11) == 1,
            configuration: error.count == 2 ? String(error[1]) : ""
        )
    }
}

/// Persists failures in batches: a crash loses those of the last seconds at most.
extension DiskStore: FailureKeeping {
    package func keep(_ failure: KeptFailure) { note(.keep(failure), for: failure.key) }

    package func discardFailure(_ key: CacheKey) { note(.discard, for: key) }

    package func keptFailures(limit: Int) -> [KeptFailure] {
        read { index throws(SQLiteError) in try index.failures(limit: limit) } ?? []
    }

    private func note(_ change: DiskFailures.Change, for key: CacheKey) {
        if shared.failures.add(change, for: key) { shared.queue.wake() }
    }
}
