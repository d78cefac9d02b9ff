import HTTPCache

extension ConfigurationSchema {
    /// The tiers of the cache: their sizes, and how they are used.
    static let tiers: [Setting<Configuration>] = [
        Setting(
            "cache.path",
            \.cache.path,
            .folderOrOff,
            needsRestart: true,
            "Folder of the disk cache; off to cache in memory only."
        ),
        Setting(
            "cache.memory",
            \.cache.memorySize,
            .memorySize(upTo: 1 << 50),
            "Size of the memory cache of encoded images: 256MiB, 25% of the memory, or auto: a quarter of limits.memory."
        ),
        Setting(
            "cache.memory-entries",
            \.cache.memoryEntries,
            .count(0...100_000_000),
            "Maximum number of entries in the memory cache; 0 for no limit but its size."
        ),
        Setting(
            "cache.tiers.query",
            \.cache.tiers.query,
            .choice,
            needsRestart: true,
            "Tiers that look-ups read: serial (memory, then disk), highest (memory only) or lowest (disk only)."
        ),
        Setting(
            "cache.tiers.store",
            \.cache.tiers.store,
            .choice,
            needsRestart: true,
            "Tiers that new entries are stored in: concurrent (both), highest (memory only) or lowest (disk only)."
        ),
        Setting(
            "cache.read-threads",
            \.cache.readThreads,
            .count(1...64),
            needsRestart: true,
            "Number of threads that read from the disk cache."
        ),
    ]
}

extension ValueFormat where Value == String {
    /// A folder's path, or `off` or `none`, which mean an empty path.
    fileprivate static var folderOrOff: ValueFormat {
        let path = ValueFormat.text("a folder's path, or off")
        return ValueFormat(
            expectation: path.expectation,
            read: { node, problems in
                if case .scalar(let text) = node.content, ["off", "none"].contains(text.lowercased()) { return "" }
                return path.read(node, &problems)
            },
            write: { $0.isEmpty ? .plain("off") : path.write($0) },
            schema: path.schema
        )
    }
}
