/// The entries and bytes of both classes; the writer holds them in memory and saves them with each transaction.
struct DiskTotals: Hashable, Sendable {
    /// Statistics of one class.
    struct Count: Hashable, Sendable {
        var entries = 0
        var bytes = 0
    }

    private var originals = Count()
    private var variants = Count()

    subscript(diskClass: DiskClass) -> Count {
        get {
            switch diskClass {
            case .originals: originals
            case .variants: variants
            }
        }
        set {
            switch diskClass {
            case .originals: originals = newValue
            case .variants: variants = newValue
            }
        }
    }

    /// Adds an entry.
    mutating func add(_ diskClass: DiskClass, _ length: Int) {
        self[diskClass].entries += 1
        self[diskClass].bytes += length
    }

    /// Subtracts an entry.
    mutating func subtract(_ diskClass: DiskClass, _ length: Int) {
        self[diskClass].entries -= 1
        self[diskClass].bytes -= length
    }

    /// What was removed since earlier totals; nothing may have been added.
    func lost(since earlier: DiskTotals) -> PurgeCounts {
        var counts = PurgeCounts()
        counts.originals = earlier.originals.entries - originals.entries
        counts.variants = earlier.variants.entries - variants.entries
        counts.bytes = earlier.originals.bytes - originals.bytes + earlier.variants.bytes - variants.bytes
        return counts
    }
}

extension DiskIndex {
    /// The totals as of the last transaction; O(1).
    mutating func totals() throws(SQLiteError) -> DiskTotals {
        var totals = DiskTotals()
        for diskClass in DiskClass.allCases {
            let count = try connection.first(
                "SELECT entries, bytes FROM totals WHERE class = ?1",
                [.integer(diskClass.rawValue)]
            ) { DiskTotals.Count(entries: Int($0.integer(0)), bytes: Int($0.integer(1))) }
            totals[diskClass] = count ?? DiskTotals.Count()
        }
        return totals
    }

    /// Saves the totals, within the transaction that changed them.
    mutating func save(_ totals: DiskTotals) throws(SQLiteError) {
        for diskClass in DiskClass.allCases {
            let count = totals[diskClass]
            try connection.run(
                "UPDATE totals SET entries = ?2, bytes = ?3 WHERE class = ?1",
                [.integer(diskClass.rawValue), .integer(count.entries), .integer(count.bytes)]
            )
        }
    }

    /// Counts the rows by the indexes: O(n), so never done before serving.
    mutating func countTotals() throws(SQLiteError) -> DiskTotals {
        var totals = DiskTotals()
        let read = { (row: SQLiteStatement) in
            DiskTotals.Count(entries: Int(row.integer(0)), bytes: Int(row.integer(1)))
        }
        let originals = try connection.first(
            """
            SELECT count(*), sum(length) - (SELECT coalesce(sum(length), 0) FROM origins INDEXED BY origins_by_link \
            WHERE linked = 1) FROM origins INDEXED BY origins_by_use WHERE has_body = 1
            """,
            [],
            read
        )
        let variants = try connection.first(
            """
            SELECT count(*), sum(length) - (SELECT coalesce(sum(length), 0) FROM variants INDEXED BY variants_by_link \
            WHERE linked = 1) FROM variants INDEXED BY variants_by_use
            """,
            [],
            read
        )
        totals[.originals] = originals ?? DiskTotals.Count()
        totals[.variants] = variants ?? DiskTotals.Count()
        return totals
    }
}
