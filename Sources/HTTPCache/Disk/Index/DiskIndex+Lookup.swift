import HTTPSemantics

/// Lookups.
extension DiskIndex {
    /// A variant's row with its original's.
    struct VariantRow {
        var record: VariantRecord
        var origin: OriginRecord
        /// Bytes that follow the body in its file.
        var trailer: Int

        /// The subject for purging.
        var subject: PurgeSubject { PurgeSubject(record, of: origin) }
    }

    /// An original's row.
    struct OriginRow {
        var record: OriginRecord
        var hasBody: Bool
        /// Bytes that follow the body in its file.
        var trailer: Int

        /// The subject for purging.
        var subject: PurgeSubject { PurgeSubject(record) }
    }

    /// Looks up a variant; skips a void one, which was made from another body of its original.
    mutating func variant(_ key: CacheKey) throws(SQLiteError) -> VariantRow? {
        let row = try connection.first(Self.selectVariant, [.key(key)]) { Self.variantRow($0) }
        return (row ?? nil).flatMap { $0.record.key == key ? $0 : nil }
    }

    /// The labels of an original's variants, without those made from another body, the newest first.
    mutating func labels(ofVariantsOf key: CacheKey, limit: Int) throws(SQLiteError) -> [String] {
        try connection.all(
            """
            SELECT v.plan FROM origins o JOIN variants v ON v.origin = o.id \
            WHERE o.key = ?1 AND v.origin_digest = o.digest ORDER BY v.id DESC LIMIT ?2
            """,
            [.key(key), .integer(limit)]
        ) { $0.text(0) }.compactMap(\.self)
    }

    /// Reads a variant's row from `variantRowColumns`; `nil` if this release cannot read it.
    static func variantRow(_ row: SQLiteStatement) -> VariantRow? {
        guard let record = VariantRecord(encoded: row.blob(0)[...]), record.digest == row.key(1),
            let origin = originRecord(row, from: 3), origin.key == record.origin
        else { return nil }
        return VariantRow(record: record, origin: origin, trailer: row.count(2))
    }

    /// Looks up an original, with or without body; `nil` if the key's entry is of another kind.
    mutating func origin(_ key: CacheKey, kind: OriginRecord.Kind = .picture) throws(SQLiteError) -> OriginRow? {
        let row = try connection.first(Self.selectOrigin, [.key(key)]) { row -> OriginRow? in
            guard let record = Self.originRecord(row, from: 2), record.key == key, record.kind == kind else {
                return nil
            }
            return OriginRow(record: record, hasBody: row.integer(0) == 1, trailer: row.count(1))
        }
        return row ?? nil
    }

    private static let selectVariant = """
        SELECT \(variantRowColumns) FROM variants v JOIN origins o ON o.id = v.origin \
        WHERE v.key = ?1 AND v.origin_digest = o.digest
        """
    private static let selectOrigin =
        "SELECT o.has_body, o.trailer, \(originRecordColumns) FROM origins o WHERE o.key = ?1"

    /// The columns that `variantRow` reads, in order.
    static let variantRowColumns = "v.record, v.digest, v.trailer, \(originRecordColumns)"
    /// The columns that `originRecord` reads, in order.
    static let originRecordColumns = "o.record, o.digest, o.response_time, o.initial_age, o.lifetime"

    /// Reads an original's record; `nil` if this release cannot read it.
    ///
    /// A soft purge changes the column only, so columns win over the encoded record.
    static func originRecord(_ row: SQLiteStatement, from start: Int32) -> OriginRecord? {
        guard var record = OriginRecord(encoded: row.blob(start)[...]), record.digest == row.key(start + 1) else {
            return nil
        }
        record.freshness = Freshness(
            responseTime: row.integer(start + 2),
            initialAge: row.integer(start + 3),
            lifetime: row.integer(start + 4)
        )
        return record
    }
}
