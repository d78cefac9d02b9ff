/// Which variants were made with which other originals.
extension DiskIndex {
    /// Writes the originals that a variant was made with beside its own, over those that were there.
    mutating func putIngredients(
        _ rows: [(origin: Int64, digest: CacheKey)],
        of variant: CacheKey
    ) throws(SQLiteError) {
        let id = try connection.first("SELECT id FROM variants WHERE key = ?1", [.key(variant)]) { $0.integer(0) }
        guard let id else { return }
        for row in rows {
            try connection.run(
                "INSERT OR REPLACE INTO ingredients VALUES (?1, ?2, ?3)",
                [.integer(id), .integer(row.origin), .key(row.digest)]
            )
        }
    }

    /// The variants that were made with an original beside their own, or with another body of it than `digest`.
    mutating func variantEntries(
        madeWith id: Int64,
        except digest: CacheKey? = nil
    ) throws(SQLiteError) -> [VariantEntry] {
        try connection.all(
            """
            SELECT \(Self.entryColumns) FROM variants WHERE id IN \
            (SELECT variant FROM ingredients WHERE origin = ?1 AND (?2 IS NULL OR digest <> ?2))
            """,
            [.integer(id), digest.map { .key($0) } ?? .null],
            Self.variantEntry
        ).compactMap { $0 }
    }
}

extension VariantRecord {
    /// Keys and digests of the ingredients, one after the other.
    var ingredientBytes: [UInt8] { ingredients.flatMap { $0.key.bytes + $0.digest.bytes } }

    /// Reads `ingredientBytes`.
    static func ingredients(_ bytes: ArraySlice<UInt8>) -> [Ingredient] {
        var rest = bytes
        var ingredients: [Ingredient] = []
        while rest.count >= 64, let key = CacheKey(bytes: Array(rest.prefix(32))),
            let digest = CacheKey(bytes: Array(rest.dropFirst(32).prefix(32)))
        {
            ingredients.append(Ingredient(key: key, digest: digest))
            rest = rest.dropFirst(64)
        }
        return ingredients
    }
}
