/// Variants by preset.
///
/// A variant belongs to a preset by the preset's name, or by steps and settings within its plan. No index finds these, but one
/// leads from each pair of plan and presets to the next. There are few pairs, and only they are compared with the preset.
extension DiskIndex {
    /// A cursor over the variants of a preset.
    struct VariantWalk {
        fileprivate let pattern: PresetPattern
        /// The namespace to stay in; `nil` for all.
        fileprivate let namespace: String?
        fileprivate var plan = ""
        fileprivate var presets = ""
        /// Whether the current pair belongs to the preset and has more variants.
        fileprivate var isInside = false
        fileprivate var id = Int64.min
        fileprivate(set) var isDone = false

        init(_ pattern: PresetPattern, in namespace: String? = nil) {
            self.pattern = pattern
            self.namespace = namespace
        }
    }

    /// Reads the next page; the walk is done when there are no more.
    ///
    /// The variants of earlier pages may have been deleted.
    ///
    /// - Parameter limit: the maximum number of rows and pairs read, at least 1.
    mutating func next(_ walk: inout VariantWalk, limit: Int) throws(SQLiteError) -> [VariantEntry] {
        var found: [VariantEntry] = []
        var left = limit
        while left > 0, !walk.isDone {
            if !walk.isInside {
                try skip(&walk)
                left -= 1
                continue
            }
            let rows = try connection.all(
                """
                SELECT \(Self.entryColumns) FROM variants INDEXED BY variants_by_plan \
                WHERE plan = ?1 AND presets = ?2 AND id > ?3 ORDER BY id LIMIT ?4
                """,
                [.text(walk.plan), .text(walk.presets), .integer(walk.id), .integer(left)]
            ) { (id: $0.integer(0), entry: Self.variantEntry($0)) }
            found += rows.compactMap(\.entry).filter { entry in
                walk.namespace == nil || entry.entry.namespace == walk.namespace
            }
            walk.isInside = rows.count == left
            if let last = rows.last { walk.id = last.id }
            left -= rows.count
        }
        return found
    }

    /// Moves to the next pair of plan and presets.
    private mutating func skip(_ walk: inout VariantWalk) throws(SQLiteError) {
        let pair = try connection.first(
            """
            SELECT plan, presets FROM variants INDEXED BY variants_by_plan WHERE (plan, presets) > (?1, ?2) \
            ORDER BY plan, presets LIMIT 1
            """,
            [.text(walk.plan), .text(walk.presets)]
        ) { (plan: $0.text(0) ?? "", presets: $0.text(1) ?? "") }
        guard let pair else {
            walk.isDone = true
            return
        }
        (walk.plan, walk.presets, walk.id) = (pair.plan, pair.presets, .min)
        walk.isInside = walk.pattern.matches(plan: pair.plan, presets: Self.words(pair.presets))
    }

    /// Counts the variants of a preset.
    mutating func count(_ pattern: PresetPattern, in namespace: String? = nil) throws(SQLiteError) -> PurgeCounts {
        var sum = PurgeCounts()
        var walk = VariantWalk(pattern, in: namespace)
        while !walk.isDone {
            for variant in try next(&walk, limit: 1024) {
                sum.variants += 1
                sum.bytes += variant.entry.length
            }
        }
        return sum
    }

    /// Splits a stored list at blanks, which neither tags nor presets contain.
    static func words(_ text: String?) -> [String] {
        (text ?? "").utf8.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
    }
}
