/// Rebuilding a lost index: until all files have been visited, files without rows are adopted.
extension DiskIndex {
    /// Whether files may exist whose rows were lost with an index.
    mutating func isRebuilding() throws(SQLiteError) -> Bool {
        try connection.first("SELECT 1 FROM rebuilding LIMIT 1") { _ in true } ?? false
    }

    /// Ends rebuilding: from now on, a file without a row is an orphan.
    ///
    /// - Parameter keepsRemovals: whether recorded removals are kept for a seed.
    mutating func endRebuilding(keepsRemovals: Bool) throws(SQLiteError) {
        try connection.run("DELETE FROM rebuilding")
        if keepsRemovals { return }
        try connection.run("DELETE FROM removed")
    }

    /// Records a removal, so that its files without rows are not adopted and the seed's are not served.
    mutating func noteRemoved(_ selection: PurgeSelection) throws(SQLiteError) {
        switch selection {
        case .originals(let keys): for key in keys { try noteRemoved(kind: 0, key.bytes) }
        case .source(let name): try noteRemoved(kind: 1, Array(name.utf8))
        case .all: try noteRemoved(kind: 2, [])
        case .prefixes, .tags, .confirmedBefore, .staleAt, .preset, .within:
            try noteRemoved(kind: RemovedSelection.kind, RemovedSelection.encode(selection))
        }
    }

    /// Whether a recorded removal selects a subject.
    mutating func wasRemoved(_ subject: PurgeSubject) throws(SQLiteError) -> Bool {
        let found = try connection.first(
            """
            SELECT 1 FROM removed WHERE (kind = 0 AND value = ?1) OR (kind = 1 AND value = ?2) \
            OR kind = 2 LIMIT 1
            """,
            [.key(subject.origin), .blob(Array(subject.source.utf8))]
        ) { _ in true }
        if found == true { return true }
        let verdicts = try connection.all(
            "SELECT value FROM removed WHERE kind = ?1",
            [.integer(RemovedSelection.kind)]
        ) { row in
            // An unreadable selection may have selected anything.
            RemovedSelection.decode(row.blob(0))?.covers(subject) ?? true
        }
        return verdicts.contains(true)
    }

    private mutating func noteRemoved(kind: Int, _ value: [UInt8]) throws(SQLiteError) {
        try connection.run(
            "INSERT OR IGNORE INTO removed (kind, value) VALUES (?1, ?2)",
            [.integer(kind), .blob(value)]
        )
    }

    /// Adds a body whose file was found to an original's row.
    mutating func addBody(_ id: Int64, trailer: Int) throws(SQLiteError) {
        try connection.run(
            "UPDATE origins SET has_body = 1, trailer = ?2 WHERE id = ?1",
            [.integer(id), .integer(trailer)]
        )
    }
}

/// The encoding of recorded removals that are not by key or source.
enum RemovedSelection {
    /// The kind of these rows.
    static let kind = 3

    private enum Tag {
        static let prefixSource: UInt16 = 1
        static let prefixURL: UInt16 = 2
        static let tag: UInt16 = 3
        static let confirmedBefore: UInt16 = 4
        static let presetName: UInt16 = 5
        static let presetSteps: UInt16 = 6
        static let presetSetting: UInt16 = 7
        static let staleAt: UInt16 = 8
        static let namespace: UInt16 = 9
        static let origin: UInt16 = 10
        static let source: UInt16 = 11
    }

    /// Encodes a selection; those that have rows of their own kind are encoded only within a namespace.
    static func encode(_ selection: PurgeSelection) -> [UInt8] {
        var fields = TaggedFields()
        switch selection {
        case .prefixes(let prefixes):
            for prefix in prefixes {
                fields.put(Tag.prefixSource, prefix.source)
                fields.put(Tag.prefixURL, prefix.url)
            }
        case .tags(let tags): for tag in tags.sorted() { fields.put(Tag.tag, tag) }
        case .confirmedBefore(let time): fields.put(Tag.confirmedBefore, time)
        case .staleAt(let time): fields.put(Tag.staleAt, time)
        case .preset(let pattern):
            fields.put(Tag.presetName, pattern.name)
            fields.put(Tag.presetSteps, pattern.steps)
            for setting in pattern.settings { fields.put(Tag.presetSetting, setting) }
        case .within(let namespace, let selection):
            fields.put(Tag.namespace, namespace)
            switch selection {
            case .originals(let keys): for key in keys { fields.put(Tag.origin, key.bytes) }
            case .source(let name): fields.put(Tag.source, name)
            default: return fields.bytes + encode(selection)
            }
        case .originals, .source, .all: break
        }
        return fields.bytes
    }

    /// Decodes a selection; `nil` for one that this release does not know.
    static func decode(_ bytes: [UInt8]) -> PurgeSelection? {
        guard let fields = TaggedFields.Reader(bytes[...]) else { return nil }
        guard let namespace = fields.text(Tag.namespace) else { return decodeWhole(fields) }
        if let name = fields.text(Tag.source) { return .within(namespace, .source(name)) }
        let keys = fields.all(Tag.origin).compactMap { CacheKey(bytes: Array($0)) }
        if !keys.isEmpty { return .within(namespace, .originals(keys)) }
        return .within(namespace, decodeWhole(fields) ?? .all)
    }

    private static func decodeWhole(_ fields: TaggedFields.Reader) -> PurgeSelection? {
        func texts(_ tag: UInt16) -> [String] { fields.all(tag).map { String(decoding: $0, as: UTF8.self) } }
        let tags = texts(Tag.tag)
        if !tags.isEmpty { return .tags(Set(tags)) }
        if let time = fields.integer(Tag.confirmedBefore) { return .confirmedBefore(time) }
        if let time = fields.integer(Tag.staleAt) { return .staleAt(time) }
        if let name = fields.text(Tag.presetName) {
            let steps = fields.text(Tag.presetSteps) ?? ""
            return .preset(PresetPattern(name: name, steps: steps, settings: texts(Tag.presetSetting)))
        }
        let prefixes = zip(texts(Tag.prefixSource), texts(Tag.prefixURL)).map { OriginPrefix(source: $0, url: $1) }
        return prefixes.isEmpty ? nil : .prefixes(prefixes)
    }
}
