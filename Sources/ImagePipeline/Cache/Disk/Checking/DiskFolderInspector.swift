import Glibc
import LinuxSystem

/// Looks at a folder without changing it.
struct DiskFolderInspector {
    let folder: DiskFolder
    let files: any FileSystem

    /// What the folder is.
    func state() -> DiskFolderState {
        let names: Set<String>
        do throws(Errno) {
            // `list` answers nothing for what is not there.
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

    /// Whether the folder's tag says that it is a cache of ours; many programs tag theirs.
    var isTagged: Bool {
        guard let text = tagText else { return false }
        return text.hasPrefix("Signature: 8a477f597d28d172789f06886806bc55") && text.contains("Edgeprint")
    }

    /// The number of the folder's layout by its tag; `nil` where that tells none.
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

    /// Whether nobody has the index open and all of it is in its file.
    ///
    /// - Parameter isLocked: whether a process has the folder.
    func isAtRest(isLocked: Bool) -> Bool {
        guard !isLocked else { return false }
        guard let log = try? files.open(folder.index + "-wal", flags: O_RDONLY) else { return true }
        return (try? files.size(of: log)) == 0
    }

    /// Whether another process has the folder now.
    var isLocked: Bool {
        do throws(Errno) { return try FolderLock(sharing: folder.lock) == nil } catch { return false }
    }

    /// Whether the index is one, and has our tables.
    func hasOurIndex(_ names: Set<String>) -> Bool {
        guard names.contains("index.sqlite") else { return false }
        return (try? index { index throws(SQLiteError) in try index.hasTables() }) ?? false
    }

    private func cache(_ names: Set<String>) -> DiskFolderState.Cache {
        var result = DiskFolderState.Cache(isLocked: isLocked, version: nil, statistics: nil)
        let layout = layout
        // A newer release's tag counts where the index cannot say it.
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
