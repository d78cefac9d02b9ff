import LinuxSystem

/// The writer: takes batches off the queue, commits each, does background work in between, and recovers from disk errors.
///
/// Confined to its thread.
final class DiskWriter {
    private static let batchCount = 256
    private static let batchBytes = 16 << 20
    /// Nanoseconds after which access times are written without other writes.
    private static let idle: Int64 = 5_000_000_000
    /// Nanoseconds between two steps of background work, which leave the disk to readers.
    private static let pause: Int64 = 1_000_000
    /// Nanoseconds between two attempts to lock a folder that another process is about to release.
    private static let lockPause: Int64 = 50_000_000

    /// Nanoseconds between two checks of free space and ages.
    private static let housekeepingPause: Int64 = 1_000_000_000
    /// Bytes that must be free, beyond what did not fit, before a full file system is retried.
    private static let slack = 1 << 20

    private let shared: DiskShared
    private let opening: DiskOpening
    private let places = DiskPlaces()
    let postponed: DiskPostponedPurges
    private(set) var session: DiskSession?
    private var lock: FolderLock?
    /// Bytes of the current batch, which the queue still counts.
    private var heldBytes = 0
    private var isIndexDamaged = false
    private var hasReconciled = false
    /// Monotonic nanoseconds.
    private var retryAt: Int64 = .min
    /// Whether the folder is not open because another process has it.
    private var isLockedOut = false
    /// Bytes that must be free before the folder is retried; 0 if it was not full.
    private var wantedBytes = 0
    /// Whether stores fail for lack of free space.
    private var isShort = false
    private var isHousekeeping = false
    /// Monotonic nanoseconds.
    private var housekeepingAt: Int64 = .min

    /// The writer's thread, once it runs.
    private var owner = ThreadOwner()

    /// Creates the writer of a store.
    init(_ shared: DiskShared) {
        self.shared = shared
        opening = DiskOpening(folder: shared.folder, files: shared.configuration.files)
        postponed = DiskPostponedPurges(shared, places)
    }

    /// Opens the folder, reports whether retrying can help, then works until the queue is closed.
    func run(opened: (Result<Void, DiskStoreError>) -> Void) {
        owner = ThreadOwner()
        do throws(DiskFault) {
            try open()
        } catch {
            if case .refused(let refusal) = error, !isForLock(error) {
                end()
                return opened(.failure(refusal))
            }
            degrade(error)
        }
        opened(.success(()))
        while work() {}
        end()
    }

    /// Runs one round.
    ///
    /// - Returns: false after the last one.
    private func work() -> Bool {
        let timeout = session != nil && hasBackgroundWork ? Self.pause : isLockedOut ? Self.lockPause : Self.idle
        let next = shared.queue.next(
            maximumCount: Self.batchCount,
            maximumBytes: Self.batchBytes,
            nanoseconds: timeout
        )
        switch next {
        case .work(let batch):
            reopenIfDue()
            for write in batch {
                heldBytes += write.bytes
                perform(write)
            }
            commit()
            release()
        case .idle:
            reopenIfDue()
            commit()
        case .closed:
            return false
        }
        stepBackground()
        return true
    }

    private func perform(_ write: DiskWrite) {
        owner.assertCurrent()
        switch write {
        case .variant(let variant, let origin, let auxiliaries, let bytes, let use):
            store(.variants) { session throws(DiskFault) in
                try session.store(variant, origin: origin, auxiliaries: auxiliaries, bytes: bytes, use: use)
            }
        case .original(let origin, let body, let use):
            store(.originals) { session throws(DiskFault) in
                try session.begin()
                try session.store(origin, body: body, use: use)
            }
        case .raw(let content, let use):
            store(.originals) { session throws(DiskFault) in
                try session.begin()
                try session.store(content, use: use)
            }
        case .remove(let purge, let place, let completion):
            remove(DiskSweep(purge, place.map(places.begin), completion: completion))
        case .position(let position):
            places.set(position)
        case .verify(let diskClass, let key):
            guarded { session throws(DiskFault) in
                try session.begin()
                try session.verify(diskClass, key)
            }
        case .discard(let diskClass, let key, let digest):
            guarded { session throws(DiskFault) in
                try session.begin()
                try session.discard(diskClass, key, digest)
            }
        case .rebuild(let generation):
            rebuild(generation)
        case .shrink:
            session?.evictOverQuota()
        case .reconcile:
            guarded { session throws(DiskFault) in
                session.startReconciling()
                while try session.continueReconciling() {}
            }
        case .barrier(let completion):
            finishSweeps()
            commit()
            guarded { session throws(DiskFault) in
                while try session.continueEvicting() {}
            }
            release()
            completion()
        }
    }

