/// Walking over the originals of a selection in the order of an index, one page at a time.
extension DiskIndex {
    /// The part of an original's row that a purge needs.
    struct WalkedOrigin {
        var id: Int64
        var key: CacheKey
        /// Bytes of the body; `nil` without one.
        var length: Int?
        /// What was known of purges when it was requested.
        var stamp: PurgeStamp
    }

    /// A cursor over originals: a query along an index, and the position in it.
    struct OriginWalk {
        /// The tables, with the index to use: SQLite might choose another and sort all that it finds.
        fileprivate var tables: String
        /// The condition on all pages, with `values` from `?1` on.
        fileprivate var condition: String
        /// The end of the range, by `column`.
        fileprivate var end: String?
        fileprivate var values: [SQLiteValue]
        /// The column that the index orders by before the row number; `nil` without one.
        fileprivate var column: String?
        /// The last value of `column` read.
        fileprivate var place: SQLiteValue = .null
        fileprivate var id = Int64.min
        /// Tags whose originals an earlier walk has already visited.
        fileprivate var otherTags: Set<String> = []
        /// The namespace to stay in; `nil` for all.
        fileprivate var namespace: String?
        fileprivate(set) var isDone = false

        fileprivate init(
            _ tables: String,
            _ condition: String,
            _ values: [SQLiteValue],
            by column: String? = nil,
            from place: SQLiteValue = .null,
            to end: String? = nil
        ) {
            self.tables = tables
            self.condition = condition
            self.values = values
            self.column = column
            self.place = place
            self.end = end
        }
    }

    /// Returns walks that together visit each original of a selection once; empty for a preset.
    static func walks(_ selection: PurgeSelection) -> [OriginWalk] {
        let places = "origins o INDEXED BY origins_by_place"
        return switch selection {
        case .originals(let keys): keys.map { OriginWalk("origins o", "o.key = ?1", [.key($0)]) }
        case .source(let name):
            [OriginWalk(places, "o.source = ?1", [.text(name)], by: "o.url", from: .text(""))]
        case .prefixes(let prefixes):
            prefixes.map { prefix in
                OriginWalk(
                    places,
                    "o.source = ?1",
                    [.text(prefix.source), .text(prefix.url)],
                    by: "o.url",
                    from: .text(prefix.url),
                    to: "o.url <= ?2 || \(afterAll)"
                )
            }
        case .tags(let tags): walks(tags.sorted())
        case .confirmedBefore(let time):
            [
                OriginWalk(
                    "origins o INDEXED BY origins_by_confirmation",
                    "1",
                    [.integer(time)],
                    by: "o.response_time",
                    from: .integer(Int64.min),
                    to: "o.response_time < ?1"
                )
            ]
        case .staleAt(let time):
            [OriginWalk("origins o NOT INDEXED", "\(staleTime) <= ?1", [.integer(time)])]
        case .preset: []
        case .all: [OriginWalk("origins o NOT INDEXED", "1", [])]
        case .within(let namespace, let selection):
            walks(selection).map { walk in
                var walk = walk
                walk.namespace = namespace
                return walk
            }
        }
    }

    /// An SQL expression that, appended to a prefix, sorts after all texts with that prefix; SQLite compares them by bytes.
    static let afterAll = "char(0x10FFFF)"

    private static func walks(_ tags: [String]) -> [OriginWalk] {
        tags.indices.map { index in
            var walk = OriginWalk("tags t CROSS JOIN origins o ON o.id = t.origin", "t.tag = ?1", [.text(tags[index])])
            walk.otherTags = Set(tags[..<index])
            return walk
        }
    }

    /// Reads the next page; the walk is done when there are no more.
    ///
    /// The originals of earlier pages may have been deleted.
    /// - Parameter limit: the maximum number of rows read, at least 1.
    mutating func next(_ walk: inout OriginWalk, limit: Int) throws(SQLiteError) -> [WalkedOrigin] {
        // Many rows may share one value: read those first, else each page would scan them all again.
        var rows = try rows(walk, isSamePlace: true, limit)
        if walk.column != nil, rows.count < limit {
            rows += try self.rows(walk, isSamePlace: false, limit - rows.count)
        }
        walk.isDone = rows.count < limit
        if let last = rows.last { (walk.id, walk.place) = (last.id, last.place) }
        return rows.compactMap { row in
            guard walk.otherTags.isEmpty || walk.otherTags.isDisjoint(with: row.tags) else { return nil }
            guard walk.namespace == nil || walk.namespace == row.namespace else { return nil }
            return row.key.map { WalkedOrigin(id: row.id, key: $0, length: row.length, stamp: row.stamp) }
        }
    }

    private struct Row {
        var id: Int64
        var key: CacheKey?
        var length: Int?
        var tags: [String]
        var namespace: String?
        var stamp: PurgeStamp
        var place: SQLiteValue
    }

    private mutating func rows(
        _ walk: OriginWalk,
        isSamePlace: Bool,
        _ limit: Int
    ) throws(SQLiteError) -> [Row] {
        var values = walk.values
        func mark(_ value: SQLiteValue) -> String {
            values.append(value)
            return "?\(values.count)"
        }
        // The table of tags is ordered by its own row-number column.
        let number = walk.tables.hasPrefix("tags") ? "t.origin" : "o.id"
        var terms = [walk.condition]
        var order = number
        switch walk.column {
        case let column? where isSamePlace:
            // Omit the end of the range, because SQLite would use it instead.
            terms += ["\(column) = \(mark(walk.place))", "\(number) > \(mark(.integer(walk.id)))"]
        case let column?:
            terms += [walk.end ?? "1", "\(column) > \(mark(walk.place))"]
            order = "\(column), \(number)"
        case nil: terms.append("\(number) > \(mark(.integer(walk.id)))")
        }
        let sql = """
            SELECT o.id, o.key, o.has_body, o.length, o.tags, o.namespace, \(walk.column ?? "NULL"), o.sequence, o.era \
            FROM \(walk.tables) \
            WHERE \(terms.joined(separator: " AND ")) ORDER BY \(order) LIMIT \(mark(.integer(limit)))
            """
        let isText = walk.column == "o.url"
        return try connection.all(sql, values) { row in
            Row(
                id: row.integer(0),
                key: row.key(1),
                length: row.integer(2) == 1 ? row.count(3) : nil,
                tags: walk.otherTags.isEmpty ? [] : Self.words(row.text(4)),
                namespace: row.text(5),
                stamp: PurgeStamp(sequence: row.integer(7), era: row.integer(8)),
                place: isText ? .text(row.text(6)) : .integer(row.integer(6))
            )
        }
    }
}
