import LinuxSystem

/// Purges in progress, and purges while the folder is unusable.
extension DiskWriter {
    /// The maximum number of purges in progress; a further one runs to its end at once.
    private static let sweepCount = 64

    /// Runs a purge's first step at its place among the writes.
    func remove(_ sweep: DiskSweep) {
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

    /// Postpones a purge until the folder is usable, and lists it there before it is answered.
    func give(up sweep: DiskSweep, isPostponed: Bool) {
        if !isPostponed { postponed.add(sweep) }
        guard let completion = sweep.completion else { return }
        var counts = PurgeCounts()
        counts.isDiskPending = true
        counts.isVolatile = !record(sweep)
        completion(counts)
    }

    /// Lists a postponed purge in the folder.
    ///
    /// - Returns: false if a restart would lose it.
    private func record(_ sweep: DiskSweep) -> Bool {
        // The next process applies those of the log again.
        guard sweep.ticket == nil else { return true }
        do throws(DiskFault) {
            _ = try admit()
            try DiskFault.file { () throws(Errno) in try postponed.record(sweep.purge) }
            return true
        } catch {
            // A successor has the folder within moments.
            return isForLock(error)
        }
    }

    /// Runs one step of the first purge in progress; all of it if too much was stored meanwhile.
    func stepSweeps() {
        guard let session, !session.sweeps.isEmpty else { return }
        let sweep = session.sweeps.removeFirst()
        repeat {
            if advance(sweep) { return }
        } while sweep.isCrowded
        session.sweeps.insert(sweep, at: 0)
    }

    /// Runs the purges in progress to their ends.
    func finishSweeps() {
        while session?.sweeps.isEmpty == false { stepSweeps() }
    }
}
