/// An index that takes the place of a lost one: files without rows are taken in until all have been looked at.
extension DiskIndex {
    /// Whether content files may lie in the folder that a lost index told of.
    mutating func isRebuilding() throws(SQLiteError) -> Bool {
        try connection.first("SELECT 1 FROM rebuilding LIMIT 1") { _ in true } ?? false
    }

    /// All files have rows now: what has none from here on is an orphan.
    ///
    /// - Parameter keepsRemovals: whether a seed layer needs to know for ever what was removed.
    mutating func endRebuilding(keepsRemovals: Bool) throws(SQLiteError) {
        try connection.run("DELETE FROM rebuilding")
        if keepsRemovals { return }
        try connection.run("DELETE FROM removed")
    }

    /// Notes that something was removed, so that files of it that have no rows yet are not taken in, nor the seed's served.
    mutating func noteRemoved(_ selection: PurgeSelection) throws(SQLiteError) {
        switch selection {
        case .originals(let keys): for key in keys { try noteRemoved(kind: 0, key.bytes) }
        case .source(let name): try noteRemoved(kind: 1, Array(name.utf8))
        case .all: try noteRemoved(kind: 2, [])
        case .prefixes, .tags, .confirmedBefore, .preset:
            try noteRemoved(kind: RemovedSelection.kind, RemovedSelection.encode(selection))
        }
    }

    /// Whether something has been removed since the rebuilding began.
    mutating func wasRemoved(_ subject: FlightSubject) throws(SQLiteError) -> Bool {
        let found = try connection.first(
            """
            SELECT 1 FROM removed WHERE (kind = 0 AND value = ?1) OR (kind = 1 AND value = ?2) \
            OR kind = 2 LIMIT 1
            """,
            [.key(subject.origin), .blob(Array(subject.source.utf8))]
        ) { _ in true }
        if found == true { return true }
        let verdicts = try connection.all(
            "SELECT value FROM removed WHERE kind = ?1",
            [.integer(RemovedSelection.kind)]
        ) { row in
            // What cannot be read may have been about anything.
            RemovedSelection.decode(row.blob(0))?.covers(subject) ?? true
        }
        return verdicts.contains(true)
    }

    private mutating func noteRemoved(kind: Int, _ value: [UInt8]) throws(SQLiteError) {
        try connection.run(
            "INSERT OR IGNORE INTO removed (kind, value) VALUES (?1, ?2)",
            [.integer(kind), .blob(value)]
        )
    }

    /// Gives an original's row the body whose file has been found.
    mutating func addBody(_ id: Int64, trailer: Int) throws(SQLiteError) {
        try connection.run(
            "UPDATE origins SET has_body = 1, trailer = ?2 WHERE id = ?1",
            [.integer(id), .integer(trailer)]
        )
    }
}
