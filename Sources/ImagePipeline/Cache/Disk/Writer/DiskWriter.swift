import LinuxSystem

/// The one thread that writes: takes batches off the queue, commits each at once, clears up in between, and survives the disk.
///
/// Lives and ends on its thread.
final class DiskWriter {
    private static let batchCount = 256
    private static let batchBytes = 16 << 20
    /// Nanoseconds until access times are written although nothing else is.
    private static let idle: Int64 = 5_000_000_000
    /// Nanoseconds between two steps of clearing up: a disk that is always busy is slow for readers.
    private static let pause: Int64 = 1_000_000

    /// Nanoseconds between two looks at the file system and at ages.
    private static let housekeepingPause: Int64 = 1_000_000_000
    /// Bytes that are to be free, beside what there was no room for, before a full file system is tried again.
    private static let slack = 1 << 20
    /// Purges under way; one more is done to its end at once.
    private static let sweepCount = 64

    private let shared: DiskShared
    private var session: DiskSession?
    private var lock: FolderLock?
    /// Bytes of the batch under way that the queue still counts.
    private var heldBytes = 0
    private var isIndexDamaged = false
    private var hasReconciled = false
    /// Monotonic nanoseconds.
    private var retryAt: Int64 = .min
    /// Bytes that must be free before the folder is tried again; 0 where it was not full.
    private var wantedBytes = 0
    /// Whether nothing is stored because too little is free.
    private var isShort = false
    private var isHousekeeping = false
    /// Monotonic nanoseconds.
    private var housekeepingAt: Int64 = .min
    /// Removals to do when the folder is back; `DiskRemovals` bounds them.
    private var deferred: Set<Purge> = []

    /// Creates the writer of a store.
    init(_ shared: DiskShared) {
        self.shared = shared
    }

    /// Opens the folder, tells whether that can ever succeed, then works until the queue is closed.
    func run(opened: (Result<Void, DiskStoreError>) -> Void) {
        do throws(DiskFault) {
            try open()
        } catch {
            if case .refused(let refusal) = error {
                end()
                return opened(.failure(refusal))
            }
            degrade(error)
        }
        opened(.success(()))
        while work() {}
        end()
    }

    /// One round.
    ///
    /// - Returns: false after the last one.
    private func work() -> Bool {
        let timeout = session != nil && hasBackgroundWork ? Self.pause : Self.idle
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
        switch write {
        case .variant(let variant, let origin, let ingredients, let bytes, let use):
            store(.variants) { session throws(DiskFault) in
                try session.store(variant, origin: origin, ingredients: ingredients, bytes: bytes, use: use)
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
        case .remove(let purge, let completion):
            remove(purge, completion)
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

    /// Everything taken off the queue so far is written or dropped.
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

    /// Does a purge's first step at its place among the writes, and all of it where that is enough.
    private func remove(_ purge: Purge, _ completion: (@Sendable (PurgeCounts) -> Void)?) {
        let sweep = DiskSweep(purge, completion: completion)
        if advance(sweep) { return }
        guard let session, session.sweeps.count < Self.sweepCount else {
            while !advance(sweep) {}
            return
        }
        session.sweeps.append(sweep)
    }

    /// Does the next step of a purge.
    ///
    /// A transaction of a million rows would hold the log, memory, and every other write for as long.
    /// - Returns: whether it has come to its end: it is done, or waits until the folder is back.
    private func advance(_ sweep: DiskSweep) -> Bool {
        var isDone = false
        guarded { session throws(DiskFault) in
            isDone = try session.step(sweep)
            // Somebody waits to hear that it is gone for good.
            if sweep.completion != nil || !isDone { try session.commit() }
        }
        guard session != nil else {
            // One whose end was part of a lost transaction has been postponed with it.
            give(up: sweep, isPostponed: isDone)
            return true
        }
        if isDone { sweep.completion?(sweep.counts) }
        return isDone
    }

    /// Leaves a purge for when the folder is back.
    private func give(up sweep: DiskSweep, isPostponed: Bool) {
        if !isPostponed { postpone(sweep.purge) }
        var counts = PurgeCounts()
        counts.isDiskPending = true
        sweep.completion?(counts)
    }

    /// One step of the first purge under way; to its end where too much was stored meanwhile.
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

    /// Keeps a removal until the folder is back; readers go on to hide what it is about.
    private func postpone(_ purge: Purge) {
        // One that is postponed already is done once for all who asked.
        if !deferred.insert(purge).inserted { shared.removals.finish(purge) }
    }

    /// Too little of the file system is free: nothing is stored until there is more, and all else goes on.
    private func noteShortage(_ fault: DiskFault) {
        isShort = true
        shared.health = .degraded(fault.reason(folder: shared.folder.path))
    }

    /// Looks after what others do to the file system, and after ages, once a second and as long as there is something to do.
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
        isIndexDamaged = false
        let isRebuilt = opened.isRebuilt
        if isRebuilt { shared.count { $0.rebuilds += 1 } }
        let session = try DiskSession(shared, index: opened.index)
        self.session = session
        shared.readers.open()
        isShort = false
        shared.health = .healthy
        if shared.configuration.reconciles, !hasReconciled || isRebuilt { session.startReconciling() }
        let waiting = deferred
        deferred = []
        for purge in waiting { remove(purge, nil) }
    }

    /// Gives the folder up for some seconds, and what was not committed for good.
    private func degrade(_ fault: DiskFault) {
        if let session {
            let lost = settle(session, after: fault)
            shared.count { for (diskClass, count) in lost.stores { $0[diskClass].drops += count } }
            for purge in lost.removals { postpone(purge) }
            for sweep in session.sweeps { give(up: sweep, isPostponed: false) }
            session.sweeps = []
        }
        session = nil
        isIndexDamaged = isIndexDamaged || fault.isCorruption
        if fault.isCorruption { shared.readers.close() }
        shared.count { $0.errors += 1 }
        shared.health = .degraded(fault.reason(folder: shared.folder.path))
        wantedBytes = fault.isFull ? heldBytes * 2 + Self.slack : 0
        let now = shared.configuration.time.monotonic
        // A damaged index is replaced at once: waiting does not heal it.
        retryAt = fault.isCorruption ? now : now + shared.configuration.retrySeconds * 1_000_000_000
    }

    /// What files could not do does not undo what the index can still commit.
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
            // It would fail, be well and fail again every few seconds, and say so each time.
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
        // Many readers may have said so; of an index that is replaced already, it is no news.
        guard session != nil, shared.readers.isCurrent(generation) else { return }
        degrade(.index(.damaged))
        reopenIfDue()
    }

    private func end() {
        shared.queue.close()
        finishSweeps()
        guarded { session throws(DiskFault) in try session.commit() }
        shared.readers.close()
        session = nil
        lock = nil
        shared.queue.end()
    }
}
