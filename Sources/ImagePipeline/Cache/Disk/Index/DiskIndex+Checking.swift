/// What a check of the folder asks of the index.
extension DiskIndex {
    /// Opens the index to look at it, leaving no trace where that is possible.
    ///
    /// - Parameter isAtRest: whether nobody has it open and no log lies beside it.
    static func checking(_ path: String, isAtRest: Bool) throws(SQLiteError) -> DiskIndex {
        DiskIndex(try SQLiteConnection(path: path, access: isAtRest ? .immutable : .readOnly))
    }

    /// The schema's version; 0 where there is none.
    mutating func version() throws(SQLiteError) -> Int { try connection.schemaVersion() }

    /// Whether the tables are those of a store.
    mutating func hasTables() throws(SQLiteError) -> Bool {
        try connection.first(
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('origins', 'variants', 'totals')"
        ) { $0.integer(0) } == 3
    }

    /// What SQLite finds wrong with the file, at most ten sentences; none where it is sound.
    mutating func integrityProblems() throws(SQLiteError) -> [String] {
        try connection.all("PRAGMA integrity_check(10)") { $0.text(0) ?? "" }.filter { $0 != "ok" }
    }

    /// Builds SQLite's own indices anew from the tables.
    mutating func rebuildIndices() throws(SQLiteError) { try connection.execute("REINDEX") }

    /// Numbers of rows above `id` that no lookup could find.
    mutating func malformedRows(
        _ diskClass: DiskClass,
        above id: Int64,
        _ count: Int
    ) throws(SQLiteError) -> [Int64] {
        try connection.all(
            """
            SELECT id FROM \(Self.table(diskClass)) WHERE id > ?1 \
            AND (length(key) <> 32 OR length(digest) <> 32 OR length < 0) ORDER BY id LIMIT ?2
            """,
            [.integer(id), .integer(count)]
        ) { $0.integer(0) }
    }

    /// Deletes a row whatever it says.
    mutating func deleteRow(_ diskClass: DiskClass, _ id: Int64) throws(SQLiteError) {
        try connection.run("DELETE FROM \(Self.table(diskClass)) WHERE id = ?1", [.integer(id)])
    }

    /// Whether an origin's row without body has no variants either.
    ///
    /// - Parameter keepsSeeded: whether one that tells of a body in the seed layer is used.
    mutating func isUnused(_ id: Int64, keepsSeeded: Bool) throws(SQLiteError) -> Bool {
        try connection.first(
            """
            SELECT 1 FROM variants WHERE origin = ?1 UNION ALL \
            SELECT 1 FROM ingredients WHERE origin = ?1 UNION ALL \
            SELECT 1 FROM origins WHERE id = ?1 AND for_seed = 1 AND ?2 LIMIT 1
            """,
            [.integer(id), .integer(keepsSeeded ? 1 : 0)]
        ) { _ in true } == nil
    }

    private static func table(_ diskClass: DiskClass) -> String {
        diskClass == .originals ? "origins" : "variants"
    }
}
