/// Recency, and the order of eviction.
extension DiskIndex {
    /// When an entry was used last.
    struct Use: Hashable, Sendable {
        /// The order of eviction: a number that only grows, across restarts too.
        var order: Int64
        /// The wall clock, seconds since 1970.
        var wallSeconds: Int64
    }

    /// A body in the store: a row and its content file.
    struct Entry: Hashable, Sendable {
        var diskClass: DiskClass
        /// The row's number.
        var id: Int64
        var key: CacheKey
        var digest: CacheKey
        /// Bytes of the body, which the quota counts.
        var length: Int
        /// Bytes that follow the body in its file.
        var trailer: Int
        /// Whether its file is another row's, which counts the bytes.
        var isLinked = false
    }

    /// Records a use, unless a later one is recorded.
    mutating func touch(_ diskClass: DiskClass, _ key: CacheKey, use: Use) throws(SQLiteError) {
        let table = diskClass == .originals ? "origins" : "variants"
        try connection.run(
            "UPDATE \(table) SET used = ?2, accessed_at = ?3 WHERE key = ?1 AND used < ?2",
            [.key(key), .integer(use.order), .integer(use.wallSeconds)]
        )
    }

    /// The highest order of use in the index, 0 when it is empty; O(1).
    mutating func lastUse() throws(SQLiteError) -> Int64 {
        let last = try connection.first(
            """
            SELECT max(coalesce((SELECT max(used) FROM origins INDEXED BY origins_by_use WHERE has_body = 1), 0), \
            coalesce((SELECT max(used) FROM variants), 0))
            """
        ) { $0.integer(0) }
        return last ?? 0
    }

    /// Bodies, least recently used first.
    mutating func oldestBodies(_ count: Int) throws(SQLiteError) -> [Entry] {
        try connection.all(
            """
            SELECT id, key, digest, length, trailer, linked FROM origins INDEXED BY origins_by_use WHERE has_body = 1 \
            ORDER BY used LIMIT ?1
            """,
            [.integer(count)],
            Self.bodyEntry
        ).compactMap { $0 }
    }

    /// Variants, least recently used first.
    mutating func oldestVariants(_ count: Int) throws(SQLiteError) -> [VariantEntry] {
        try connection.all(
            "SELECT \(Self.entryColumns) FROM variants INDEXED BY variants_by_use ORDER BY used LIMIT ?1",
            [.integer(count)],
            Self.variantEntry
        ).compactMap { $0 }
    }

    /// Those of the least recently used bodies that were last used before a second since 1970.
    mutating func oldestBodies(_ count: Int, accessedBefore second: Int64) throws(SQLiteError) -> [Entry] {
        try connection.all(
            """
            SELECT id, key, digest, length, trailer, linked FROM (SELECT * FROM origins INDEXED BY origins_by_use \
            WHERE has_body = 1 ORDER BY used LIMIT ?1) WHERE accessed_at < ?2
            """,
            [.integer(count), .integer(second)],
            Self.bodyEntry
        ).compactMap { $0 }
    }

    /// Those of the least recently used variants that were last used before a second since 1970.
    mutating func oldestVariants(_ count: Int, accessedBefore second: Int64) throws(SQLiteError) -> [VariantEntry] {
        try connection.all(
            """
            SELECT \(Self.entryColumns) FROM (SELECT * FROM variants INDEXED BY variants_by_use ORDER BY used LIMIT ?1) \
            WHERE accessed_at < ?2
            """,
            [.integer(count), .integer(second)],
            Self.variantEntry
        ).compactMap { $0 }
    }

    /// The next bodies above row number `id`.
    mutating func bodies(above id: Int64, _ count: Int) throws(SQLiteError) -> [Entry] {
        try connection.all(
            "SELECT id, key, digest, length, trailer, linked FROM origins WHERE id > ?1 AND has_body = 1 ORDER BY id LIMIT ?2",
            [.integer(id), .integer(count)],
            Self.bodyEntry
        ).compactMap { $0 }
    }

    /// The next variants above row number `id`.
    mutating func variants(above id: Int64, _ count: Int) throws(SQLiteError) -> [VariantEntry] {
        try connection.all(
            "SELECT \(Self.entryColumns) FROM variants WHERE id > ?1 ORDER BY id LIMIT ?2",
            [.integer(id), .integer(count)],
            Self.variantEntry
        ).compactMap { $0 }
    }

    /// The numbers of the next originals' rows without body above `id`.
    mutating func originsWithoutBody(above id: Int64, _ count: Int) throws(SQLiteError) -> [Int64] {
        try connection.all(
            "SELECT id FROM origins WHERE id > ?1 AND has_body = 0 ORDER BY id LIMIT ?2",
            [.integer(id), .integer(count)]
        ) { $0.integer(0) }
    }

    private static func bodyEntry(_ row: SQLiteStatement) -> Entry? {
        guard let key = row.key(1), let digest = row.key(2) else { return nil }
        return Entry(
            diskClass: .originals,
            id: row.integer(0),
            key: key,
            digest: digest,
            length: Int(row.integer(3)),
            trailer: Int(row.integer(4)),
            isLinked: row.integer(5) != 0
        )
    }
}
