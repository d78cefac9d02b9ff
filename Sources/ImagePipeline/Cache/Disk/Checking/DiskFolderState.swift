package import LinuxSystem

/// What a folder is that a store is to have, seen without changing it.
package enum DiskFolderState: Hashable, Sendable {
    /// Nothing has the name.
    case absent
    /// Something else than a folder has the name.
    case notFolder
    case unreadable(Errno)
    /// A folder that a store would make its own; what is in it is not in the way.
    case free
    /// A folder with things of others where a store would put its own.
    case foreign
    case cache(Cache)

    /// A folder that a store has used.
    package struct Cache: Hashable, Sendable {
        /// Whether a process has it now.
        package var isLocked: Bool
        /// The schema's version; `nil` where the index is missing or cannot be read.
        package var version: Int?
        /// What the index says is stored; `nil` where it cannot be read.
        package var statistics: DiskStatistics?

        /// Whether a later release wrote the index.
        package var isNewer: Bool { (version ?? 0) > DiskIndex.migrations.count }

        /// Creates a description.
        package init(isLocked: Bool, version: Int?, statistics: DiskStatistics?) {
            self.isLocked = isLocked
            self.version = version
            self.statistics = statistics
        }
    }

    /// Looks at a folder; blocks.
    package init(path: String, files: any FileSystem = SystemFiles()) {
        self = DiskFolderInspector(folder: DiskFolder(path: path), files: files).state()
    }
}
