import Glibc
import LinuxSystem

/// One attempt to open a folder: folders, lock, tag, a test write, the index.
///
/// Runs on the writer's thread.
struct DiskOpening {
    let folder: DiskFolder
    let files: any FileSystem

    /// A folder that a store may use, with its lock.
    struct Admission {
        let lock: FolderLock
        fileprivate let names: Set<String>
        fileprivate let isTagged: Bool
    }

    /// An opened folder.
    struct Opened: ~Copyable {
        var index: DiskIndex
        /// Whether the index replaces a damaged one.
        let isRebuilt: Bool
    }

    /// Creates the folder if it is missing, and locks it.
    ///
    /// - Parameter held: the lock of an earlier attempt, of which the files that still exist stay locked.
    func admit(held: FolderLock?) throws(DiskFault) -> Admission {
        let names = try DiskFault.file { () throws(Errno) in
            try makeFolders(folder.path)
            return Set(try files.list(folder.path))
        }
        guard isOurs(names) else { throw .refused(.foreignFolder(path: folder.path)) }
        let layout = DiskFolderInspector(folder: folder, files: files).layout ?? 0
        let supported = DiskIndex.migrations.count
        // Without a readable index, the tag alone protects a newer release's files.
        guard layout <= supported else {
            throw .refused(.newerVersion(path: folder.path, found: layout, supported: supported))
        }
        return Admission(lock: try lock(held), names: names, isTagged: layout == supported)
    }

    /// Opens an admitted folder.
    ///
    /// - Parameters:
    ///   - rebuilds: whether the index is known to be damaged.
    ///   - probes: whether it must be possible to write a page.
    func open(_ admission: Admission, rebuilds: Bool, probes: Bool = true) throws(DiskFault) -> Opened {
        try DiskFault.file { () throws(Errno) in
            try prepare(isTagged: admission.isTagged)
            if probes { try probe() }
        }
        if rebuilds {
            try moveIndexAside()
        } else if !admission.names.contains("index.sqlite") {
            try DiskFault.file { () throws(Errno) in try removeLog() }
        }
        do throws(DiskIndex.OpenError) {
            return Opened(index: try index(), isRebuilt: rebuilds)
        } catch {
            guard case .sqlite(let sqlite) = error, sqlite.isCorruption || sqlite.isMismatch else { throw fault(error) }
        }
        try moveIndexAside()
        do throws(DiskIndex.OpenError) {
            return Opened(index: try index(), isRebuilt: true)
        } catch {
            throw fault(error)
        }
    }

    /// Opens the index; in a folder without content there is nothing to rebuild.
    private func index() throws(DiskIndex.OpenError) -> DiskIndex {
        var index = try DiskIndex.writing(folder.index)
        do throws(SQLiteError) {
            guard try index.isComplete() else { throw SQLiteError.incomplete }
        } catch {
            throw .sqlite(error)
        }
        let isEmpty = DiskClass.allCases.allSatisfy { diskClass in
            (try? files.list(folder.root(of: diskClass)))?.isEmpty == true
        }
        guard isEmpty else { return index }
        do throws(SQLiteError) { try index.endRebuilding(keepsRemovals: true) } catch { throw .sqlite(error) }
        return index
    }

    /// Whether the store may delete files in the folder: it identifies itself as a cache, or has no conflicting names.
    private func isOurs(_ names: Set<String>) -> Bool {
        let inspector = DiskFolderInspector(folder: folder, files: files)
        // The tag must be Edgeprint's: other programs tag their caches, too.
        if inspector.isTagged || inspector.hasOurIndex(names) { return true }
        return names.isDisjoint(with: ["originals", "variants", "tmp", "index.sqlite"])
    }

    private func lock(_ held: FolderLock?) throws(DiskFault) -> FolderLock {
        if let held, held.isInPlace { return held }
        let lock = try DiskFault.file { () throws(Errno) in try FolderLock(of: folder, renewing: held) }
        guard let lock else { throw .refused(.locked(path: folder.path)) }
        return lock
    }

    private func prepare(isTagged: Bool) throws(Errno) {
        // The tag first, so that an interrupted attempt leaves a folder that identifies itself.
        if !isTagged { try write(Self.tag, to: folder.tag) }
        for path in [folder.temporary, folder.root(of: .originals), folder.root(of: .variants)] {
            try files.makeFolder(path)
        }
    }

    /// Writes a page: if that fails, stay degraded rather than fail at the next object.
    private func probe() throws(Errno) {
        let probe = folder.temporary + "/probe"
        try write(String(repeating: "\n", count: 4096), to: probe)
        try files.remove(probe)
    }

    private func write(_ text: String, to path: String) throws(Errno) {
        let file = try files.open(path, flags: O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW)
        try files.write(Array(text.utf8), to: file)
    }

    private func makeFolders(_ path: String) throws(Errno) {
        do throws(Errno) {
            try files.makeFolder(path)
        } catch {
            let slash = path.lastIndex(of: "/") ?? path.startIndex
            guard error.code == ENOENT, slash != path.startIndex else { throw error }
            try makeFolders(String(path[..<slash]))
            try files.makeFolder(path)
        }
    }

    /// Keeps one damaged index for inspection; a new one is rebuilt from the files in the background.
    private func moveIndexAside() throws(DiskFault) {
        try DiskFault.file { () throws(Errno) in
            do throws(Errno) {
                try files.rename(folder.index, to: folder.index + ".damaged")
            } catch {
                guard error.code == ENOENT else { throw error }
            }
            try removeLog()
        }
    }

    private func removeLog() throws(Errno) {
        try files.remove(folder.index + "-wal")
        try files.remove(folder.index + "-shm")
    }

    private func fault(_ error: DiskIndex.OpenError) -> DiskFault {
        switch error {
        case .sqlite(let error): .index(error)
        case .newerVersion(let found):
            .refused(.newerVersion(path: folder.path, found: found, supported: DiskIndex.migrations.count))
        }
    }

    /// The signature of the Cache Directory Tagging Specification: backup programs skip the folder.
    private static let tag = """
        Signature: 8a477f597d28d172789f06886806bc55
        # This folder is a cache of Edgeprint: everything in it can be deleted while the daemon is stopped.
        # See https://bford.info/cachedir/
        \(DiskFolder.layoutMark)\(DiskIndex.migrations.count)

        """
}
