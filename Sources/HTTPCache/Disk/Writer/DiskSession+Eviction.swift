import Glibc
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
    /// Evicts no more than is missing: if that frees nothing, as with files that are still being sent, the object is dropped, and so are
    /// later ones until another eviction is worthwhile.
    func makeSpace(for length: Int) throws(DiskFault) {
        let minimum = shared.limits.minimumFree
        guard minimum > 0 else { return }
        let wanted = minimum + length
        var free = try freeBytes()
        while free < wanted {
            guard isEvictionWorthwhile(free: free) else { throw .space(free: free, minimum: minimum) }
            let (before, log) = (free, logBytes)
            var evicted = 0
            while evicted < wanted - before {
                let freed = try evictSomewhere(wanted - before - evicted)
                if freed == 0 { break }
                evicted += freed
            }
            free = try freeBytes(afterEvicting: evicted, from: before, log: log)
            guard free >= wanted || evictionYield.isOfUse else { throw .space(free: free, minimum: minimum) }
        }
    }

    /// Whether entries may be evicted for free space.
    private func isEvictionWorthwhile(free: Int) -> Bool {
        evictionYield.isWorthwhile(free: free, at: shared.configuration.time.monotonic)
    }

    /// Measures what an eviction has freed.
    ///
    /// Because of blocks, this differs from the bodies' bytes.
    /// - Parameters:
    ///   - before: the free bytes before it.
    ///   - log: the bytes of the index's log before it, which may have grown by more than the eviction has freed.
    /// - Returns: the free bytes after it.
    private func freeBytes(afterEvicting bytes: Int, from before: Int, log: Int?) throws(DiskFault) -> Int {
        var free = try freeBytes()
        if free <= before {
            // Others may have deleted files that are open here.
            shared.noteDeleted(.any)
            free = try freeBytes()
        }
        var growth = 0
        if bytes > 0, EvictionYield.isLittle(free - before, of: bytes), let log, let now = logBytes {
            growth = max(0, now - log)
        }
        let time = shared.configuration.time.monotonic
        evictionYield.note(evicted: bytes, freed: free - before + growth, free: free, at: time)
        return free
    }

    /// Bytes of the index's log (SQLite's write-ahead log), 0 without one; `nil` if they cannot be known.
    private var logBytes: Int? {
        do throws(Errno) {
            // SQLite has no locks on this file, which closing another descriptor would release.
            return try files.size(of: try files.open(folder.index + "-wal", flags: O_RDONLY | O_NOFOLLOW))
        } catch {
            return error.code == ENOENT ? 0 : nil
        }
    }

    /// Whether an object may be stored again after there was no space for one.
    func hasRecovered() -> Bool {
        let minimum = shared.limits.minimumFree
        guard minimum > 0 else { return true }
        do throws(Errno) {
            let free = try files.freeBytes(folder.path)
            return free >= minimum && isEvictionWorthwhile(free: free)
        } catch {
            return true
        }
    }

    /// Evicts a few entries while less than the minimum is free.
    ///
    /// - Returns: whether there may be more to do.
    func yieldSpace() throws(DiskFault) -> Bool {
        let minimum = shared.limits.minimumFree
        guard minimum > 0 else { return false }
        let before: Int
        do throws(Errno) { before = try files.freeBytes(folder.path) } catch { return false }
        guard before < minimum, isEvictionWorthwhile(free: before) else { return false }
        let log = logBytes
        let evicted = try evictSomewhere(minimum - before)
        guard evicted > 0 else { return false }
        _ = try freeBytes(afterEvicting: evicted, from: before, log: log)
        return evictionYield.isOfUse
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

/// Tracks whether evictions free space: deleted files may be open elsewhere, and a file system may free them late or keep snapshots.
///
/// After an eviction that has freed next to nothing, the next one waits until its bytes are free after all, or for a time that doubles
/// with each of them. Otherwise every store would evict, until nothing is left.
struct EvictionYield {
    /// Nanoseconds of the first pause, and of the longest.
    private static let shortest: Int64 = 30_000_000_000
    private static let longest: Int64 = 600_000_000_000
    /// Nanoseconds; 0 if the last eviction has freed space.
    private var pause: Int64 = 0
    /// Monotonic nanoseconds.
    private var until = Int64.min
    /// Free bytes that show that the last eviction was of use.
    private var goal = 0

    /// Whether the last eviction has freed space.
    var isOfUse: Bool { pause == 0 }

    /// Whether to evict.
    ///
    /// - Parameter now: monotonic nanoseconds.
    func isWorthwhile(free: Int, at now: Int64) -> Bool { pause == 0 || free >= goal || now >= until }

    /// Whether the free space has grown by next to nothing of what was evicted; blocks, the index and other programs change it a little, too.
    static func isLittle(_ freed: Int, of evicted: Int) -> Bool { freed <= evicted / 8 }

    /// Records an eviction.
    ///
    /// - Parameters:
    ///   - evicted: the bytes of the entries.
    ///   - freed: the bytes by which the free space has grown.
    ///   - free: the free bytes now.
    mutating func note(evicted: Int, freed: Int, free: Int, at now: Int64) {
        guard Self.isLittle(freed, of: evicted) else {
            pause = 0
            return
        }
        pause = pause == 0 ? Self.shortest : min(Self.longest, pause * 2)
        until = now + pause
        goal = free + max(1, evicted / 2)
    }
}
