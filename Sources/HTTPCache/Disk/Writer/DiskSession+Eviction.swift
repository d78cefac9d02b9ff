import LinuxSystem

/// Eviction for quotas: least recently used first, in small transactions.
extension DiskSession {
    /// The maximum number of rows of one eviction step.
    static let step = 64

    /// Bytes down to which a class is evicted.
    private func lowWater(_ diskClass: DiskClass) -> Int {
        Int(Double(shared.quota(of: diskClass)) * shared.configuration.lowWater)
    }

    /// Starts evicting from the classes above their quotas, one step at a time.
    func evictOverQuota() {
        for diskClass in DiskClass.allCases where totals[diskClass].bytes > shared.quota(of: diskClass) {
            evicting.insert(diskClass)
        }
    }

    /// Makes room for an object before it is written, so that a class never exceeds its quota.
    ///
    /// Commits the open transaction and opens a new one.
    func makeRoom(_ diskClass: DiskClass, for length: Int) throws(DiskFault) {
        let quota = shared.quota(of: diskClass)
        guard quota > 0, length <= quota else { throw .body("larger than the quota") }
        guard totals[diskClass].bytes > quota - length else {
            try makeSpace(for: length)
            return try begin()
        }
        evicting.insert(diskClass)
        while totals[diskClass].bytes > quota - length {
            if try evict(diskClass, downTo: max(0, lowWater(diskClass) - length)) == 0 {
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
        guard let diskClass = evicting.first else { return false }
        // Keep the last entry: else an object larger than the low-water mark could never be served.
        let isEnough = totals[diskClass].bytes <= lowWater(diskClass) || totals[diskClass].entries <= 1
        let evicted = isEnough ? 0 : try evict(diskClass, downTo: lowWater(diskClass))
        if evicted == 0 { evicting.remove(diskClass) }
        return !evicting.isEmpty
    }

    /// Recounts the totals.
    func recount() throws(DiskFault) {
        try begin()
        do throws(SQLiteError) { totals = try index.countTotals() } catch { throw .index(error) }
        try commit()
    }

    /// Evicts a few entries in a transaction of its own.
    ///
    /// - Returns: the number of entries evicted.
    func evict(_ diskClass: DiskClass, downTo goal: Int) throws(DiskFault) -> Int {
        // Commit the pending access times, so that the order is exact.
        try commit()
        try begin()
        var count = 0
        do throws(SQLiteError) {
            switch diskClass {
            case .originals:
                for body in try index.oldestBodies(Self.step) where totals[diskClass].bytes > goal {
                    try drop(body)
                    count += 1
                }
            case .variants:
                for variant in try index.oldestVariants(Self.step) where totals[diskClass].bytes > goal {
                    try drop(variant)
                    count += 1
                }
            }
        } catch {
            throw .index(error)
        }
        try commit()
        shared.count { $0[diskClass].evictions += count }
        return count
    }
}

/// Eviction for free space, on a file system shared with others, and for age.
extension DiskSession {
    /// Evicts the least recently used entries until storing an object leaves the minimum free.
    ///
    /// Evicts no more than is missing: if that frees nothing, as with files that are still being sent, the object is dropped.
    func makeSpace(for length: Int) throws(DiskFault) {
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
            free = try freeBytes()
            guard free > before else { throw .space(free: free, minimum: minimum) }
        }
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
        return try evictSomewhere(shared.limits.minimumFree - (try freeBytes())) > 0
    }

    /// Drops a few entries unused for the maximum age.
    ///
    /// After a jump of the wall clock every entry may look old, so ages count only once it has run evenly for an hour.
    /// - Returns: whether there may be more to do.
    func expire() throws(DiskFault) -> Bool {
        let age = shared.limits.maximumAge
        guard age > 0, clock.isTrusted(shared.configuration.time) else { return false }
        let before = shared.configuration.time.wallSeconds - age
        try commit()
        try begin()
        var count = 0
        do throws(SQLiteError) {
            for body in try index.oldestBodies(Self.step, accessedBefore: before) {
                try drop(body)
                count += 1
            }
            for variant in try index.oldestVariants(Self.step, accessedBefore: before) {
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

    /// Evicts from the class that is closer to its quota.
    ///
    /// - Returns: the bytes evicted.
    private func evictSomewhere(_ bytes: Int) throws(DiskFault) -> Int {
        let limits = shared.limits
        let share = { (diskClass: DiskClass) in
            Double(self.totals[diskClass].bytes) / Double(max(1, limits[diskClass]))
        }
        for diskClass in DiskClass.allCases.sorted(by: { share($0) > share($1) }) {
            let before = totals[diskClass].bytes
            guard before > 0, try evict(diskClass, downTo: max(0, before - bytes)) > 0 else { continue }
            return before - totals[diskClass].bytes
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

    /// Compares the clocks; called from time to time.
    mutating func isTrusted(_ time: any TimeSource) -> Bool {
        let monotonic = time.monotonic / 1_000_000_000
        let now = time.wallSeconds - monotonic
        if let offset, abs(now - offset) < Self.seconds { return monotonic >= trustedAt }
        offset = now
        trustedAt = monotonic + Self.seconds
        return false
    }
}
