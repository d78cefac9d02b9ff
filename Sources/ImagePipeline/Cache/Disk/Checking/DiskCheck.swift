import Glibc
import LinuxSystem

/// Verifies a cache folder that no daemon has, and repairs it: the walk of the daemon's own reconciliation, with every body read.
///
/// Memory is bounded whatever the folder holds: rows come in batches, bodies in pieces, findings go out one by one.
package struct DiskCheck {
    /// Whom a check tells what.
    package struct Listener {
        /// Called for each thing that is wrong, and whether it has been repaired.
        package var found: (DiskDamage, _ isRepaired: Bool) -> Void
        /// Called after each entry.
        package var progress: (DiskCheckProgress) -> Void

        /// Creates a listener.
        package init(
            found: @escaping (DiskDamage, _ isRepaired: Bool) -> Void,
            progress: @escaping (DiskCheckProgress) -> Void = { _ in }
        ) {
            self.found = found
            self.progress = progress
        }
    }

    private let folder: DiskFolder
    private let files: any FileSystem
    private let listener: Listener

    /// Describes a check.
    package init(path: String, files: any FileSystem = SystemFiles(), listener: Listener) {
        folder = DiskFolder(path: path)
        self.files = files
        self.listener = listener
    }

    /// Checks; blocks for as long as reading the whole folder takes.
    ///
    /// - Parameter repairs: whether what is wrong goes; else the folder stays as it is.
    /// - Throws: `DiskCheckError`; a folder that is refused has not been touched.
    package func run(repairs: Bool) throws(DiskCheckError) -> DiskCheckResult {
        try admit()
        let lock = try lock(exclusively: repairs)
        return try withExtendedLifetime(lock) { () throws(DiskCheckError) in try run(repairs: repairs, lock) }
    }

    private func run(repairs: Bool, _ lock: FolderLock?) throws(DiskCheckError) -> DiskCheckResult {
        let tally = DiskCheckTally(listener)
        let index = DiskIndexCheck(folder: folder, files: files)
        let problem = try index.problem()
        let needsNewIndex = problem != nil && !(repairs && index.mend())
        if let problem {
            tally.count(DiskDamage(.index, folder.relative(folder.index), problem), isRepaired: repairs)
        }
        noteStrangers(tally)
        if repairs {
            let opened = try opened(lock, rebuilds: needsNewIndex)
            try walk(opened.index, DiskCare(tally, repairs: true), tally)
        } else {
            // Without an index, every body is one that no row tells of.
            let rows = try needsNewIndex ? index.empty() : index.opened()
            try walk(rows, DiskCare(tally, repairs: false), tally)
        }
        tally.result.remaining = tally.result.damages
        if repairs, tally.result.damages > 0 { try verify(index, tally) }
        return tally.result
    }

    /// The proof of a repair: once more over what is left, whose bodies have been read already.
    private func verify(_ index: DiskIndexCheck, _ tally: DiskCheckTally) throws(DiskCheckError) {
        let again = DiskCheckTally(Listener(found: { _, _ in }))
        if try index.problem() == nil {
            var care = DiskCare(again, repairs: false)
            care.readsBodies = false
            try walk(index.opened(), care, again)
        } else {
            again.count(DiskDamage(.index, ""), isRepaired: false)
        }
        // What could not be read the first time may not be asked for the second time.
        let unread = max(0, (tally.result.found[.unreadable] ?? 0) - (again.result.found[.unreadable] ?? 0))
        tally.result.remaining = again.result.damages + unread
    }

    /// Refuses what is no cache, and what a newer release wrote.
    private func admit() throws(DiskCheckError) {
        switch DiskFolderInspector(folder: folder, files: files).state() {
        case .absent: throw .absent(path: folder.path)
        case .notFolder: throw .notFolder(path: folder.path)
        case .unreadable(let errno): throw .unreadable(path: folder.path, errno)
        case .free, .foreign: throw .noCache(path: folder.path)
        case .cache(let cache):
            if cache.isLocked { throw .locked(path: folder.path) }
            guard cache.isNewer, let version = cache.version else { return }
            throw .newerVersion(path: folder.path, found: version, supported: DiskIndex.migrations.count)
        }
    }

    /// Keeps daemons out for the check's time; `nil` where no daemon has ever been in.
    private func lock(exclusively: Bool) throws(DiskCheckError) -> FolderLock? {
        let lock: FolderLock?
        do throws(Errno) {
            lock = try exclusively ? FolderLock(path: folder.lock) : FolderLock(sharing: folder.lock)
        } catch {
            guard !exclusively else { throw .failed(path: folder.path, reason: "cannot be repaired: \(error)") }
            guard error.code == ENOENT else { throw .unreadable(path: folder.lock, error) }
            return nil
        }
        guard let lock else { throw .locked(path: folder.path) }
        return lock
    }

    /// What lies beside the cache's own files.
    private func noteStrangers(_ tally: DiskCheckTally) {
        for name in ((try? files.list(folder.path)) ?? []).sorted() where !DiskFolder.isKnown(name) {
            tally.count(DiskDamage(.unknown, name), isRepaired: false)
        }
    }

    /// Makes the folder ready as a daemon does.
    private func opened(_ lock: FolderLock?, rebuilds: Bool) throws(DiskCheckError) -> DiskOpening.Opened {
        do throws(DiskFault) {
            return try DiskOpening(folder: folder, files: files).open(held: lock, rebuilds: rebuilds)
        } catch {
            throw .failed(path: folder.path, reason: "cannot be repaired: \(error)")
        }
    }

    /// Walks as a daemon does in the background after its start, at once and to the end.
    private func walk(
        _ index: consuming DiskIndex,
        _ care: DiskCare,
        _ tally: DiskCheckTally
    ) throws(DiskCheckError) {
        do throws(DiskFault) {
            let shared = DiskShared(DiskStore.Configuration(path: folder.path, files: files))
            let session = try DiskSession(shared, index: index, care: care)
            for diskClass in DiskClass.allCases { tally.progress.total += session.totals[diskClass].entries }
            session.startReconciling()
            while try session.continueReconciling() {}
            tally.note(session.totals)
        } catch {
            throw .failed(path: folder.path, reason: "\(error)")
        }
    }
}
