/// The entries and bytes of both classes; the writer holds them in memory and saves them with each transaction.
struct DiskTotals: Hashable, Sendable {
    /// Statistics of one class.
    struct Count: Hashable, Sendable {
        var entries = 0
        var bytes = 0
    }

    /// One class of one namespace.
    struct Part: Hashable, Sendable {
        var namespace: String
        var diskClass: DiskClass
    }

    private var originals = Count()
    private var variants = Count()
    /// The counts of named namespaces, which the others include.
    private(set) var parts: [Part: Count] = [:]
    /// The parts that have changed since they were saved.
    private(set) var changedParts: Set<Part> = []

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

    /// The counts of a class in a named namespace.
    subscript(diskClass: DiskClass, in namespace: String) -> Count {
        parts[Part(namespace: namespace, diskClass: diskClass)] ?? Count()
    }

    /// The named namespaces with entries.
    var namespaces: Set<String> { Set(parts.keys.map(\.namespace)) }

    /// Adds an entry.
    mutating func add(_ diskClass: DiskClass, _ length: Int, in namespace: String) {
        change(diskClass, namespace, entries: 1, bytes: length)
    }

    /// Subtracts an entry.
    mutating func subtract(_ diskClass: DiskClass, _ length: Int, in namespace: String) {
        change(diskClass, namespace, entries: -1, bytes: -length)
    }

    private mutating func change(_ diskClass: DiskClass, _ namespace: String, entries: Int, bytes: Int) {
        self[diskClass].entries += entries
        self[diskClass].bytes += bytes
        guard !namespace.isEmpty else { return }
        let part = Part(namespace: namespace, diskClass: diskClass)
        var count = parts[part] ?? Count()
        count.entries += entries
        count.bytes += bytes
        setPart(part, count)
        changedParts.insert(part)
    }

    /// Sets the counts of a part, as they are stored.
    mutating func setPart(_ part: Part, _ count: Count) { parts[part] = count.entries == 0 ? nil : count }

    /// Records that all parts, and those of earlier totals, must be saved.
    mutating func markChanged(since earlier: DiskTotals) {
        changedParts.formUnion(parts.keys)
        changedParts.formUnion(earlier.parts.keys)
    }

    /// Records that all changes are saved.
    mutating func markSaved() { changedParts = [] }

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
            ) { DiskTotals.Count(entries: $0.count(0), bytes: $0.count(1)) }
            totals[diskClass] = count ?? DiskTotals.Count()
        }
        // An index of an earlier layout that is only inspected has no namespaces.
        let rows = try? connection.all("SELECT namespace, class, entries, bytes FROM namespace_totals", []) { row in
            (row.text(0) ?? "", Int(row.integer(1)), row.count(2), row.count(3))
        }
        for (namespace, diskClass, entries, bytes) in rows ?? [] {
            guard let diskClass = DiskClass(rawValue: diskClass) else { continue }
            let part = DiskTotals.Part(namespace: namespace, diskClass: diskClass)
            totals.setPart(part, DiskTotals.Count(entries: entries, bytes: bytes))
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
        for part in totals.changedParts {
            let count = totals[part.diskClass, in: part.namespace]
            try connection.run(
                "INSERT OR REPLACE INTO namespace_totals VALUES (?1, ?2, ?3, ?4)",
                [
                    .text(part.namespace), .integer(part.diskClass.rawValue), .integer(count.entries),
                    .integer(count.bytes),
                ]
            )
        }
    }

    /// Counts the rows by the indexes: O(n), so never done before serving.
    mutating func countTotals() throws(SQLiteError) -> DiskTotals {
        var totals = DiskTotals()
        let queries: KeyValuePairs<DiskClass, (entries: String, links: String)> = [
            .originals: (
                "origins INDEXED BY origins_by_use WHERE has_body = 1",
                "origins INDEXED BY origins_by_link WHERE linked = 1"
            ),
            .variants: ("variants INDEXED BY variants_by_use", "variants INDEXED BY variants_by_link WHERE linked = 1"),
        ]
        for (diskClass, tables) in queries {
            var counts = try count(tables.entries)
            // Bodies under several names count once.
            for (namespace, links) in try count(tables.links) { counts[namespace]?.bytes -= links.bytes }
            for (namespace, count) in counts {
                totals[diskClass].entries += count.entries
                totals[diskClass].bytes += count.bytes
                guard !namespace.isEmpty else { continue }
                totals.setPart(DiskTotals.Part(namespace: namespace, diskClass: diskClass), count)
            }
        }
        return totals
    }

    /// Counts rows by namespace.
    private mutating func count(_ rows: String) throws(SQLiteError) -> [String: DiskTotals.Count] {
        let query = "SELECT namespace, count(*), \(Self.bytes()) FROM \(rows) GROUP BY namespace"
        let counts = try connection.all(query, []) {
            ($0.text(0) ?? "", DiskTotals.Count(entries: $0.count(1), bytes: $0.count(2)))
        }
        return Dictionary(counts) { $1 }
    }
}
