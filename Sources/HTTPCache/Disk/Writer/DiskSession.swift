import LinuxSystem

/// The writer's state of one opened folder: the index, the totals and the open transaction.
///
/// Confined to the writer's thread.
final class DiskSession {
    let shared: DiskShared
    let files: any FileSystem
    let folder: DiskFolder
    let places: DiskPlaces
    var index: DiskIndex
    var totals: DiskTotals
    /// The lengths of all entries deleted so far, whether or not others share their bytes.
    private(set) var deletedBytes = 0
    /// Pools being evicted down to the low-water mark.
    var evicting: Set<DiskPool> = []
    var reconciliation: DiskReconciliation?
    /// How a reconciliation handles findings.
    let care: DiskCare
    /// Whether files without rows are adopted.
    var isRebuilding = false
    /// Whether a file or folder could not be read, so that a file may still lack its row.
    var hasSkipped = false
    /// The error that stopped an adoption.
    var adoptionFault: DiskFault?
    /// Purges in progress, in order.
    var sweeps: [DiskSweep] = []
    /// Whether files are deleted before the commit that deletes their rows, to make room for it; for rows that are hidden from readers.
    var deletesFirst = false
    /// Whether the wall clock can be trusted for ages.
    var clock = ClockTrust()
    private var isInTransaction = false
    /// Files whose rows the open transaction deletes, by path.
    ///
    /// They are deleted after the commit, so that no reader sees a row without its file, unless `deletesFirst`.
    private var leaving: [String: DiskIndex.Entry] = [:]
    /// Files written for the open transaction.
    private var coming: Set<String> = []
    private var stores: [DiskClass: Int] = [:]
    private var removals: [DiskSweep] = []
    /// Changes to stored failures in the open transaction.
    private var failures: [CacheKey: DiskFailures.Change] = [:]
    private var temporaryNumber = 0

    /// Creates a session with an opened index.
    init(
        _ shared: DiskShared,
        index: consuming DiskIndex,
        care: DiskCare = DiskCare(),
        places: DiskPlaces = DiskPlaces()
    ) throws(DiskFault) {
        self.shared = shared
        self.places = places
        self.care = care
        files = shared.configuration.files
        folder = shared.folder
        self.index = index
        totals = DiskTotals()
        do throws(SQLiteError) {
            totals = try self.index.totals()
            shared.continueUses(after: try self.index.lastUse())
            isRebuilding = try self.index.isRebuilding()
            places.open(try self.index.position())
        } catch {
            throw .index(error)
        }
        shared.totals.withLock { $0 = totals }
        shared.position.withLock { $0 = places.current }
        evictOverQuota()
    }

    /// Opens a transaction, unless one is open or the session is read-only.
    func begin() throws(DiskFault) {
        guard !isInTransaction, care.repairs else { return }
        do throws(SQLiteError) { try index.begin() } catch { throw .index(error) }
        isInTransaction = true
    }

    /// Commits the open transaction with the pending access times, then deletes the files that it left without rows.
    func commit() throws(DiskFault) {
        try applyTouches()
        try applyFailures()
        let position = places.unsaved
        if position != nil { try begin() }
        guard isInTransaction else { return }
        if deletesFirst { deleteLeaving() }
        do throws(SQLiteError) {
            if let position { try index.save(position) }
            try index.save(totals)
            try index.commit()
        } catch {
            throw .index(error)
        }
        totals.markSaved()
        places.commit()
        isInTransaction = false
        publish()
        deleteLeaving()
    }

    private func deleteLeaving() {
        for path in leaving.keys { delete(path) }
        // After that, so that a file which is opened meanwhile is known to be deleted.
        let variants = leaving.values.filter { $0.diskClass == .variants }.map(\.key)
        if !variants.isEmpty { shared.noteDeleted(.variants(variants)) }
        leaving = [:]
    }

    /// What was lost with a transaction.
    struct Lost {
        /// The number of objects.
        var stores: [DiskClass: Int] = [:]
        /// Removals to repeat.
        var removals: [DiskSweep] = []
    }

    /// Rolls the open transaction back.
    func abandon() -> Lost {
        // The removals are repeated, and need the room for that.
        if deletesFirst { deleteLeaving() }
        index.rollback()
        places.abandon()
        for path in coming { delete(path) }
        shared.failures.putBack(failures)
        isInTransaction = false
        return Lost(stores: stores, removals: removals)
    }

    private func publish() {
        shared.totals.withLock { $0 = totals }
        if !stores.isEmpty {
            shared.count { for (diskClass, count) in stores { $0[diskClass].stores += count } }
        }
        shared.position.withLock { $0 = places.current }
        for sweep in removals { shared.removals.finish(sweep.purge) }
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

    /// The path of a new temporary file.
    func nextTemporary() -> String {
        temporaryNumber += 1
        return "\(folder.temporary)/\(temporaryNumber)"
    }

    /// Records a file written for the open transaction.
    func noteWritten(_ path: String) {
        coming.insert(path)
    }

    /// Records an entry stored by the open transaction; its file is in place.
    func noteStored(_ diskClass: DiskClass, in namespace: String, path: String, length: Int) {
        totals.add(diskClass, length, in: namespace)
        stores[diskClass, default: 0] += 1
        coming.insert(path)
        // The transaction may have deleted a row with the same bytes before.
        leaving[path] = nil
    }

    /// Records that the open transaction is about to delete an entry's row; its bytes count as long as another row shares them.
    func noteGone(_ entry: DiskIndex.Entry) throws(SQLiteError) {
        deletedBytes += entry.length
        // The entry may have been read before another row passed its bytes on to it.
        var isFree = try index.isLinked(entry)
        if !isFree { isFree = try index.passOn(entry) }
        totals.subtract(entry.diskClass, isFree ? 0 : entry.length, in: entry.namespace)
        leaving[folder.file(entry.diskClass, entry.key, entry.digest)] = entry
    }

    /// Records a purge completed by the open transaction.
    func noteRemoved(_ sweep: DiskSweep) {
        removals.append(sweep)
        if let ticket = sweep.ticket { places.finish(ticket) }
    }
}
