import HTTPSemantics

/// The other originals that variants were made with: their records stay as long as such a variant does, and what voids one of them
/// voids the variant.
extension DiskSession {
    /// Keeps what is known of a variant's ingredients, unless something newer is.
    ///
    /// - Returns: their rows' numbers, with the digests of the bodies that the variant was made with.
    func put(
        _ ingredients: [OriginRecord],
        use: DiskIndex.Use
    ) throws(DiskFault) -> [(origin: Int64, digest: CacheKey)] {
        var rows: [(origin: Int64, digest: CacheKey)] = []
        for record in ingredients {
            try spare(record)
            let state = try originEntry(record.key)
            if let state, state.responseTime >= record.freshness.responseTime {
                rows.append((state.id, record.digest))
                continue
            }
            let keeps = state.map { $0.hasBody && $0.digest == record.digest } ?? false
            rows.append((try put(record, over: state, body: keeps ? .keep : .none, use: use), record.digest))
        }
        return rows
    }

    /// Removes the variants that were made with an original, or with another body of it than `digest`.
    func removeVariants(madeWith id: Int64, except digest: CacheKey?) throws(SQLiteError) {
        for variant in try index.variantEntries(madeWith: id, except: digest) { try drop(variant) }
    }
}
