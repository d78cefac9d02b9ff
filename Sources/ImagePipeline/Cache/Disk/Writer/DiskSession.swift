import LinuxSystem

/// One opened folder as the writer has it: the index, the totals, and the transaction under way.
///
/// Writer's thread only.
final class DiskSession {
    let shared: DiskShared
    let files: any FileSystem
    let folder: DiskFolder
    var index: DiskIndex
    var totals: DiskTotals
    /// Classes that are being evicted down to the low-water mark.
    var evicting: Set<DiskClass> = []
    var reconciliation: DiskReconciliation?
    /// What a reconciliation does about what it finds.
    let care: DiskCare
    /// Whether files without rows are taken in.
    var isRebuilding = false
    /// Whether something could not be looked at, so that nobody knows whether it has a row.
    var hasSkipped = false
    /// What stopped an adoption.
    var adoptionFault: DiskFault?
    /// Purges that are under way, the first of them first.
    var sweeps: [DiskSweep] = []
    /// Whether ages can be told.
    var clock = ClockTrust()
    private var isInTransaction = false
    /// Files whose rows the open transaction deletes: they go after it, so that no reader sees a row without its file.
    private var leaving: Set<String> = []
    /// Files that came with the open transaction.
    private var coming: Set<String> = []
    private var stores: [DiskClass: Int] = [:]
    private var removals: [Purge] = []
    /// Changes to kept failures that are part of the open transaction.
    private var failures: [CacheKey: DiskFailures.Change] = [:]
    private var temporaryNumber = 0

    /// Takes over an opened index.
    init(_ shared: DiskShared, index: consuming DiskIndex, care: DiskCare = DiskCare()) throws(DiskFault) {
        self.shared = shared
        self.care = care
        files = shared.configuration.files
        folder = shared.folder
        self.index = index
        totals = DiskTotals()
        do throws(SQLiteError) {
            totals = try self.index.totals()
            shared.continueUses(after: try self.index.lastUse())
            isRebuilding = try self.index.isRebuilding()
        } catch {
            throw .index(error)
        }
        shared.totals.withLock { $0 = totals }
        evictOverQuota()
    }

    /// Opens a transaction unless one is open, or nothing may be changed.
    func begin() throws(DiskFault) {
        guard !isInTransaction, care.repairs else { return }
        do throws(SQLiteError) { try index.begin() } catch { throw .index(error) }
        isInTransaction = true
    }

    /// Commits what is open, with the access times that wait, and deletes the files that it left without rows.
    func commit() throws(DiskFault) {
        try applyTouches()
        try applyFailures()
        guard isInTransaction else { return }
        do throws(SQLiteError) {
            try index.save(totals)
            try index.commit()
        } catch {
            throw .index(error)
        }
        isInTransaction = false
        publish()
        for path in leaving {
            // One that stays is an orphan, which reconciliation finds.
            try? files.remove(path)
        }
        leaving = []
    }

    /// What was given up with a transaction.
    struct Lost {
        /// How many objects.
        var stores: [DiskClass: Int] = [:]
        /// Removals that are still to be done.
        var removals: [Purge] = []
    }

    /// Gives the open transaction up.
    func abandon() -> Lost {
        index.rollback()
        for path in coming { try? files.remove(path) }
        shared.failures.putBack(failures)
        isInTransaction = false
        return Lost(stores: stores, removals: removals)
    }

    private func publish() {
        shared.totals.withLock { $0 = totals }
        if !stores.isEmpty {
            shared.count { for (diskClass, count) in stores { $0[diskClass].stores += count } }
        }
        for purge in removals { shared.removals.finish(purge) }
        stores = [:]
        removals = []
        failures = [:]
        coming = []
    }

    private func applyTouches() throws(DiskFault) {
        let touches = shared.touches.drain()
        guard !touches.isEmpty else { return }
        try begin()
        do throws(SQLiteError) {
            for (target, use) in touches { try index.touch(target.diskClass, target.key, use: use) }
        } catch {
            throw .index(error)
        }
    }

    private func applyFailures() throws(DiskFault) {
        let changes = shared.failures.drain()
        guard !changes.isEmpty else { return }
        failures = changes
        try begin()
        do throws(SQLiteError) {
            for (key, change) in changes {
                switch change {
                case .keep(let failure): try index.keep(failure, limit: shared.configuration.failureCount)
                case .discard: try index.discardFailure(key)
                }
            }
        } catch {
            throw .index(error)
        }
    }

    /// The number of a temporary file that nobody has.
    func nextTemporary() -> String {
        temporaryNumber += 1
        return "\(folder.temporary)/\(temporaryNumber)"
    }

    /// A file came for the open transaction, its row not yet.
    func noteWritten(_ path: String) {
        coming.insert(path)
    }

    /// An entry came with the open transaction, its file already in place.
    func noteStored(_ diskClass: DiskClass, path: String, length: Int) {
        totals.add(diskClass, length)
        stores[diskClass, default: 0] += 1
        coming.insert(path)
        // The same bytes may have been on their way out.
        leaving.remove(path)
    }

    /// An entry's row is gone with the open transaction.
    func noteGone(_ entry: DiskIndex.Entry) {
        totals.subtract(entry.diskClass, entry.length)
        leaving.insert(folder.file(entry.diskClass, entry.key, entry.digest))
    }

    /// A removal that readers respect already is part of the open transaction.
    func noteRemoved(_ purge: Purge) {
        removals.append(purge)
    }
}