    /// Releases the bytes of the current batch.
    private func release() {
        shared.queue.finished(bytes: heldBytes)
        heldBytes = 0
    }

    private func store(_ diskClass: DiskClass, _ body: (DiskSession) throws(DiskFault) -> Void) {
        guard let session else {
            shared.count { $0[diskClass].drops += 1 }
            return
        }
        do throws(DiskFault) {
            try body(session)
        } catch {
            shared.count { $0[diskClass].drops += 1 }
            switch error {
            case .body: return
            case .space: noteShortage(error)
            default: degrade(error)
            }
        }
    }

    /// Degrades the store for lack of free space: stores fail until there is more; everything else continues.
    private func noteShortage(_ fault: DiskFault) {
        isShort = true
        shared.health = .degraded(fault.reason(folder: shared.folder.path))
    }

    /// Enforces the minimum of free space and the maximum age: once a second, or at once while there is more to do.
    ///
    /// - Returns: whether a step was done.
    private func stepHousekeeping(_ session: DiskSession) throws(DiskFault) -> Bool {
        let now = shared.configuration.time.monotonic
        guard isHousekeeping || now >= housekeepingAt else { return false }
        housekeepingAt = now + Self.housekeepingPause
        guard lock?.isInPlace != false else { throw .displaced }
        isHousekeeping = try session.yieldSpace()
        isHousekeeping = try session.expire() || isHousekeeping
        if isShort, session.hasSpace() {
            isShort = false
            shared.health = .healthy
        }
        return isHousekeeping
    }

    /// Commits the open transaction, and clears the list of postponed purges once all are committed.
    private func commit() {
        guarded { session throws(DiskFault) in try session.commit() }
        if let session, session.sweeps.isEmpty { postponed.settle() }
    }

    /// Runs a part of the work if the folder is open; an error degrades the store.
    func guarded(_ body: (DiskSession) throws(DiskFault) -> Void) {
        guard let session else { return }
        do throws(DiskFault) { try body(session) } catch { degrade(error) }
    }

    private var hasBackgroundWork: Bool {
        guard let session else { return false }
        return session.reconciliation != nil || !session.evicting.isEmpty || !session.sweeps.isEmpty || isHousekeeping
    }

    private func stepBackground() {
        stepSweeps()
        guarded { session throws(DiskFault) in
            if try session.continueEvicting() { return }
            if try stepHousekeeping(session) { return }
            guard session.reconciliation != nil else { return }
            if try !session.continueReconciling() { hasReconciled = true }
        }
    }

    /// Locks the folder, and adds the purges that an earlier process has left there.
    func admit() throws(DiskFault) -> DiskOpening.Admission {
        let admission = try opening.admit(held: lock)
        if admission.lock !== lock { try DiskFault.file { () throws(Errno) in try postponed.recall() } }
        lock = admission.lock
        return admission
    }

    /// Opens the folder.
    ///
    /// - Parameter isFull: whether the file system is still full: then it stays open only if postponed purges make room.
    private func open(isFull: Bool = false) throws(DiskFault) {
        let opened = try opening.open(try admit(), rebuilds: isIndexDamaged, probes: !isFull)
        isLockedOut = false
        isIndexDamaged = false
        if opened.isRebuilt {
            shared.count { $0.rebuilds += 1 }
            hasReconciled = false
        }
        let session = try DiskSession(shared, index: opened.index, places: places)
        self.session = session
        if isFull, !makeRoom() { return }
        if postponed.hasRecalled { try session.forgetFailures() }
        postponed.reserve()
        shared.readers.open()
        isShort = false
        shared.isOpen.withLock { $0 = true }
        shared.health = .healthy
        if session.isRebuilding { shared.configuration.indexLost?() }
        if shared.configuration.reconciles, !hasReconciled { session.startReconciling() }
        for sweep in postponed.take() { remove(sweep) }
    }

