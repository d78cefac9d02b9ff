import Glibc
import LinuxSystem

/// Verifies, and optionally repairs, a cache folder that no daemon uses: the daemon's reconciliation, with every body read.
///
/// Memory is bounded: rows are read in batches, bodies in chunks, and findings are reported one by one.
package struct DiskCheck {
    /// The callbacks of a check.
    package struct Listener {
        /// Called for each finding.
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
    private let isReadable: @Sendable (DiskClass, _ metadata: [UInt8]) -> Bool
    private let listener: Listener

    /// Creates a check.
    ///
    /// - Parameter isReadable: as for a store (`DiskStore.Configuration.isReadable`).
    package init(
        path: String,
        files: any FileSystem = SystemFiles(),
        isReadable: @escaping @Sendable (DiskClass, _ metadata: [UInt8]) -> Bool = { _, _ in true },
        listener: Listener
    ) {
        folder = DiskFolder(path: path)
        self.files = files
        self.isReadable = isReadable
        self.listener = listener
    }

    /// Runs the check; blocks while it reads the whole folder.
    ///
    /// - Parameter repairs: whether to repair findings; else the folder is not changed.
    /// - Throws: `DiskCheckError`; a refused folder has not been changed.
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
            // Without an index, every body is an orphan.
            let rows = try needsNewIndex ? index.empty() : index.opened()
            try walk(rows, DiskCare(tally, repairs: false), tally)
        }
        tally.result.remaining = tally.result.damages
        if repairs, tally.result.damages > 0 { try verify(index, tally) }
        return tally.result
    }

    /// Verifies a repair by a second pass, which does not read bodies again.
    private func verify(_ index: DiskIndexCheck, _ tally: DiskCheckTally) throws(DiskCheckError) {
        let again = DiskCheckTally(Listener(found: { _, _ in }))
        if try index.problem() == nil {
            var care = DiskCare(again, repairs: false)
            care.readsBodies = false
            try walk(index.opened(), care, again)
        } else {
            again.count(DiskDamage(.index, ""), isRepaired: false)
        }
        // What could not be read in the first pass may not be reached in the second.
        let unread = max(0, (tally.result.found[.unreadable] ?? 0) - (again.result.found[.unreadable] ?? 0))
        tally.result.remaining = again.result.damages + unread
    }

    /// Refuses a folder that is not a cache, or that was written by a newer release.
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

    /// Takes the folder's lock for the check; `nil` if there is no lock file to share.
    private func lock(exclusively: Bool) throws(DiskCheckError) -> FolderLock? {
        let lock: FolderLock?
        do throws(Errno) {
            lock = try exclusively ? FolderLock(of: folder) : FolderLock(sharing: folder)
        } catch {
            if error.code == EISDIR {
                let reason = "a folder is in the place of the lock, so that no daemon can use the cache: remove it"
                throw .failed(path: folder.lock, reason: reason)
            }
            guard !exclusively else { throw .failed(path: folder.path, reason: "cannot be repaired: \(error)") }
            guard error.code == ENOENT else { throw .unreadable(path: folder.lock, error) }
            return nil
        }
        guard let lock else { throw .locked(path: folder.path) }
        return lock
    }

    /// Reports files that are not the cache's.
    private func noteStrangers(_ tally: DiskCheckTally) {
        for name in ((try? files.list(folder.path)) ?? []).sorted() where !DiskFolder.isKnown(name) {
            tally.count(DiskDamage(.unknown, name), isRepaired: false)
        }
    }

    /// Opens the folder as a daemon does.
    private func opened(_ lock: FolderLock?, rebuilds: Bool) throws(DiskCheckError) -> DiskOpening.Opened {
        do throws(DiskFault) {
            let opening = DiskOpening(folder: folder, files: files)
            return try opening.open(try opening.admit(held: lock), rebuilds: rebuilds)
        } catch {
            throw .failed(path: folder.path, reason: "cannot be repaired: \(error)")
        }
    }

    /// Runs the reconciliation to its end, which a daemon does in steps after its start.
    private func walk(
        _ index: consuming DiskIndex,
        _ care: DiskCare,
        _ tally: DiskCheckTally
    ) throws(DiskCheckError) {
        do throws(DiskFault) {
            var configuration = DiskStore.Configuration(path: folder.path, files: files)
            configuration.isReadable = isReadable
            let session = try DiskSession(DiskShared(configuration), index: index, care: care)
            for diskClass in DiskClass.allCases { tally.progress.total += session.totals[diskClass].entries }
            session.startReconciling()
            while try session.continueReconciling() {}
            tally.note(session.totals)
        } catch {
            throw .failed(path: folder.path, reason: "\(error)")
        }
    }
}
