import HTTPSemantics
import ImagePlan

/// What the writer does to origins' rows.
extension DiskIndex {
    /// What the writer must know of an origin's row before it changes it.
    struct OriginState {
        var id: Int64
        var key: CacheKey
        var digest: CacheKey
        var length: Int
        var hasBody: Bool
        /// Bytes that follow the body in its file.
        var trailer: Int
        /// Seconds since 1970.
        var responseTime: Int64

        /// The body's entry in the store, if there is one.
        var body: Entry? {
            guard hasBody else { return nil }
            return Entry(diskClass: .originals, id: id, key: key, digest: digest, length: length, trailer: trailer)
        }
    }

    /// The state of a key's row.
    mutating func originState(_ key: CacheKey) throws(SQLiteError) -> OriginState? {
        let row = try connection.first(
            "SELECT id, digest, length, has_body, response_time, trailer FROM origins WHERE key = ?1",
            [.key(key)]
        ) { row in
            row.key(1).map { digest in
                OriginState(
                    id: row.integer(0),
                    key: key,
                    digest: digest,
                    length: Int(row.integer(2)),
                    hasBody: row.integer(3) == 1,
                    trailer: Int(row.integer(5)),
                    responseTime: row.integer(4)
                )
            }
        }
        return row ?? nil
    }

    /// Inserts a row or replaces all of its values; the row's number stays, and so does a placeholder of the same bytes.
    ///
    /// - Parameters:
    ///   - trailer: bytes that follow the body in its file.
    ///   - isForSeed: whether the seed layer has that body, so that the row stays without one.
    /// - Returns: the row's number.
    mutating func putOrigin(
        _ record: OriginRecord,
        hasBody: Bool,
        trailer: Int = 0,
        isForSeed: Bool = false,
        use: Use
    ) throws(SQLiteError) -> Int64 {
        let values =
            Self.values(record, hasBody: hasBody, trailer: trailer, use: use) + [.integer(isForSeed ? 1 : 0)]
        let id = try connection.first(Self.upsertOrigin, values) { $0.integer(0) } ?? 0
        try connection.run("DELETE FROM tags WHERE origin = ?1", [.integer(id)])
        for tag in record.tags {
            try connection.run("INSERT OR IGNORE INTO tags VALUES (?1, ?2)", [.text(tag), .integer(id)])
        }
        return id
    }

    /// Takes the body off a row.
    mutating func dropBody(_ id: Int64) throws(SQLiteError) {
        try connection.run("UPDATE origins SET has_body = 0 WHERE id = ?1", [.integer(id)])
    }

    /// Deletes a row; its variants must be gone.
    mutating func deleteOrigin(_ id: Int64) throws(SQLiteError) {
        try connection.run("DELETE FROM origins WHERE id = ?1", [.integer(id)])
    }

    /// Deletes a row that has neither body nor variants, and does not tell of the seed's.
    mutating func deleteOriginIfUnused(_ id: Int64) throws(SQLiteError) {
        try connection.run(
            """
            DELETE FROM origins WHERE id = ?1 AND has_body = 0 AND for_seed = 0 \
            AND NOT EXISTS (SELECT 1 FROM variants WHERE origin = ?1) \
            AND NOT EXISTS (SELECT 1 FROM ingredients WHERE origin = ?1)
            """,
            [.integer(id)]
        )
    }

    private static let upsertOrigin = """
        INSERT INTO origins (key, source, url, digest, length, format, width, height, frames, orientation, has_alpha, \
        entity_tag, last_modified, cache_control, response_time, initial_age, lifetime, advertised_lifetime, has_body, \
        used, accessed_at, trailer, tags, client_cache_control, kind, placeholder, for_seed) VALUES (?1, ?2, ?3, ?4, ?5, ?6, \
        ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27) \
        ON CONFLICT (key) DO UPDATE SET \
        source = ?2, url = ?3, digest = ?4, length = ?5, format = ?6, \
        width = ?7, height = ?8, frames = ?9, orientation = ?10, has_alpha = ?11, entity_tag = ?12, last_modified = ?13, \
        cache_control = ?14, response_time = ?15, initial_age = ?16, lifetime = ?17, advertised_lifetime = ?18, \
        has_body = ?19, used = ?20, accessed_at = ?21, trailer = ?22, tags = ?23, \
        client_cache_control = ?24, kind = ?25, \
        placeholder = CASE WHEN digest = ?4 THEN coalesce(?26, placeholder) ELSE ?26 END, for_seed = ?27 RETURNING id
        """

    private static func values(_ record: OriginRecord, hasBody: Bool, trailer: Int, use: Use) -> [SQLiteValue] {
        [
            .key(record.key),
            .text(record.source),
            .text(record.url),
            .key(record.digest),
            .integer(record.length),
            .integer(Int64(record.header.format.rawValue)),
            .integer(record.header.width),
            .integer(record.header.height),
            .integer(record.header.frames),
            .integer(record.header.orientation),
            record.header.hasAlpha.map { .integer($0 ? 1 : 0) } ?? .null,
            .text(record.entityTag),
            .text(record.lastModified),
            .text(record.cacheControl),
            .integer(record.freshness.responseTime),
            .integer(record.freshness.initialAge),
            .integer(record.freshness.lifetime),
            .integer(record.advertisedLifetime),
            .integer(hasBody ? 1 : 0),
            .integer(use.order),
            .integer(use.wallSeconds),
            .integer(trailer),
            .text(record.tags.joined(separator: " ")),
            .text(record.clientCacheControl),
            .integer(record.kind.rawValue),
            .text(record.placeholder?.text),
        ]
    }
}
