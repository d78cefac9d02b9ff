import HTTPSemantics

/// The writer's changes to originals.
extension DiskIndex {
    /// The part of an original's row that the writer needs before it changes it.
    struct OriginEntry {
        var id: Int64
        var key: CacheKey
        var namespace: String
        var digest: CacheKey
        var length: Int
        var hasBody: Bool
        /// Bytes that follow the body in its file.
        var trailer: Int
        /// Whether the body's file is another row's, which counts the bytes.
        var isLinked: Bool
        /// Seconds since 1970.
        var responseTime: Int64

        /// The body's entry in the store, if there is one.
        var body: Entry? {
            guard hasBody else { return nil }
            return Entry(
                diskClass: .originals,
                namespace: namespace,
                id: id,
                key: key,
                digest: digest,
                length: length,
                trailer: trailer,
                isLinked: isLinked
            )
        }
    }

    /// The entry of a key.
    mutating func originEntry(_ key: CacheKey) throws(SQLiteError) -> OriginEntry? {
        let row = try connection.first(
            """
            SELECT id, digest, length, has_body, response_time, trailer, linked, namespace FROM origins WHERE key = ?1
            """,
            [.key(key)]
        ) { row in
            row.key(1).map { digest in
                OriginEntry(
                    id: row.integer(0),
                    key: key,
                    namespace: row.text(7) ?? "",
                    digest: digest,
                    length: row.count(2),
                    hasBody: row.integer(3) == 1,
                    trailer: row.count(5),
                    isLinked: row.integer(6) != 0,
                    responseTime: row.integer(4)
                )
            }
        }
        return row ?? nil
    }

    /// Inserts a row or replaces all of its values; the row's number stays.
    ///
    /// - Parameters:
    ///   - encoded: the encoded record, if already available.
    ///   - trailer: bytes that follow the body in its file.
    ///   - isLinked: whether another row counts the bytes.
    ///   - isForSeed: whether the seed has the body, so that the row is kept without one.
    /// - Returns: the row's number.
    mutating func putOrigin(
        _ record: OriginRecord,
        encoded: [UInt8]? = nil,
        hasBody: Bool,
        trailer: Int = 0,
        isLinked: Bool = false,
        isForSeed: Bool = false,
        use: Use
    ) throws(SQLiteError) -> Int64 {
        let upsert = Upsert(
            "origins",
            [
                "key": .key(record.key),
                "namespace": .text(record.namespace),
                "source": .text(record.source),
                "url": .text(record.url),
                "digest": .key(record.digest),
                "length": .integer(record.length),
                "response_time": .integer(record.freshness.responseTime),
                "initial_age": .integer(record.freshness.initialAge),
                "lifetime": .integer(record.freshness.lifetime),
                "tags": .text(record.tags.joined(separator: " ")),
                "sequence": .integer(record.stamp.sequence),
                "era": .integer(record.stamp.era),
                "has_body": .integer(hasBody ? 1 : 0),
                "for_seed": .integer(isForSeed ? 1 : 0),
                "trailer": .integer(trailer),
                "linked": .integer(isLinked ? 1 : 0),
                "used": .integer(use.order),
                "accessed_at": .integer(use.wallSeconds),
                "record": .blob(encoded ?? record.encoded),
            ]
        )
        let id = try put(upsert)
        try connection.run("DELETE FROM tags WHERE origin = ?1", [.integer(id)])
        for tag in record.tags {
            try connection.run("INSERT OR IGNORE INTO tags VALUES (?1, ?2)", [.text(tag), .integer(id)])
        }
        return id
    }

    /// A statement that inserts a row, or replaces the values of the row with its key.
    struct Upsert {
        let sql: String
        let values: [SQLiteValue]

        init(_ table: String, _ columns: KeyValuePairs<String, SQLiteValue>) {
            let names = columns.map(\.key)
            let marks = names.indices.map { "?\($0 + 1)" }
            let changes = zip(names, marks).map { "\($0) = \($1)" }
            sql = """
                INSERT INTO \(table) (\(names.joined(separator: ", "))) VALUES (\(marks.joined(separator: ", "))) \
                ON CONFLICT (key) DO UPDATE SET \(changes.joined(separator: ", ")) RETURNING id
                """
            values = columns.map(\.value)
        }
    }

    /// Writes a row.
    ///
    /// - Returns: its number.
    mutating func put(_ upsert: Upsert) throws(SQLiteError) -> Int64 {
        try connection.first(upsert.sql, upsert.values) { $0.integer(0) } ?? 0
    }

    /// Marks a row as having no body.
    mutating func dropBody(_ id: Int64) throws(SQLiteError) {
        try connection.run("UPDATE origins SET has_body = 0, linked = 0 WHERE id = ?1", [.integer(id)])
    }

    /// Deletes a row; its variants must be gone.
    mutating func deleteOrigin(_ id: Int64) throws(SQLiteError) {
        try connection.run("DELETE FROM origins WHERE id = ?1", [.integer(id)])
    }

    /// Deletes a row that has neither a body, here or in the seed, nor variants.
    mutating func deleteOriginIfUnused(_ id: Int64) throws(SQLiteError) {
        try connection.run(
            """
            DELETE FROM origins WHERE id = ?1 AND has_body = 0 AND for_seed = 0 \
            AND NOT EXISTS (SELECT 1 FROM variants WHERE origin = ?1) \
            AND NOT EXISTS (SELECT 1 FROM auxiliaries WHERE origin = ?1)
            """,
            [.integer(id)]
        )
    }
}
