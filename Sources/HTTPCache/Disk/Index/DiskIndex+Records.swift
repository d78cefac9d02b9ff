/// The migration from layout 10, with a column for each field of a record, to layout 11, with the record in one column.
///
/// The new rows hold the bytes that layout 10 wrote into a file's trailer, which `RecordCodec` reads. The migration is a single
/// transaction, so an interrupted attempt leaves layout 10.
extension DiskIndex {
    /// Rows per batch.
    private static let rowsAtOnce = 1024

    static func moveRecords(_ connection: inout SQLiteConnection) throws(SQLiteError) {
        try connection.execute(setAside + newTables)
        try moveOrigins(&connection)
        try moveVariants(&connection)
        // Create indexes last: building them at once needs no random writes.
        try connection.execute("DROP TABLE old_variants; DROP TABLE old_origins;" + newIndices)
    }

    /// Triggers first, since renaming would rewrite them.
    private static let setAside = """
        DROP TRIGGER origins_lose_tags;
        DROP TRIGGER variants_lose_ingredients;
        DROP TRIGGER origins_lose_ingredients;
        DROP TRIGGER ingredients_lose_origins;
        DROP INDEX origins_by_use;
        DROP INDEX origins_by_place;
        DROP INDEX origins_by_confirmation;
        DROP INDEX variants_by_use;
        DROP INDEX variants_by_origin;
        DROP INDEX variants_by_plan;
        DROP INDEX ingredients_by_origin;
        ALTER TABLE ingredients RENAME TO auxiliaries;
        ALTER TABLE origins RENAME TO old_origins;
        ALTER TABLE variants RENAME TO old_variants;
        """

    private static let newTables = """
        CREATE TABLE origins (
            id INTEGER PRIMARY KEY,
            key BLOB NOT NULL,
            source TEXT NOT NULL,
            url TEXT NOT NULL,
            digest BLOB NOT NULL,
            length INTEGER NOT NULL,
            response_time INTEGER NOT NULL,
            initial_age INTEGER NOT NULL,
            lifetime INTEGER NOT NULL,
            tags TEXT NOT NULL,
            has_body INTEGER NOT NULL,
            for_seed INTEGER NOT NULL,
            trailer INTEGER NOT NULL,
            used INTEGER NOT NULL,
            accessed_at INTEGER NOT NULL,
            record BLOB NOT NULL
        ) STRICT;
        CREATE TABLE variants (
            id INTEGER PRIMARY KEY,
            key BLOB NOT NULL,
            origin INTEGER NOT NULL,
            origin_digest BLOB NOT NULL,
            plan TEXT NOT NULL,
            presets TEXT NOT NULL,
            length INTEGER NOT NULL,
            digest BLOB NOT NULL,
            trailer INTEGER NOT NULL,
            used INTEGER NOT NULL,
            accessed_at INTEGER NOT NULL,
            record BLOB NOT NULL
        ) STRICT;
        """

    private static let newIndices = """
        CREATE UNIQUE INDEX origins_by_key ON origins (key);
        CREATE INDEX origins_by_use ON origins (used, length) WHERE has_body = 1;
        CREATE INDEX origins_by_place ON origins (source, url);
        CREATE INDEX origins_by_confirmation ON origins (response_time);
        CREATE UNIQUE INDEX variants_by_key ON variants (key);
        CREATE INDEX variants_by_use ON variants (used, length);
        CREATE INDEX variants_by_origin ON variants (origin);
        CREATE INDEX variants_by_plan ON variants (plan, presets);
        CREATE INDEX auxiliaries_by_origin ON auxiliaries (origin);
        CREATE TRIGGER origins_lose_tags AFTER DELETE ON origins BEGIN
            DELETE FROM tags WHERE origin = OLD.id;
        END;
        CREATE TRIGGER variants_lose_auxiliaries AFTER DELETE ON variants BEGIN
            DELETE FROM auxiliaries WHERE variant = OLD.id;
        END;
        CREATE TRIGGER origins_lose_auxiliaries AFTER DELETE ON origins BEGIN
            DELETE FROM auxiliaries WHERE origin = OLD.id;
        END;
        CREATE TRIGGER auxiliaries_lose_origins AFTER DELETE ON auxiliaries BEGIN
            DELETE FROM origins WHERE id = OLD.origin AND has_body = 0 AND for_seed = 0
            AND NOT EXISTS (SELECT 1 FROM variants WHERE origin = OLD.origin)
            AND NOT EXISTS (SELECT 1 FROM auxiliaries WHERE origin = OLD.origin);
        END;
        """