    /// Carries out postponed purges until there is room, and closes the folder again if they do not make enough.
    ///
    /// - Returns: whether there is room.
    private func makeRoom() -> Bool {
        session?.deletesFirst = true
        for sweep in postponed.take() { remove(sweep) }
        repeat {
            stepSweeps()
            guarded { session throws(DiskFault) in try session.commit() }
        } while !hasRoom && session?.sweeps.isEmpty == false
        if postponed.hasRecalled { guarded { session throws(DiskFault) in try session.forgetFailures() } }
        commit()
        guard let session else { return false }
        session.deletesFirst = false
        if hasRoom { return true }
        self.session = nil
        waitForRetry()
        return false
    }

    /// Closes the folder until the next retry; what was not committed is lost.
    private func degrade(_ fault: DiskFault) {
        shared.isOpen.withLock { $0 = false }
        if let session {
            // SQLite's log ends with its last connection, and there may be no room for another one.
            if fault.isFull { _ = try? shared.readers.read { index throws(SQLiteError) in try index.isRebuilding() } }
            let lost = settle(session, after: fault)
            shared.count { for (diskClass, count) in lost.stores { $0[diskClass].drops += count } }
            for sweep in lost.removals { postponed.add(sweep) }
            for sweep in session.sweeps { give(up: sweep, isPostponed: false) }
            session.sweeps = []
        }
        session = nil
        // The folder may have been emptied with its lock; files that are still open would keep their space.
        if fault.isDisplaced { shared.noteDeleted(.any) }
        isIndexDamaged = isIndexDamaged || fault.isCorruption
        if fault.isCorruption { shared.readers.close() }
        isLockedOut = isForLock(fault)
        if !isLockedOut { shared.count { $0.errors += 1 } }
        shared.health = isLockedOut ? .waiting : .degraded(fault.reason(folder: shared.folder.path))
        wantedBytes = fault.isFull ? heldBytes * 2 + Self.slack : 0
        waitForRetry()
        if isLockedOut { retryAt = shared.configuration.time.monotonic + Self.lockPause }
        // A damaged index is replaced, and a deleted lock taken again, at once: waiting does not help.
        if fault.isCorruption || fault.isDisplaced { retryAt = shared.configuration.time.monotonic }
    }

    /// Whether another process has the folder, and will release it.
    func isForLock(_ fault: DiskFault) -> Bool {
        guard shared.configuration.waitsForLock, case .refused(.locked) = fault else { return false }
        return true
    }

    /// Commits what the index can still commit after a fault of content files.
    private func settle(_ session: DiskSession, after fault: DiskFault) -> DiskSession.Lost {
        if case .file = fault {
            do throws(DiskFault) {
                try session.commit()
                return DiskSession.Lost()
            } catch {}
        }
        return session.abandon()
    }

    private func reopenIfDue() {
        guard session == nil, shared.configuration.time.monotonic >= retryAt else { return }
        let isFull = !hasRoom
        // Else the store would recover and fail again every few seconds, with a report each time.
        if isFull, postponed.isEmpty { return waitForRetry() }
        do throws(DiskFault) { try open(isFull: isFull) } catch { degrade(error) }
    }

    private func waitForRetry() {
        retryAt = shared.configuration.time.monotonic + shared.configuration.retrySeconds * 1_000_000_000
    }

    private var hasRoom: Bool {
        guard wantedBytes > 0 else { return true }
        do throws(Errno) {
            return try shared.configuration.files.freeBytes(shared.folder.path) >= wantedBytes
        } catch {
            return true
        }
    }

    private func rebuild(_ generation: Int) {
        // Several readers may report the same damage: ignore it once the index is replaced.
        guard session != nil, shared.readers.isCurrent(generation) else { return }
        degrade(.index(.damaged))
        reopenIfDue()
    }

    private func end() {
        shared.isOpen.withLock { $0 = false }
        shared.queue.close()
        finishSweeps()
        commit()
        shared.readers.close()
        session = nil
        lock = nil
        shared.queue.end()
    }
}
