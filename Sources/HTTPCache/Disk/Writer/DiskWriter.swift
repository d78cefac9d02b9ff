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
    /// The maximum number of purges in progress; a further one runs to its end at once.
    private static let sweepCount = 64

    private let shared: DiskShared
    private let places = DiskPlaces()
    private var session: DiskSession?
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
    /// Purges to run once the folder is usable again; `DiskRemovals` bounds them.
    private var deferred: [Purge: DiskSweep] = [:]

    /// The writer's thread, once it runs.
    private var owner = ThreadOwner()

    /// Creates the writer of a store.
    init(_ shared: DiskShared) {
        self.shared = shared
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
            guarded { session throws(DiskFault) in try session.commit() }
            release()
        case .idle:
            reopenIfDue()
            guarded { session throws(DiskFault) in try session.commit() }
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
            guarded { session throws(DiskFault) in
                try session.commit()
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

    /// Runs a purge's first step at its place among the writes.
    private func remove(_ sweep: DiskSweep) {
        if advance(sweep) { return }
        guard let session, session.sweeps.count < Self.sweepCount else {
            while !advance(sweep) {}
            return
        }
        session.sweeps.append(sweep)
    }

    /// Runs the next step of a purge.
    ///
    /// One transaction for a million rows would grow the log and memory, and block all other writes.
    /// - Returns: whether it has ended: done, or postponed until the folder is usable.
    private func advance(_ sweep: DiskSweep) -> Bool {
        var isDone = false
        guarded { session throws(DiskFault) in
            isDone = try session.step(sweep)
            // The completion must not be called before the commit.
            if sweep.completion != nil || !isDone { try session.commit() }
        }
        guard session != nil else {
            // If its end was part of a lost transaction, it was postponed with that.
            give(up: sweep, isPostponed: isDone)
            return true
        }
        if isDone { sweep.completion?(sweep.counts) }
        return isDone
    }

    /// Postpones a purge until the folder is usable.
    private func give(up sweep: DiskSweep, isPostponed: Bool) {
        if !isPostponed { postpone(sweep) }
        var counts = PurgeCounts()
        counts.isDiskPending = true
        sweep.completion?(counts)
    }

    /// Runs one step of the first purge in progress; all of it if too much was stored meanwhile.
    private func stepSweeps() {
        guard let session, !session.sweeps.isEmpty else { return }
        let sweep = session.sweeps.removeFirst()
        repeat {
            if advance(sweep) { return }
        } while sweep.isCrowded
        session.sweeps.insert(sweep, at: 0)
    }

    private func finishSweeps() {
        while session?.sweeps.isEmpty == false { stepSweeps() }
    }

    /// Postpones a purge until the folder is usable; readers continue to hide what it selects.
    private func postpone(_ sweep: DiskSweep) {
        let purge = sweep.purge
        let other = deferred[purge]
        var (ticket, keepsNewer) = (sweep.ticket, sweep.keepsNewer)
        if let other {
            // Equal purges are run once, at the place of the later one.
            shared.removals.finish(purge)
            keepsNewer = keepsNewer && other.keepsNewer
            ticket = places.later(ticket, other.ticket)
        }
        deferred[purge] = DiskSweep(purge, ticket, keepsNewer: keepsNewer, completion: nil)
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
        isHousekeeping = try session.yieldSpace()
        isHousekeeping = try session.expire() || isHousekeeping
        if isShort, session.hasSpace() {
            isShort = false
            shared.health = .healthy
        }
        return isHousekeeping
    }

    private func guarded(_ body: (DiskSession) throws(DiskFault) -> Void) {
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

    private func open() throws(DiskFault) {
        let opening = DiskOpening(folder: shared.folder, files: shared.configuration.files)
        let opened = try opening.open(held: lock, rebuilds: isIndexDamaged)
        lock = opened.lock
        isLockedOut = false
        isIndexDamaged = false
        let isRebuilt = opened.isRebuilt
        if isRebuilt { shared.count { $0.rebuilds += 1 } }
        let session = try DiskSession(shared, index: opened.index, places: places)
        self.session = session
        shared.readers.open()
        isShort = false
        shared.isOpen.withLock { $0 = true }
        shared.health = .healthy
        if session.isRebuilding { shared.configuration.indexLost?() }
        if shared.configuration.reconciles, !hasReconciled || isRebuilt { session.startReconciling() }
        let waiting = deferred
        deferred = [:]
        for sweep in waiting.values { remove(sweep) }
    }

    /// Closes the folder until the next retry; what was not committed is lost.
    private func degrade(_ fault: DiskFault) {
        shared.isOpen.withLock { $0 = false }
        if let session {
            let lost = settle(session, after: fault)
            shared.count { for (diskClass, count) in lost.stores { $0[diskClass].drops += count } }
            for sweep in lost.removals { postpone(sweep) }
            for sweep in session.sweeps { give(up: sweep, isPostponed: false) }
            session.sweeps = []
        }
        session = nil
        isIndexDamaged = isIndexDamaged || fault.isCorruption
        if fault.isCorruption { shared.readers.close() }
        isLockedOut = isForLock(fault)
        if !isLockedOut { shared.count { $0.errors += 1 } }
        shared.health = isLockedOut ? .waiting : .degraded(fault.reason(folder: shared.folder.path))
        wantedBytes = fault.isFull ? heldBytes * 2 + Self.slack : 0
        let now = shared.configuration.time.monotonic
        // A damaged index is replaced at once: waiting does not help.
        let pause = isLockedOut ? Self.lockPause : shared.configuration.retrySeconds * 1_000_000_000
        retryAt = fault.isCorruption ? now : now + pause
    }

    /// Whether another process has the folder, and will release it.
    private func isForLock(_ fault: DiskFault) -> Bool {
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
        guard hasRoom else {
            // Else the store would recover and fail again every few seconds, with a report each time.
            retryAt = shared.configuration.time.monotonic + shared.configuration.retrySeconds * 1_000_000_000
            return
        }
        do throws(DiskFault) { try open() } catch { degrade(error) }
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
        guarded { session throws(DiskFault) in try session.commit() }
        shared.readers.close()
        session = nil
        lock = nil
        shared.queue.end()
    }
}
