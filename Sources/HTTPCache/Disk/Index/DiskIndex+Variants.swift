/// The writer's changes to variants.
extension DiskIndex {
    /// A variant's entry, and the number of its original's row.
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

    /// All variants of an original's row, or those made from another body than `digest`.
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

    /// Inserts a row or replaces all of its values; the row's number stays.
    ///
    /// - Parameters:
    ///   - encoded: the encoded record, if already available.
    ///   - namespace: the original's namespace.
    ///   - trailer: bytes that follow the body in its file.
    ///   - isLinked: whether another row counts the bytes.
    /// - Returns: the row's number.
    @discardableResult
    mutating func putVariant(
        _ record: VariantRecord,
        encoded: [UInt8]? = nil,
        origin id: Int64,
        namespace: String = "",
        trailer: Int = 0,
        isLinked: Bool = false,
        use: Use
    ) throws(SQLiteError) -> Int64 {
        let upsert = Upsert(
            "variants",
            [
                "key": .key(record.key),
                "origin": .integer(id),
                "namespace": .text(namespace),
                "origin_digest": .key(record.originDigest),
                "plan": .text(record.plan),
                "presets": .text(record.presets.joined(separator: " ")),
                "length": .integer(record.length),
                "digest": .key(record.digest),
                "trailer": .integer(trailer),
                "linked": .integer(isLinked ? 1 : 0),
                "resolved": record.resolved.map { .key($0) } ?? .null,
                "used": .integer(use.order),
                "accessed_at": .integer(use.wallSeconds),
                "record": .blob(encoded ?? record.encoded),
            ]
        )
        return try put(upsert)
    }

    /// Deletes a row.
    mutating func deleteVariant(_ id: Int64) throws(SQLiteError) {
        try connection.run("DELETE FROM variants WHERE id = ?1", [.integer(id)])
    }

    /// Whether a variant is void: its original is missing or has another body.
    mutating func isVoid(_ variant: VariantEntry) throws(SQLiteError) -> Bool {
        let isValid = try connection.first(
            """
            SELECT 1 FROM variants v JOIN origins o ON o.id = v.origin WHERE v.id = ?1 AND v.origin_digest = o.digest
            """,
            [.integer(variant.entry.id)]
        ) { _ in true }
        return isValid != true
    }

    static let entryColumns = "id, key, digest, length, origin, trailer, linked, namespace"

    static func variantEntry(_ row: SQLiteStatement) -> VariantEntry? {
        guard let key = row.key(1), let digest = row.key(2) else { return nil }
        let entry = Entry(
            diskClass: .variants,
            namespace: row.text(7) ?? "",
            id: row.integer(0),
            key: key,
            digest: digest,
            length: row.count(3),
            trailer: row.count(5),
            isLinked: row.integer(6) != 0
        )
        return VariantEntry(entry: entry, origin: row.integer(4))
    }
}

/// The auxiliary images of variants.
extension DiskIndex {
    /// Replaces a variant's auxiliary images.
    mutating func putAuxiliaries(
        _ rows: [(origin: Int64, digest: CacheKey)],
        of variant: Int64
    ) throws(SQLiteError) {
        for row in rows {
            try connection.run(
                "INSERT OR REPLACE INTO auxiliaries VALUES (?1, ?2, ?3)",
                [.integer(variant), .integer(row.origin), .key(row.digest)]
            )
        }
    }

    /// The variants that have an original as an auxiliary image, or only those made with another body of it than `digest`.
    mutating func variantEntries(
        madeWith id: Int64,
        except digest: CacheKey? = nil
    ) throws(SQLiteError) -> [VariantEntry] {
        try connection.all(
            """
            SELECT \(Self.entryColumns) FROM variants WHERE id IN \
            (SELECT variant FROM auxiliaries WHERE origin = ?1 AND (?2 IS NULL OR digest <> ?2))
            """,
            [.integer(id), digest.map { .key($0) } ?? .null],
            Self.variantEntry
        ).compactMap { $0 }
    }
}
