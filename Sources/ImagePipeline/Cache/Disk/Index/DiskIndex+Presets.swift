/// Variants by the presets that had their say in them.
extension DiskIndex {
    /// A part of a walk over all variants.
    struct VariantPage {
        /// Those of a preset.
        var matches: [VariantEntry]
        /// The last number that was looked at; `nil` at the end.
        var last: Int64?
    }

    /// The variants of a preset among the next with numbers above `id`.
    mutating func variants(
        of pattern: PresetPattern,
        above id: Int64,
        limit: Int
    ) throws(SQLiteError) -> VariantPage {
        var last: Int64?
        let matches = try connection.all(
            "SELECT \(Self.entryColumns), plan, presets FROM variants WHERE id > ?1 ORDER BY id LIMIT ?2",
            [.integer(id), .integer(limit)]
        ) { row -> VariantEntry? in
            last = row.integer(0)
            guard pattern.matches(plan: row.text(6) ?? "", presets: Self.words(row.text(7))) else { return nil }
            return Self.variantEntry(row)
        }
        return VariantPage(matches: matches.compactMap(\.self), last: last)
    }

    /// How much there is of a preset.
    mutating func count(_ pattern: PresetPattern) throws(SQLiteError) -> PurgeCounts {
        var sum = PurgeCounts()
        var page = try variants(of: pattern, above: 0, limit: 1024)
        while let last = page.last {
            sum.variants += page.matches.count
            sum.bytes += page.matches.reduce(0) { $0 + $1.entry.length }
            page = try variants(of: pattern, above: last, limit: 1024)
        }
        return sum
    }

    /// A list of words as it is stored: neither tags nor presets have blanks.
    static func words(_ text: String?) -> [String] {
        (text ?? "").utf8.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
    }
}
