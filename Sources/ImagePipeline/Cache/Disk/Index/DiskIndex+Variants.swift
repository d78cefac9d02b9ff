import ImagePlan

/// What the writer does to variants' rows.
extension DiskIndex {
    /// A variant's entry in the store, and its origin's row.
    struct VariantEntry {
        var entry: Entry
        var origin: Int64
    }

    /// The entry of a key.
    mutating func variantEntry(_ key: CacheKey) throws(SQLiteError) -> VariantEntry? {
        let row = try connection.first(
            "SELECT \(Self.entryColumns) FROM variants WHERE key = ?1",
            [.key(key)],
            Self.variantEntry
        )
        return row ?? nil
    }

    /// All variants of an origin's row, or those that were made from another body than `digest`.
    mutating func variantEntries(
        ofOrigin id: Int64,
        except digest: CacheKey? = nil
    ) throws(SQLiteError) -> [VariantEntry] {
        try connection.all(
            "SELECT \(Self.entryColumns) FROM variants WHERE origin = ?1 AND (?2 IS NULL OR origin_digest <> ?2)",
            [.integer(id), digest.map { .key($0) } ?? .null],
            Self.variantEntry
        ).compactMap { $0 }
    }

    /// Inserts a row or replaces all of its values.
    ///
    /// - Parameter trailer: bytes that follow the body in its file.
    mutating func putVariant(
        _ record: VariantRecord,
        origin id: Int64,
        trailer: Int = 0,
        use: Use
    ) throws(SQLiteError) {
        try connection.run(
            Self.upsertVariant,
            [
                .key(record.key),
                .integer(id),
                .key(record.originDigest),
                .text(record.plan),
                .integer(Int64(record.format.rawValue)),
                .integer(record.width),
                .integer(record.height),
                .integer(record.frames),
                .integer(record.length),
                .key(record.digest),
                .integer(use.order),
                .integer(use.wallSeconds),
                .integer(trailer),
                .text(record.presets.joined(separator: " ")),
                .integer(record.isStandIn ? 1 : 0),
                record.ingredients.isEmpty ? .null : .blob(record.ingredientBytes),
            ]
        )
    }

    /// Deletes a row.
    mutating func deleteVariant(_ id: Int64) throws(SQLiteError) {
        try connection.run("DELETE FROM variants WHERE id = ?1", [.integer(id)])
    }

    /// Whether a variant was made from another body than its origin's row tells of, or has no origin.
    mutating func isVoid(_ variant: VariantEntry) throws(SQLiteError) -> Bool {
        let isValid = try connection.first(
            """
            SELECT 1 FROM variants v JOIN origins o ON o.id = v.origin WHERE v.id = ?1 AND v.origin_digest = o.digest
            """,
            [.integer(variant.entry.id)]
        ) { _ in true }
        return isValid != true
    }

    static let entryColumns = "id, key, digest, length, origin, trailer"

    static func variantEntry(_ row: SQLiteStatement) -> VariantEntry? {
        guard let key = row.key(1), let digest = row.key(2) else { return nil }
        let entry = Entry(
            diskClass: .variants,
            id: row.integer(0),
            key: key,
            digest: digest,
            length: Int(row.integer(3)),
            trailer: Int(row.integer(5))
        )
        return VariantEntry(entry: entry, origin: row.integer(4))
    }

    private static let upsertVariant = """
        INSERT INTO variants (key, origin, origin_digest, plan, format, width, height, frames, length, digest, used, \
        accessed_at, trailer, presets, stand_in, ingredients) \
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16) \
        ON CONFLICT (key) DO UPDATE SET \
        origin = ?2, origin_digest = ?3, plan = ?4, format = ?5, width = ?6, height = ?7, frames = ?8, length = ?9, \
        digest = ?10, used = ?11, accessed_at = ?12, trailer = ?13, presets = ?14, stand_in = ?15, ingredients = ?16
        """
}
