import Glibc
import LinuxSystem

/// Checks an index as a database; does not interpret its rows.
struct DiskIndexCheck {
    let folder: DiskFolder
    let files: any FileSystem

    /// A description of the damage; `nil` if the database is sound.
    func problem() throws(DiskCheckError) -> String? {
        do throws(Errno) {
            let file = try files.open(folder.index, flags: O_RDONLY)
            guard try files.size(of: file) > 0 else { return "is empty" }
        } catch {
            guard error.code != ENOENT else { return "is missing" }
            throw .unreadable(path: folder.index, error)
        }
        do throws(SQLiteError) {
            var index = try open()
            let problems = try index.integrityProblems()
            guard problems.isEmpty else { return problems.joined(separator: "; ") }
            guard try index.hasTables() else { return "lacks the tables of a cache" }
            var migrated = try current()
            return try migrated.isComplete() ? nil : SQLiteError.incomplete.message
        } catch {
            guard error.isCorruption || error.isMismatch else { throw failure(error) }
            return error.message
        }
    }

    /// Rebuilds SQLite's indexes from the tables, which loses nothing.
    ///
    /// - Returns: whether the database is sound now.
    func mend() -> Bool {
        do {
            var index = try DiskIndex.writing(folder.index)
            try index.rebuildIndices()
            return try index.integrityProblems().isEmpty && index.isComplete()
        } catch {
            return false
        }
    }

    /// Opens the index for reading.
    func opened() throws(DiskCheckError) -> DiskIndex {
        do throws(SQLiteError) { return try current() } catch { throw failure(error) }
    }

    /// Creates an empty index in memory.
    func empty() throws(DiskCheckError) -> DiskIndex {
        do throws(DiskIndex.OpenError) {
            return try DiskIndex.writing(":memory:")
        } catch {
            throw .failed(path: folder.index, reason: "\(error)")
        }
    }

    /// Opens the index; one of an earlier layout as a migrated copy, since a check changes nothing.
    private func current() throws(SQLiteError) -> DiskIndex {
        var index = try open()
        guard try index.version() < DiskIndex.migrations.count else { return index }
        return try index.migratedCopy()
    }

    private func open() throws(SQLiteError) -> DiskIndex {
        let isAtRest = DiskFolderInspector(folder: folder, files: files).isAtRest(isLocked: false)
        return try DiskIndex.checking(folder.index, isAtRest: isAtRest)
    }

    private func failure(_ error: SQLiteError) -> DiskCheckError {
        .failed(path: folder.index, reason: "\(error)")
    }
}
