/// Counting selections, and making originals stale.
extension DiskIndex {
    /// A part of a selection as a condition on origins, `o`.
    private struct Condition {
        var text: String
        var values: [SQLiteValue] = []
        /// The SQLite index to use.
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
                    text: "o.source = ?1 AND o.url >= ?2 AND o.url <= ?2 || \(afterAll)",
                    values: [.text(prefix.source), .text(prefix.url)],
                    way: byPlace
                )
            }
        case .tags(let tags): [condition(tags.sorted())]
        case .confirmedBefore(let time):
            [
                Condition(
                    text: "o.response_time < ?1",
                    values: [.integer(time)],
                    way: "INDEXED BY origins_by_confirmation"
                )
            ]
        case .staleAt(let time): [Condition(text: "\(staleTime) <= ?1", values: [.integer(time)])]
        case .preset: []
        case .all: [Condition(text: "1")]
        case .within(let namespace, let selection):
            conditions(selection).map { condition in
                var condition = condition
                condition.values.append(.text(namespace))
                condition.text = "(\(condition.text)) AND o.namespace = ?\(condition.values.count)"
                return condition
            }
        }
    }

    /// An SQL expression for the second at which an original becomes stale.
    static let staleTime = "o.response_time - o.initial_age + o.lifetime"

    /// One condition for all tags: an original with two of them counts once.
    private static func condition(_ tags: [String]) -> Condition {
        guard let last = tags.last else { return Condition(text: "0") }
        // Statements are cached by their text: the last tag is repeated until there are 1, 2, 4, … of them.
        var count = 1
        while count < tags.count { count *= 2 }
        let values = tags + Array(repeating: last, count: count - tags.count)
        let marks = (1...count).map { "?\($0)" }.joined(separator: ", ")
        return Condition(
            text: "o.id IN (SELECT t.origin FROM tags t WHERE t.tag IN (\(marks)))",
            values: values.map { .text($0) }
        )
    }

    /// Counts a selection.
    mutating func count(_ selection: PurgeSelection) throws(SQLiteError) -> PurgeCounts {
        if case .preset(let pattern) = selection { return try count(pattern) }
        if case .within(let namespace, .preset(let pattern)) = selection { return try count(pattern, in: namespace) }
        var sum = PurgeCounts()
        for condition in Self.conditions(selection) { sum.add(try count(condition)) }
        return sum
    }

    /// Makes an original stale at a wall-clock second, unless it expires earlier.
    mutating func expire(_ id: Int64, at time: Int64) throws(SQLiteError) {
        try connection.run(
            """
            UPDATE origins SET lifetime = ?2 - (response_time - initial_age) \
            WHERE id = ?1 AND response_time - initial_age + lifetime > ?2
            """,
            [.integer(id), .integer(time)]
        )
    }

    /// Counts an original's variants and their bytes.
    mutating func countVariants(ofOrigin id: Int64) throws(SQLiteError) -> PurgeCounts {
        var counts = PurgeCounts()
        let found = try connection.first(
            "SELECT count(*), \(Self.bytes()) FROM variants WHERE origin = ?1",
            [.integer(id)]
        ) { ($0.count(0), $0.count(1)) }
        (counts.variants, counts.bytes) = found ?? (0, 0)
        return counts
    }

    private mutating func count(_ condition: Condition) throws(SQLiteError) -> PurgeCounts {
        var counts = PurgeCounts()
        let bodies = try connection.first(
            """
            SELECT count(*), \(Self.bytes("o.length")) FROM origins o \(condition.way) \
            WHERE o.has_body = 1 AND \(condition.text)
            """,
            condition.values
        ) { ($0.count(0), $0.count(1)) }
        let variants = try connection.first(
            """
            SELECT count(*), \(Self.bytes("v.length")) FROM origins o \(condition.way) JOIN variants v ON v.origin = o.id \
            WHERE \(condition.text)
            """,
            condition.values
        ) { ($0.count(0), $0.count(1)) }
        counts.originals = bodies?.0 ?? 0
        counts.variants = variants?.0 ?? 0
        counts.bytes = (bodies?.1 ?? 0) + (variants?.1 ?? 0)
        return counts
    }
}
