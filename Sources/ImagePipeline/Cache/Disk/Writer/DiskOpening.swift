import Glibc
import LinuxSystem

/// Makes a folder ready: folders, lock, tag, a proof that it can be written, the index; one attempt, on the writer's thread.
struct DiskOpening {
    let folder: DiskFolder
    let files: any FileSystem

    /// What an attempt found.
    struct Opened: ~Copyable {
        var index: DiskIndex
        let lock: FolderLock
        /// Whether a damaged index was moved aside for this one.
        let isRebuilt: Bool
    }

    /// Opens the folder.
    ///
    /// - Parameter held: the lock of an earlier attempt, kept if its file is still there.
    /// - Parameter rebuilds: whether the index is known to be damaged.
    func open(held: FolderLock?, rebuilds: Bool) throws(DiskFault) -> Opened {
        let names = try DiskFault.file { () throws(Errno) in
            try makeFolders(folder.path)
            return Set(try files.list(folder.path))
        }
        guard isOurs(names) else { throw .refused(.foreignFolder(path: folder.path)) }
        let layout = DiskFolderInspector(folder: folder, files: files).layout ?? 0
        let supported = DiskIndex.migrations.count
        // An index that is missing or damaged cannot say it, and is not the reason to delete a newer release's files.
        guard layout <= supported else {
            throw .refused(.newerVersion(path: folder.path, found: layout, supported: supported))
        }
        let lock = try lock(held)
        try DiskFault.file { () throws(Errno) in try prepare(isTagged: layout == supported) }
        if rebuilds {
            try moveIndexAside()
        } else if !names.contains("index.sqlite") {
            try DiskFault.file { () throws(Errno) in try removeLog() }
        }
        do throws(DiskIndex.OpenError) {
            return Opened(index: try index(), lock: lock, isRebuilt: rebuilds)
        } catch {
            guard case .sqlite(let sqlite) = error, sqlite.isCorruption else { throw fault(error) }
        }
        try moveIndexAside()
        do throws(DiskIndex.OpenError) {
            return Opened(index: try index(), lock: lock, isRebuilt: true)
        } catch {
            throw fault(error)
        }
    }

    /// The index; a new one in a folder without content has nothing to be made of.
    private func index() throws(DiskIndex.OpenError) -> DiskIndex {
        var index = try DiskIndex.writing(folder.index)
        let isEmpty = DiskClass.allCases.allSatisfy { diskClass in
            (try? files.list(folder.root(of: diskClass)))?.isEmpty == true
        }
        guard isEmpty else { return index }
        do throws(SQLiteError) { try index.endRebuilding(keepsRemovals: true) } catch { throw .sqlite(error) }
        return index
    }

    /// Whether everything in the folder may be ours to delete: it says so, or there is nothing that could be mistaken.
    private func isOurs(_ names: Set<String>) -> Bool {
        let inspector = DiskFolderInspector(folder: folder, files: files)
        // A tag alone says little: other programs tag their caches, too.
        if inspector.isTagged || inspector.hasOurIndex(names) { return true }
        return names.isDisjoint(with: ["originals", "variants", "tmp", "index.sqlite"])
    }

    private func lock(_ held: FolderLock?) throws(DiskFault) -> FolderLock {
        if let held, held.isInPlace { return held }
        let lock = try DiskFault.file { () throws(Errno) in try FolderLock(path: folder.lock) }
        guard let lock else { throw .refused(.locked(path: folder.path)) }
        return lock
    }

    private func prepare(isTagged: Bool) throws(Errno) {
        // The tag first: with it, an attempt that ends half way has made a folder of ours.
        if !isTagged { try write(Self.tag, to: folder.tag) }
        for path in [folder.temporary, folder.root(of: .originals), folder.root(of: .variants)] {
            try files.makeFolder(path)
        }
        // A disk that takes no page now takes no picture: stay degraded rather than try with the next object.
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

    /// One damaged index is kept for looking at; a new one is made of the files in the background.
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

    /// The Cache Directory Tagging Specification's signature: backup programs leave the folder out.
    private static let tag = """
        Signature: 8a477f597d28d172789f06886806bc55
        # This folder is a cache of Edgeprint: everything in it can be deleted while the daemon is stopped.
        # See https://bford.info/cachedir/
        \(DiskFolder.layoutMark)\(DiskIndex.migrations.count)

        """
}
