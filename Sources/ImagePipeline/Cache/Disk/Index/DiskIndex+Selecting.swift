/// What a purge asks of the index.
extension DiskIndex {
    /// Keys of a selection's origins, any of them first.
    mutating func origins(in selection: PurgeSelection, limit: Int) throws(SQLiteError) -> [CacheKey] {
        switch selection {
        case .originals(let keys): Array(keys.prefix(limit))
        case .source(let name):
            try connection.all(
                "SELECT key FROM origins WHERE source = ?1 LIMIT ?2",
                [.text(name), .integer(limit)]
            ) { $0.key(0) }.compactMap(\.self)
        case .all:
            try connection.all("SELECT key FROM origins LIMIT ?1", [.integer(limit)]) { $0.key(0) }.compactMap(\.self)
        }
    }

    /// How much there is of a selection.
    mutating func count(_ selection: PurgeSelection) throws(SQLiteError) -> PurgeCounts {
        switch selection {
        case .originals(let keys):
            var sum = PurgeCounts()
            for key in keys {
                let counts = try count("o.key = ?1", [.key(key)])
                sum.originals += counts.originals
                sum.variants += counts.variants
                sum.bytes += counts.bytes
            }
            return sum
        case .source(let name): return try count("o.source = ?1", [.text(name)])
        case .all: return try count("1", [])
        }
    }

    private mutating func count(_ condition: String, _ values: [SQLiteValue]) throws(SQLiteError) -> PurgeCounts {
        var counts = PurgeCounts()
        let bodies = try connection.first(
            "SELECT count(*), sum(o.length) FROM origins o WHERE o.has_body = 1 AND \(condition)",
            values
        ) { (Int($0.integer(0)), Int($0.integer(1))) }
        let variants = try connection.first(
            "SELECT count(*), sum(v.length) FROM variants v JOIN origins o ON o.id = v.origin WHERE \(condition)",
            values
        ) { (Int($0.integer(0)), Int($0.integer(1))) }
        counts.originals = bodies?.0 ?? 0
        counts.variants = variants?.0 ?? 0
        counts.bytes = (bodies?.1 ?? 0) + (variants?.1 ?? 0)
        return counts
    }
}
