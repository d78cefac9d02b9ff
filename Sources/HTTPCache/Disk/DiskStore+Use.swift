extension DiskStore {
    /// What one source has on disk.
    package struct SourceUse: Hashable, Sendable {
        /// The source's full name.
        package var source: String
        /// Originals with bodies, and raw responses.
        package var originals = TierUse()
        package var variants = TierUse()
    }

    /// The entries and bytes on disk of each source, with the most bytes first; blocks, for a time in proportion to their number.
    ///
    /// A body that several entries share counts for each of them.
    ///
    /// - Returns: `nil` while there is no index, or if it cannot be read.
    package func useBySource() -> [SourceUse]? {
        guard let found = read({ index throws(SQLiteError) in try index.useBySource() }) else { return nil }
        return found.sorted {
            let (left, right) = ($0.originals.bytes + $0.variants.bytes, $1.originals.bytes + $1.variants.bytes)
            return (right, $0.source) < (left, $1.source)
        }
    }
}

extension DiskIndex {
    fileprivate mutating func useBySource() throws(SQLiteError) -> [DiskStore.SourceUse] {
        var uses: [String: DiskStore.SourceUse] = [:]
        let originals = try rows(
            "SELECT source, count(*), \(Self.bytes()) FROM origins WHERE has_body = 1 GROUP BY source"
        )
        let variants = try rows(
            """
            SELECT o.source, count(*), \(Self.bytes("v.length")) FROM variants v JOIN origins o ON o.id = v.origin
            GROUP BY o.source
            """
        )
        for (source, use) in originals { uses[source, default: DiskStore.SourceUse(source: source)].originals = use }
        for (source, use) in variants { uses[source, default: DiskStore.SourceUse(source: source)].variants = use }
        return Array(uses.values)
    }

    private mutating func rows(_ query: String) throws(SQLiteError) -> [(String, TierUse)] {
        try connection.all(query, []) { row in
            var use = TierUse()
            use.add(row.count(1), row.count(2))
            return (row.text(0) ?? "", use)
        }
    }
}
