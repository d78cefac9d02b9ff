/// Going through the originals that a purge is about, a page at a time and in an index's order.
extension DiskIndex {
    /// An original's row as far as a purge must know it.
    struct WalkedOrigin {
        var id: Int64
        var key: CacheKey
        /// Bytes of its body; `nil` where it has none.
        var length: Int?
    }

    /// A way through originals: what lies on it, and how far one has come.
    struct OriginWalk {
        /// The tables, with the index that is the way: SQLite might choose another, and sort all that it finds.
        fileprivate var tables: String
        /// What stays the same on the whole way, with `values` from `?1` on.
        fileprivate var condition: String
        /// Where the way ends, by `column`.
        fileprivate var end: String?
        fileprivate var values: [SQLiteValue]
        /// What the index orders by before it orders by the row's number; `nil` where that is all.
        fileprivate var column: String?
        /// The last value of `column` that was seen.
        fileprivate var place: SQLiteValue = .null
        fileprivate var id = Int64.min
        /// Who bears one of these has been met on another way.
        fileprivate var otherTags: Set<String> = []
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

    /// The ways that together lead through all originals of a selection, each original met once; none for a preset.
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
        case .preset: []
        case .all: [OriginWalk("origins o NOT INDEXED", "1", [])]
        }
    }

    /// Texts are compared byte by byte: the last of all characters comes behind all that begin alike.
    static let afterAll = "char(0x10FFFF)"

    private static func walks(_ tags: [String]) -> [OriginWalk] {
        tags.indices.map { index in
            var walk = OriginWalk("tags t CROSS JOIN origins o ON o.id = t.origin", "t.tag = ?1", [.text(tags[index])])
            walk.otherTags = Set(tags[..<index])
            return walk
        }
    }

    /// The next originals on the way, which is done when there are no more.
    ///
    /// Those that were given may be deleted or not.
    /// - Parameter limit: rows that are looked at, at least 1.
    mutating func next(_ walk: inout OriginWalk, limit: Int) throws(SQLiteError) -> [WalkedOrigin] {
        // Many may share one place: those first, else each page would look at all of them again.
        var rows = try rows(walk, isSamePlace: true, limit)
        if walk.column != nil, rows.count < limit {
            rows += try self.rows(walk, isSamePlace: false, limit - rows.count)
        }
        walk.isDone = rows.count < limit
        if let last = rows.last { (walk.id, walk.place) = (last.id, last.place) }
        return rows.compactMap { row in
            guard walk.otherTags.isEmpty || walk.otherTags.isDisjoint(with: row.tags) else { return nil }
            return row.key.map { WalkedOrigin(id: row.id, key: $0, length: row.length) }
        }
    }

    private struct Row {
        var id: Int64
        var key: CacheKey?
        var length: Int?
        var tags: [String]
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
        // The tags' table has the number in its own order.
        let number = walk.tables.hasPrefix("tags") ? "t.origin" : "o.id"
        var terms = [walk.condition]
        var order = number
        switch walk.column {
        case let column? where isSamePlace:
            // Without the end, by which SQLite would rather go.
            terms += ["\(column) = \(mark(walk.place))", "\(number) > \(mark(.integer(walk.id)))"]
        case let column?:
            terms += [walk.end ?? "1", "\(column) > \(mark(walk.place))"]
            order = "\(column), \(number)"
        case nil: terms.append("\(number) > \(mark(.integer(walk.id)))")
        }
        let sql = """
            SELECT o.id, o.key, o.has_body, o.length, o.tags, \(walk.column ?? "NULL") FROM \(walk.tables) \
            WHERE \(terms.joined(separator: " AND ")) ORDER BY \(order) LIMIT \(mark(.integer(limit)))
            """
        let isText = walk.column == "o.url"
        return try connection.all(sql, values) { row in
            Row(
                id: row.integer(0),
                key: row.key(1),
                length: row.integer(2) == 1 ? Int(row.integer(3)) : nil,
                tags: walk.otherTags.isEmpty ? [] : Self.words(row.text(4)),
                place: isText ? .text(row.text(5)) : .integer(row.integer(5))
            )
        }
    }
}
