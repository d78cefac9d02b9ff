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
        /// The namespace of its source.
        var namespace: String
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

    /// An SQL expression for the bytes of rows, without the lengths that are read as 0: their sum could overflow, which is an error.
    static func bytes(_ length: String = "length") -> String {
        "sum(\(length)) FILTER (WHERE \(length) BETWEEN 0 AND \(SQLiteStatement.largestCount))"
    }

    /// Records a use, unless a later one is recorded.
    mutating func touch(_ diskClass: DiskClass, _ key: CacheKey, use: Use) throws(SQLiteError) {
        try connection.run(
            "UPDATE \(diskClass.table) SET used = ?2, accessed_at = ?3 WHERE key = ?1 AND used < ?2",
            [.key(key), .integer(use.order), .integer(use.wallSeconds)]
        )
    }

    /// The highest order of use in the index, 0 when it is empty; O(1) per namespace.
    mutating func lastUse() throws(SQLiteError) -> Int64 {
        var last: Int64 = 0
        for namespace in try namespaces() {
            let used = try connection.first(
                """
                SELECT max(coalesce((SELECT max(used) FROM origins INDEXED BY origins_by_use \
                WHERE has_body = 1 AND namespace = ?1), 0), \
                coalesce((SELECT max(used) FROM variants INDEXED BY variants_by_use WHERE namespace = ?1), 0))
                """,
                [.text(namespace)]
            ) { $0.integer(0) }
            last = max(last, used ?? 0)
        }
        return last
    }

    /// The namespaces that have entries; one look-up each.
    private mutating func namespaces() throws(SQLiteError) -> Set<String> {
        var found: Set<String> = []
        let queries = [
            """
            SELECT namespace FROM origins INDEXED BY origins_by_use WHERE has_body = 1 AND namespace > ?1 \
            ORDER BY namespace LIMIT 1
            """,
            "SELECT namespace FROM variants INDEXED BY variants_by_use WHERE namespace > ?1 ORDER BY namespace LIMIT 1",
        ]
        for query in queries {
            var last = ""
            while let next = try connection.first(query, [.text(last)], { $0.text(0) ?? "" }), next > last {
                found.insert(next)
                last = next
            }
        }
        return found.union([""])
    }

    /// An entry with the order of its last use.
    private struct Used<Value> {
        var order: Int64
        var value: Value
    }

    /// Bodies of some namespaces, least recently used first.
    ///
    /// - Parameter second: if given, only those of the least recently used ones that were last used before this second since 1970.
    mutating func oldestBodies(
        _ count: Int,
        in namespaces: Set<String>,
        accessedBefore second: Int64? = nil
    ) throws(SQLiteError) -> [Entry] {
        try oldest(
            """
            SELECT id, key, digest, length, trailer, linked, namespace, used, accessed_at FROM origins \
            INDEXED BY origins_by_use WHERE has_body = 1 AND namespace = ?1 ORDER BY used LIMIT ?2
            """,
            usedColumn: 7,
            count,
            namespaces,
            second,
            Self.bodyEntry
        )
    }

    /// Variants of some namespaces, least recently used first.
    ///
    /// - Parameter second: as for bodies.
    mutating func oldestVariants(
        _ count: Int,
        in namespaces: Set<String>,
        accessedBefore second: Int64? = nil
    ) throws(SQLiteError) -> [VariantEntry] {
        try oldest(
            """
            SELECT \(Self.entryColumns), used, accessed_at FROM variants INDEXED BY variants_by_use \
            WHERE namespace = ?1 ORDER BY used LIMIT ?2
            """,
            usedColumn: 8,
            count,
            namespaces,
            second,
            Self.variantEntry
        )
    }

    /// Merges the oldest entries of each namespace.
    ///
    /// - Parameter place: the number of the query's column `used`, which `accessed_at` follows.
    private mutating func oldest<Value>(
        _ query: String,
        usedColumn place: Int32,
        _ count: Int,
        _ namespaces: Set<String>,
        _ second: Int64?,
        _ read: (SQLiteStatement) -> Value?
    ) throws(SQLiteError) -> [Value] {
        var found: [Used<Value>] = []

        for namespace in namespaces {
            let rows = try connection.all(query, [.text(namespace), .integer(count)]) { row -> Used<Value>? in
                guard second.map({ row.integer(place + 1) < $0 }) ?? true else { return nil }
                return read(row).map { Used(order: row.integer(place), value: $0) }
            }
            found += rows.compactMap(\.self)
        }
        guard namespaces.count > 1 else { return found.map(\.value) }
        return found.sorted { $0.order < $1.order }.prefix(count).map(\.value)
    }

    /// The next bodies above row number `id`.
    mutating func bodies(above id: Int64, _ count: Int) throws(SQLiteError) -> [Entry] {
        try connection.all(
            """
            SELECT id, key, digest, length, trailer, linked, namespace FROM origins WHERE id > ?1 AND has_body = 1 \
            ORDER BY id LIMIT ?2
            """,
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
        entry(row, of: .originals, in: row.text(6) ?? "")
    }

    /// The entry of a row with `id`, `key`, `digest`, `length`, `trailer` and `linked`; `nil` for a damaged one.
    static func entry(_ row: SQLiteStatement, of diskClass: DiskClass, in namespace: String) -> Entry? {
        guard let key = row.key(1), let digest = row.key(2) else { return nil }
        return Entry(
            diskClass: diskClass,
            namespace: namespace,
            id: row.integer(0),
            key: key,
            digest: digest,
            length: row.count(3),
            trailer: row.count(4),
            isLinked: row.integer(5) != 0
        )
    }
}
