import LinuxSystem

/// Eviction for quotas: least recently used first, in small transactions.
extension DiskSession {
    /// The maximum number of rows of one eviction step.
    static let step = EvictionMarks.step

    /// When a pool is evicted.
    private func marks(_ pool: DiskPool) -> EvictionMarks {
        EvictionMarks(quota: shared.limits.quota(of: pool), lowWater: shared.configuration.lowWater)
    }

    /// The entries of a pool.
    private func count(_ pool: DiskPool) -> DiskTotals.Count { shared.limits.count(of: pool, in: totals) }

    /// Starts evicting from the pools above their quotas, one step at a time.
    func evictOverQuota() {
        let limits = shared.limits
        for pool in limits.pools where limits.count(of: pool, in: totals).bytes > limits.quota(of: pool) {
            evicting.insert(pool)
        }
    }

    /// Makes room for an object before it is written, so that its pool never exceeds its quota.
    ///
    /// Commits the open transaction and opens a new one.
    func makeRoom(_ diskClass: DiskClass, in namespace: String, for length: Int) throws(DiskFault) {
        let pool = shared.limits.pool(diskClass, of: namespace)
        let marks = marks(pool)
        guard marks.admits(length) else { throw .body("larger than the quota") }
        guard marks.mustEvict(count(pool).bytes, before: length) else {
            try makeSpace(for: length)
            return try begin()
        }
        evicting.insert(pool)
        while marks.mustEvict(count(pool).bytes, before: length) {
            if try evict(pool, downTo: marks.goal(before: length)) == 0 {
                try recount()
                break
            }
        }
        try makeSpace(for: length)
        try begin()
    }

    /// Runs one step of an eviction.
    ///
    /// - Returns: whether there is more to do.
    func continueEvicting() throws(DiskFault) -> Bool {
        // A namespace may have lost its quota meanwhile.
        evicting.formIntersection(shared.limits.pools)
        guard let pool = evicting.first else { return false }
        let (marks, count) = (marks(pool), count(pool))
        let evicted =
            marks.isReached(by: count.bytes, entries: count.entries) ? 0 : try evict(pool, downTo: marks.low)
        if evicted == 0 { evicting.remove(pool) }
        return !evicting.isEmpty
    }

    /// Recounts the totals.
    private func recount() throws(DiskFault) {
        try begin()
        do throws(SQLiteError) {
            let counted = try index.countTotals()
            setTotals(counted)
        } catch {
            throw .index(error)
        }
        try commit()
    }

    /// Replaces the totals with counted ones.
    func setTotals(_ counted: DiskTotals) {
        var counted = counted
        counted.markChanged(since: totals)
        totals = counted
    }

    /// Evicts a few entries in a transaction of its own.
    ///
    /// - Returns: the number of entries evicted.
    private func evict(_ pool: DiskPool, downTo goal: Int) throws(DiskFault) -> Int {
        // Commit the pending access times, so that the order is exact.
        try commit()
        try begin()
        var evicted = 0
        let namespaces = shared.limits.namespaces(in: pool, among: totals.namespaces)
        do throws(SQLiteError) {
            switch pool.diskClass {
            case .originals:
                for body in try index.oldestBodies(Self.step, in: namespaces) where count(pool).bytes > goal {
                    try drop(body)
                    evicted += 1
                }
            case .variants:
                for variant in try index.oldestVariants(Self.step, in: namespaces) where count(pool).bytes > goal {
                    try drop(variant)
                    evicted += 1
                }
            }
        } catch {
            throw .index(error)
        }
        try commit()
        shared.count { $0[pool.diskClass].evictions += evicted }
        return evicted
    }
}

/// Eviction for free space, on a file system shared with others, and for age.
extension DiskSession {
    /// Evicts the least recently used entries until storing an object leaves the minimum free.
    ///
    /// Evicts no more than is missing: if that frees nothing, as with files that are still being sent, the object is dropped.
    private func makeSpace(for length: Int) throws(DiskFault) {
        let minimum = shared.limits.minimumFree
        guard minimum > 0 else { return }
        let wanted = minimum + length
        var free = try freeBytes()
        while free < wanted {
            var missing = wanted - free
            while missing > 0 {
                let freed = try evictSomewhere(missing)
                if freed == 0 { break }
                missing -= freed
            }
            // Because of blocks and the index's log, this differs from the bodies' bytes.
            let before = free
            free = try freeBytes(closingFilesAt: before)
            guard free > before else { throw .space(free: free, minimum: minimum) }
        }
    }

