import Glibc
package import LinuxSystem

/// The state of a folder as a cache; inspection does not change the folder.
package enum DiskFolderState: Hashable, Sendable {
    /// Nothing exists at the path.
    case absent
    /// The path is not a folder.
    case notFolder
    case unreadable(Errno)
    /// A folder that a store could use: its content does not conflict.
    case free
    /// A folder whose content is not a cache and conflicts with one.
    case foreign
    case cache(Cache)

    /// A store's folder.
    package struct Cache: Hashable, Sendable {
        /// Whether a process holds the folder's lock.
        package var isLocked: Bool
        /// The schema's version; `nil` if the index is missing or unreadable.
        package var version: Int?
        /// The totals according to the index; `nil` if it is unreadable.
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

    /// Inspects a folder; blocks.
    package init(path: String, files: any FileSystem = SystemFiles()) {
        self = DiskFolderInspector(folder: DiskFolder(path: path), files: files).state()
    }
}

/// Inspects a folder without changing it.
struct DiskFolderInspector {
    let folder: DiskFolder
    let files: any FileSystem

    /// What the folder is.
    func state() -> DiskFolderState {
        let names: Set<String>
        do throws(Errno) {
            // `list` does not report a missing folder.
            _ = try files.open(folder.path, flags: O_RDONLY | O_DIRECTORY)
            names = Set(try files.list(folder.path))
        } catch {
            switch error.code {
            case ENOENT: return .absent
            case ENOTDIR: return .notFolder
            default: return .unreadable(error)
            }
        }
        guard isTagged || hasOurIndex(names) else {
            let isInTheWay =
                names.contains("index.sqlite") || !names.isDisjoint(with: ["originals", "variants", "tmp"])
            return isInTheWay ? .foreign : .free
        }
        return .cache(cache(names))
    }

    /// Whether the folder has a cache directory tag, and it is Edgeprint's.
    var isTagged: Bool {
        guard let text = tagText else { return false }
        return text.hasPrefix("Signature: 8a477f597d28d172789f06886806bc55") && text.contains("Edgeprint")
    }

    /// The layout's number in the tag; `nil` if it has none.
    var layout: Int? {
        guard isTagged, let text = tagText else { return nil }
        return text.split(separator: "\n").compactMap { line in
            line.hasPrefix(DiskFolder.layoutMark) ? Int(line.dropFirst(DiskFolder.layoutMark.count)) : nil
        }.first
    }

    private var tagText: String? {
        guard let file = try? files.open(folder.tag, flags: O_RDONLY | O_NOFOLLOW),
            let bytes = try? files.read(file, at: 0, count: 512)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether the index is closed, with nothing left in a log.
    ///
    /// - Parameter isLocked: whether a process holds the folder's lock.
    func isAtRest(isLocked: Bool) -> Bool {
        guard !isLocked else { return false }
        guard let log = try? files.open(folder.index + "-wal", flags: O_RDONLY) else { return true }
        return (try? files.size(of: log)) == 0
    }

    /// Whether another process holds the folder's lock.
    var isLocked: Bool {
        do throws(Errno) { return try FolderLock(sharing: folder) == nil } catch { return false }
    }

    /// Whether there is an SQLite database with a store's tables.
    func hasOurIndex(_ names: Set<String>) -> Bool {
        guard names.contains("index.sqlite") else { return false }
        return (try? index { index throws(SQLiteError) in try index.hasTables() }) ?? false
    }

    private func cache(_ names: Set<String>) -> DiskFolderState.Cache {
        var result = DiskFolderState.Cache(isLocked: isLocked, version: nil, statistics: nil)
        let layout = layout
        // The tag identifies a newer release's layout even without an index.
        if let layout, layout > DiskIndex.migrations.count { result.version = layout }
        guard names.contains("index.sqlite") else { return result }
        result.version = (try? index { index throws(SQLiteError) in try index.version() }) ?? result.version
        let totals = try? index { index throws(SQLiteError) in try index.totals() }
        result.statistics = totals.map { totals in
            var statistics = DiskStatistics()
            for diskClass in DiskClass.allCases {
                statistics[diskClass].entries = totals[diskClass].entries
                statistics[diskClass].bytes = totals[diskClass].bytes
            }
            return statistics
        }
        return result
    }

    private func index<Result>(
        _ body: (inout DiskIndex) throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        var index = try DiskIndex.checking(folder.index, isAtRest: isAtRest(isLocked: isLocked))
        return try body(&index)
    }
}
