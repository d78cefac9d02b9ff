/// Variants by the presets that had their say in them.
///
/// A preset is known by its name among a variant's presets, or by steps and settings within its plan. An index cannot find these, but
/// it leads from one pair of plan and presets to the next, of which there are few: only pairs are compared with the preset.
extension DiskIndex {
    /// A way through the variants of a preset: how far one has come.
    struct VariantWalk {
        fileprivate let pattern: PresetPattern
        fileprivate var plan = ""
        fileprivate var presets = ""
        /// Whether that pair is the preset's, and has more variants.
        fileprivate var isInside = false
        fileprivate var id = Int64.min
        fileprivate(set) var isDone = false

        init(_ pattern: PresetPattern) {
            self.pattern = pattern
        }
    }

    /// The next variants on the way, which is done when there are no more; those that were given may be deleted or not.
    ///
    /// - Parameter limit: rows and pairs that are looked at, at least 1.
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
            found += rows.compactMap(\.entry)
            walk.isInside = rows.count == left
            if let last = rows.last { walk.id = last.id }
            left -= rows.count
        }
        return found
    }

    /// Goes to the next pair of plan and presets.
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

    /// How much there is of a preset.
    mutating func count(_ pattern: PresetPattern) throws(SQLiteError) -> PurgeCounts {
        var sum = PurgeCounts()
        var walk = VariantWalk(pattern)
        while !walk.isDone {
            for variant in try next(&walk, limit: 1024) {
                sum.variants += 1
                sum.bytes += variant.entry.length
            }
        }
        return sum
    }

    /// A list of words as it is stored: neither tags nor presets have blanks.
    static func words(_ text: String?) -> [String] {
        (text ?? "").utf8.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
    }
}
