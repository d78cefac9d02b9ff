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

    /// Whether no table, index or trigger of the current layout is missing.
    mutating func isComplete() throws(SQLiteError) -> Bool { Self.layoutNames.isSubset(of: try schemaNames()) }

    /// The names in the schema of a new index; empty if one cannot be created in memory.
    private static let layoutNames: Set<String> = {
        do {
            var index = try DiskIndex.writing(":memory:")
            return try index.schemaNames()
        } catch {
            return []
        }
    }()

    /// The names of tables, indexes and triggers, without SQLite's own.
    private mutating func schemaNames() throws(SQLiteError) -> Set<String> {
        Set(try connection.all("SELECT name FROM sqlite_schema WHERE name NOT GLOB 'sqlite_*'") { $0.text(0) ?? "" })
    }

    /// A copy in the current layout, in a temporary file.
    func migratedCopy() throws(SQLiteError) -> DiskIndex {
        var copy = try connection.copied()
        try copy.migrate(Self.migrations)
        return DiskIndex(copy)
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

    /// A well-formed row.
    struct CheckedRow {
        var id: Int64
        var key: CacheKey
        /// Whether lookups can read its record.
        var isReadable: Bool
    }

    /// The next well-formed rows above `id`.
    ///
    /// - Parameter isReadable: whether this release can read an entry's metadata.
    mutating func checkedRows(
        _ diskClass: DiskClass,
        above id: Int64,
        _ count: Int,
        isReadable: (DiskClass, _ metadata: [UInt8]) -> Bool
    ) throws(SQLiteError) -> [CheckedRow] {
        let values: [SQLiteValue] = [.integer(id), .integer(count)]
        let rows: [CheckedRow?]
        switch diskClass {
        case .originals:
            rows = try connection.all(Self.checkedOrigins, values) { Self.checkedOrigin($0, isReadable) }
        case .variants:
            rows = try connection.all(Self.checkedVariants, values) { Self.checkedVariant($0, isReadable) }
        }
        return rows.compactMap(\.self)
    }

    private static let checkedOrigins = """
        SELECT o.id, o.key, \(originRecordColumns) FROM origins o \
        WHERE o.id > ?1 AND length(o.key) = 32 AND length(o.digest) = 32 AND o.length >= 0 ORDER BY o.id LIMIT ?2
        """
    private static let checkedVariants = """
        SELECT v.id, v.key, v.record, v.digest, o.key FROM variants v LEFT JOIN origins o ON o.id = v.origin \
        WHERE v.id > ?1 AND length(v.key) = 32 AND length(v.digest) = 32 AND v.length >= 0 ORDER BY v.id LIMIT ?2
        """

    private static func checkedOrigin(
        _ row: SQLiteStatement,
        _ isReadable: (DiskClass, _ metadata: [UInt8]) -> Bool
    ) -> CheckedRow? {
        guard let key = row.key(1) else { return nil }
        var isRead = false
        if let record = originRecord(row, from: 2) {
            isRead = record.key == key && (record.kind == .raw || isReadable(.originals, record.metadata))
        }
        return CheckedRow(id: row.integer(0), key: key, isReadable: isRead)
    }

    private static func checkedVariant(
        _ row: SQLiteStatement,
        _ isReadable: (DiskClass, _ metadata: [UInt8]) -> Bool
    ) -> CheckedRow? {
        guard let key = row.key(1) else { return nil }
        var isRead = false
        if let record = VariantRecord(encoded: row.blob(2)[...]), record.key == key, record.digest == row.key(3) {
            // Without its original's row, the variant is void.
            isRead = isReadable(.variants, record.metadata) && (row.isNull(4) || record.origin == row.key(4))
        }
        return CheckedRow(id: row.integer(0), key: key, isReadable: isRead)
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
