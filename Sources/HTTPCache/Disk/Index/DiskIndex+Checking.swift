/// Queries of a folder's check.
extension DiskIndex {
    /// Opens the index for inspection, without creating files where possible.
    ///
    /// - Parameter isAtRest: whether no process has it open, and it has no log.
    static func checking(_ path: String, isAtRest: Bool) throws(SQLiteError) -> DiskIndex {
        DiskIndex(try SQLiteConnection(path: path, access: isAtRest ? .immutable : .readOnly))
    }

    /// The schema's version; 0 if there is none.
    mutating func version() throws(SQLiteError) -> Int { try connection.schemaVersion() }

    /// Whether the tables are those of a store.
    mutating func hasTables() throws(SQLiteError) -> Bool {
        try connection.first(
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('origins', 'variants', 'totals')"
        ) { $0.integer(0) } == 3
    }

    /// The first ten results of SQLite's integrity check; empty if the file is sound.
    mutating func integrityProblems() throws(SQLiteError) -> [String] {
        try connection.all("PRAGMA integrity_check(10)") { $0.text(0) ?? "" }.filter { $0 != "ok" }
    }

    /// Rebuilds SQLite's indexes from the tables.
    mutating func rebuildIndices() throws(SQLiteError) { try connection.execute("REINDEX") }

    /// The numbers of malformed rows above `id`, which no lookup can find.
    mutating func malformedRows(
        _ diskClass: DiskClass,
        above id: Int64,
        _ count: Int
    ) throws(SQLiteError) -> [Int64] {
        try connection.all(
            """
            SELECT id FROM \(diskClass.table) WHERE id > ?1 \
            AND (length(key) <> 32 OR length(digest) <> 32 OR length < 0) ORDER BY id LIMIT ?2
            """,
            [.integer(id), .integer(count)]
        ) { $0.integer(0) }
    }

    /// Deletes a row regardless of its content.
    mutating func deleteRow(_ diskClass: DiskClass, _ id: Int64) throws(SQLiteError) {
        try connection.run("DELETE FROM \(diskClass.table) WHERE id = ?1", [.integer(id)])
    }

    /// Whether nothing needs an original's row that has no body.
    ///
    /// - Parameter keepsSeeded: whether a row for a body in the seed is needed.
    mutating func isUnused(_ id: Int64, keepsSeeded: Bool) throws(SQLiteError) -> Bool {
        try connection.first(
            """
            SELECT 1 FROM variants WHERE origin = ?1 UNION ALL \
            SELECT 1 FROM auxiliaries WHERE origin = ?1 UNION ALL \
            SELECT 1 FROM origins WHERE id = ?1 AND for_seed = 1 AND ?2 LIMIT 1
            """,
            [.integer(id), .integer(keepsSeeded ? 1 : 0)]
        ) { _ in true } == nil
    }
}