    /// The bytes of free space after an eviction; if that has freed none, those after all files of deleted entries were closed.
    private func freeBytes(closingFilesAt before: Int) throws(DiskFault) -> Int {
        let free = try freeBytes()
        guard free <= before else { return free }
        shared.noteDeleted(.any)
        return try freeBytes()
    }

    /// Whether the file system has the minimum free.
    func hasSpace() -> Bool {
        let minimum = shared.limits.minimumFree
        guard minimum > 0 else { return true }
        do throws(Errno) { return try files.freeBytes(folder.path) >= minimum } catch { return true }
    }

    /// Evicts a few entries while less than the minimum is free.
    ///
    /// - Returns: whether there may be more to do.
    func yieldSpace() throws(DiskFault) -> Bool {
        guard !hasSpace() else { return false }
        let before = try freeBytes()
        let evicted = try evictSomewhere(shared.limits.minimumFree - before)
        _ = try freeBytes(closingFilesAt: before)
        return evicted > 0
    }

    /// Drops a few entries unused for the maximum age.
    ///
    /// After a jump of the wall clock every entry may look old, so ages count only once it has run evenly for an hour.
    /// - Returns: whether there may be more to do.
    func expire() throws(DiskFault) -> Bool {
        let age = shared.limits.maximumAge
        guard age > 0, let now = clock.wallSeconds(of: shared.configuration.time) else { return false }
        let before = now - age
        try commit()
        try begin()
        var count = 0
        do throws(SQLiteError) {
            let namespaces = totals.namespaces.union([""])
            for body in try index.oldestBodies(Self.step, in: namespaces, accessedBefore: before) {
                try drop(body)
                count += 1
            }
            for variant in try index.oldestVariants(Self.step, in: namespaces, accessedBefore: before) {
                try drop(variant)
                count += 1
            }
        } catch {
            throw .index(error)
        }
        try commit()
        shared.count { $0.expirations += count }
        return count > 0
    }

    private func freeBytes() throws(DiskFault) -> Int {
        try DiskFault.file { () throws(Errno) in try files.freeBytes(folder.path) }
    }

    /// Evicts from the pool that is closest to its quota, or furthest above it.
    ///
    /// - Returns: the bytes evicted.
    private func evictSomewhere(_ bytes: Int) throws(DiskFault) -> Int {
        let limits = shared.limits
        let totals = totals
        let share = { (pool: DiskPool) in
            Double(limits.count(of: pool, in: totals).bytes) / Double(max(1, limits.quota(of: pool)))
        }
        for pool in limits.pools.sorted(by: { share($0) > share($1) }) {
            let before = limits.count(of: pool, in: self.totals).bytes
            guard before > 0 else { continue }
            // Entries that share their bytes with others free nothing.
            while try evict(pool, downTo: max(0, before - bytes)) > 0 {
                let freed = before - limits.count(of: pool, in: self.totals).bytes
                if freed > 0 { return freed }
            }
        }
        return 0
    }
}

/// Tracks whether the wall clock runs evenly with the monotonic clock.
struct ClockTrust {
    /// Seconds that the wall clock must run evenly before it is trusted, and by which it may differ.
    private static let seconds: Int64 = 3600
    private var offset: Int64?
    private var trustedAt: Int64 = 0

    /// Compares the clocks, and returns the wall clock's time if it is trusted; called from time to time.
    ///
    /// The wall clock is read once, since it may jump between two readings.
    mutating func wallSeconds(of time: any TimeSource) -> Int64? {
        let (monotonic, wall) = (time.monotonic / 1_000_000_000, time.wallSeconds)
        let now = wall - monotonic
        if let offset, abs(now - offset) < Self.seconds { return monotonic >= trustedAt ? wall : nil }
        offset = now
        trustedAt = monotonic + Self.seconds
        return nil
    }
}
