/// What a purge asks of the index.
extension DiskIndex {
    /// An origin's row, by number and key.
    struct OriginName {
        var id: Int64
        var key: CacheKey
    }

    /// A part of a selection as a condition on origins, `o`.
    private struct Condition {
        var text: String
        var values: [SQLiteValue] = []
        /// Which of SQLite's indices is the way to it: it might choose another, and sort all that it finds.
        var way = ""
    }

    private static func conditions(_ selection: PurgeSelection) -> [Condition] {
        let byPlace = "INDEXED BY origins_by_place"
        return switch selection {
        case .originals(let keys): keys.map { Condition(text: "o.key = ?1", values: [.key($0)]) }
        case .source(let name): [Condition(text: "o.source = ?1", values: [.text(name)], way: byPlace)]
        case .prefixes(let prefixes):
            prefixes.map { prefix in
                Condition(
                    // Texts are compared byte by byte: the last of all characters comes behind all that begin alike.
                    text: "o.source = ?1 AND o.url >= ?2 AND o.url <= ?2 || char(0x10FFFF)",
                    values: [.text(prefix.source), .text(prefix.url)],
                    way: byPlace
                )
            }
        case .tags(let tags):
            [condition(Array(tags))]
        case .confirmedBefore(let time):
            [Condition(text: "o.response_time < ?1", values: [.integer(time)], way: "NOT INDEXED")]
        case .preset: []
        case .all: [Condition(text: "1")]
        }
    }

    /// One condition for all tags: what bears two of them counts once.
    private static func condition(_ tags: [String]) -> Condition {
        guard let last = tags.last else { return Condition(text: "0") }
        // Statements are kept by their text: the last tag stands in until there are 1, 2, 4, … of them.
        var count = 1
        while count < tags.count { count *= 2 }
        let values = tags + Array(repeating: last, count: count - tags.count)
        let marks = (1...count).map { "?\($0)" }.joined(separator: ", ")
        return Condition(
            text: "o.id IN (SELECT t.origin FROM tags t WHERE t.tag IN (\(marks)))",
            values: values.map { .text($0) }
        )
    }

    /// A selection's origins, any of them first; those that were given before are gone, or have lower numbers.
    ///
    /// - Parameter id: the last number that was given, where looking through all origins is the only way.
    mutating func origins(
        in selection: PurgeSelection,
        above id: Int64,
        limit: Int
    ) throws(SQLiteError) -> [OriginName] {
        var found: [OriginName] = []
        for condition in Self.conditions(selection) where found.count < limit {
            var values = condition.values
            var order = ""
            if case .confirmedBefore = selection {
                values.append(.integer(id))
                order = "AND o.id > ?\(values.count) ORDER BY o.id"
            }
            values.append(.integer(limit - found.count))
            let sql = """
                SELECT o.id, o.key FROM origins o \(condition.way) WHERE \(condition.text) \(order) LIMIT ?\(values.count)
                """
            found += try connection.all(sql, values) { row in
                row.key(1).map { OriginName(id: row.integer(0), key: $0) }
            }.compactMap(\.self)
        }
        return found
    }

    /// Lets a selection's origins count as stale from a second of the wall clock on, unless they do already.
    mutating func expire(_ selection: PurgeSelection, at time: Int64) throws(SQLiteError) {
        for condition in Self.conditions(selection) {
            let values = condition.values + [.integer(time)]
            try connection.run(
                """
                UPDATE origins AS o \(condition.way) SET lifetime = ?\(values.count) - (response_time - initial_age) \
                WHERE response_time - initial_age + lifetime > ?\(values.count) AND \(condition.text)
                """,
                values
            )
        }
    }

    /// How much there is of a selection.
    mutating func count(_ selection: PurgeSelection) throws(SQLiteError) -> PurgeCounts {
        if case .preset(let pattern) = selection { return try count(pattern) }
        var sum = PurgeCounts()
        for condition in Self.conditions(selection) { sum.add(try count(condition)) }
        return sum
    }

    private mutating func count(_ condition: Condition) throws(SQLiteError) -> PurgeCounts {
        var counts = PurgeCounts()
        let bodies = try connection.first(
            "SELECT count(*), sum(o.length) FROM origins o \(condition.way) WHERE o.has_body = 1 AND \(condition.text)",
            condition.values
        ) { (Int($0.integer(0)), Int($0.integer(1))) }
        let variants = try connection.first(
            """
            SELECT count(*), sum(v.length) FROM origins o \(condition.way) JOIN variants v ON v.origin = o.id \
            WHERE \(condition.text)
            """,
            condition.values
        ) { (Int($0.integer(0)), Int($0.integer(1))) }
        counts.originals = bodies?.0 ?? 0
        counts.variants = variants?.0 ?? 0
        counts.bytes = (bodies?.1 ?? 0) + (variants?.1 ?? 0)
        return counts
    }
}
