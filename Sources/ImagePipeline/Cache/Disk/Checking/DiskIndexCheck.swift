import Glibc
import LinuxSystem

/// Looks at an index as a database, not at what its rows say.
struct DiskIndexCheck {
    let folder: DiskFolder
    let files: any FileSystem

    /// What is wrong with it; `nil` where nothing is.
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
            return try index.hasTables() ? nil : "has not the tables of a cache"
        } catch {
            guard error.isCorruption else { throw failure(error) }
            return error.message
        }
    }

    /// Builds SQLite's own indices anew from the tables, which loses nothing.
    ///
    /// - Returns: whether that was all that was wrong.
    func mend() -> Bool {
        do {
            var index = try DiskIndex.writing(folder.index)
            try index.rebuildIndices()
            return try index.integrityProblems().isEmpty && index.hasTables()
        } catch {
            return false
        }
    }

    /// The index, to look at.
    func opened() throws(DiskCheckError) -> DiskIndex {
        do throws(SQLiteError) { return try open() } catch { throw failure(error) }
    }

    /// An index without rows, in memory.
    func empty() throws(DiskCheckError) -> DiskIndex {
        do throws(DiskIndex.OpenError) {
            return try DiskIndex.writing(":memory:")
        } catch {
            throw .failed(path: folder.index, reason: "\(error)")
        }
    }

    private func open() throws(SQLiteError) -> DiskIndex {
        let isAtRest = DiskFolderInspector(folder: folder, files: files).isAtRest(isLocked: false)
        return try DiskIndex.checking(folder.index, isAtRest: isAtRest)
    }

    private func failure(_ error: SQLiteError) -> DiskCheckError {
        .failed(path: folder.index, reason: "\(error)")
    }
}
