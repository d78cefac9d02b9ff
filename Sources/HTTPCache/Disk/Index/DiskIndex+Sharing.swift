/// Rows that share a body: several names of one file, whose bytes count once.
///
/// The rows are of one namespace. A row with `linked = 0` counts the bytes. When it is deleted, a row that shares its body counts
/// them from then on.
extension DiskIndex {
    /// The rows among which one counts the bytes of a body; more names of a file would make its entries cost nothing.
    static let mostNames = 64

    /// The columns of a body's entry, in each class.
    private static func columns(_ diskClass: DiskClass) -> String {
        switch diskClass {
        case .originals: "id, key, digest, length, trailer, linked FROM origins INDEXED BY origins_by_digest"
        case .variants: "id, key, digest, length, trailer, linked FROM variants INDEXED BY variants_by_digest"
        }
    }

    /// The rows with a digest, the first argument, in a namespace, the second one.
    private static func condition(_ diskClass: DiskClass) -> String {
        (diskClass == .originals ? "has_body = 1 AND " : "") + "digest = ?1 AND namespace = ?2"
    }

    /// The entry of another key with the same bytes, to which a new name can be given; `nil` if there is none among the newest.
    ///
    /// This is the only look-up of bodies by digest.
    mutating func body(
        _ digest: CacheKey,
        length: Int,
        of diskClass: DiskClass,
        in scope: BodyScope,
        except key: CacheKey
    ) throws(SQLiteError) -> Entry? {
        let entry = try connection.first(
            """
            SELECT * FROM (SELECT \(Self.columns(diskClass)) WHERE \(Self.condition(diskClass)) \
            ORDER BY id DESC LIMIT \(Self.mostNames - 1)) WHERE linked = 0 AND length = ?3 AND key <> ?4 LIMIT 1
            """,
            [.key(digest), .text(scope.namespace), .integer(length), .key(key)]
        ) { Self.entry($0, of: diskClass, in: scope.namespace) }
        return entry ?? nil
    }

    /// Whether another row counts the bytes of an entry now.
    mutating func isLinked(_ entry: Entry) throws(SQLiteError) -> Bool {
        try connection.first("SELECT linked FROM \(entry.diskClass.table) WHERE id = ?1", [.integer(entry.id)]) {
            $0.integer(0) != 0
        } ?? false
    }

    /// Makes another row count the bytes of a body whose row is deleted.
    ///
    /// - Returns: whether there is one.
    mutating func passOn(_ entry: Entry) throws(SQLiteError) -> Bool {
        let table = entry.diskClass.table
        return try connection.first(
            """
            UPDATE \(table) SET linked = 0 WHERE id = (SELECT id FROM \(table) WHERE digest = ?1 AND linked = 1 \
            AND namespace = ?3 AND id <> ?2 LIMIT 1) RETURNING id
            """,
            [.key(entry.digest), .integer(entry.id), .text(entry.namespace)]
        ) { _ in true } ?? false
    }

    /// Makes a linked row count its bytes, unless another row with the body does.
    ///
    /// - Returns: whether it counts them now.
    mutating func chargeIfAlone(
        _ diskClass: DiskClass,
        _ id: Int64,
        _ digest: CacheKey,
        in scope: BodyScope
    ) throws(SQLiteError) -> Bool {
        let table = diskClass.table
        return try connection.first(
            """
            UPDATE \(table) SET linked = 0 WHERE id = ?3 AND linked = 1 AND NOT EXISTS \
            (SELECT 1 FROM \(table) WHERE \(Self.condition(diskClass)) AND linked = 0) RETURNING id
            """,
            [.key(digest), .text(scope.namespace), .integer(id)]
        ) { _ in true } ?? false
    }

    /// Looks up a variant by its resolved key; skips a void one.
    mutating func variant(resolved key: CacheKey) throws(SQLiteError) -> VariantRow? {
        let row = try connection.first(
            """
            SELECT \(Self.variantRowColumns) FROM variants v INDEXED BY variants_by_resolved \
            JOIN origins o ON o.id = v.origin WHERE v.resolved = ?1 AND v.origin_digest = o.digest LIMIT 1
            """,
            [.key(key)]
        ) { Self.variantRow($0) }
        return (row ?? nil).flatMap { $0.record.resolved == key ? $0 : nil }
    }

    /// The other variants with the resolved key of a row.
    mutating func variantEntries(resolvedAs id: Int64) throws(SQLiteError) -> [VariantEntry] {
        try connection.all(
            """
            SELECT \(Self.entryColumns) FROM variants WHERE resolved = (SELECT resolved FROM variants WHERE id = ?1) \
            AND id <> ?1
            """,
            [.integer(id)],
            Self.variantEntry
        ).compactMap { $0 }
    }
}