    /// The columns of layout 10 that were fields of an original's record, with their tags; `tags` was a list.
    private static let originColumns: KeyValuePairs<String, UInt16> = [
        "key": 1, "source": 2, "url": 3, "digest": 4, "length": 5, "format": 6, "width": 7, "height": 8, "frames": 9,
        "orientation": 10, "has_alpha": 11, "entity_tag": 12, "last_modified": 13, "cache_control": 14,
        "client_cache_control": 20, "response_time": 15, "initial_age": 16, "lifetime": 17, "advertised_lifetime": 18,
        "kind": 21, "placeholder": 22,
    ]
    private static let originTags: UInt16 = 19

    /// The same for a variant's record, `v`; `presets` was a list, and the original's key is in the original's row.
    private static let variantColumns: KeyValuePairs<String, UInt16> = [
        "v.key": 1, "v.origin_digest": 3, "v.plan": 4, "v.format": 5, "v.width": 6, "v.height": 7, "v.frames": 8,
        "v.length": 9, "v.digest": 10, "nullif(v.stand_in, 0)": 12, "v.ingredients": 13,
    ]
    private static let variantOrigin: UInt16 = 2
    private static let variantPresets: UInt16 = 11

    private static func moveOrigins(_ connection: inout SQLiteConnection) throws(SQLiteError) {
        let columns = originColumns.map(\.key).joined(separator: ", ")
        let select = "SELECT id, tags, \(columns) FROM old_origins WHERE id > ?1 ORDER BY id LIMIT \(rowsAtOnce)"
        let insert = """
            INSERT INTO origins SELECT id, key, source, url, digest, length, response_time, initial_age, lifetime, tags, \
            has_body, for_seed, trailer, used, accessed_at, ?2 FROM old_origins WHERE id = ?1
            """
        try move(&connection, select, insert) { row in
            var fields = fields(row, from: 2, originColumns)
            for tag in words(row.text(1)) { fields.put(originTags, tag) }
            return fields
        }
    }

    private static func moveVariants(_ connection: inout SQLiteConnection) throws(SQLiteError) {
        let columns = variantColumns.map(\.key).joined(separator: ", ")
        let select = """
            SELECT v.id, v.presets, o.key, \(columns) FROM old_variants v LEFT JOIN old_origins o ON o.id = v.origin \
            WHERE v.id > ?1 ORDER BY v.id LIMIT \(rowsAtOnce)
            """
        let insert = """
            INSERT INTO variants SELECT id, key, origin, origin_digest, plan, presets, length, digest, trailer, used, \
            accessed_at, ?2 FROM old_variants WHERE id = ?1
            """
        try move(&connection, select, insert) { row in
            var fields = fields(row, from: 3, variantColumns)
            // Without its original's row, a variant is void anyway.
            fields.put(variantOrigin, row.blob(2))
            for preset in words(row.text(1)) { fields.put(variantPresets, preset) }
            return fields
        }
    }

    private static func move(
        _ connection: inout SQLiteConnection,
        _ select: String,
        _ insert: String,
        _ read: (SQLiteStatement) -> TaggedFields
    ) throws(SQLiteError) {
        var last = Int64.min
        while true {
            let rows = try connection.all(select, [.integer(last)]) { (id: $0.integer(0), fields: read($0)) }
            guard let end = rows.last else { return }
            last = end.id
            for row in rows { try connection.run(insert, [.integer(row.id), .blob(row.fields.bytes)]) }
        }
    }

    private static func fields(
        _ row: SQLiteStatement,
        from start: Int32,
        _ columns: KeyValuePairs<String, UInt16>
    ) -> TaggedFields {
        var fields = TaggedFields()
        for (offset, column) in columns.enumerated() {
            switch row.value(start + Int32(offset)) {
            case .null: break
            case .integer(let number): fields.put(column.value, number)
            case .text(let text): fields.put(column.value, text)
            case .blob(let bytes): fields.put(column.value, bytes)
            }
        }
        return fields
    }
}
