import LinuxSystem

/// Room on the file system that others write to as well, and entries that nobody has asked for in a long time.
extension DiskSession {
    /// Makes sure that storing an object leaves the minimum free; the least recently used goes for it.
    ///
    /// Evicts as much as is missing and no more: where that frees nothing (files that are still being sent), the object is given up
    /// and not the cache.
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
            // Blocks and the index's log make more or less of it than bodies have bytes.
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

    /// Evicts a few while others have used up the minimum, a little at a time.
    ///
    /// - Returns: whether there may be more to do.
    func yieldSpace() throws(DiskFault) -> Bool {
        guard !hasSpace() else { return false }
        return try evictSomewhere(shared.limits.minimumFree - (try freeBytes())) > 0
    }

    /// Drops a few entries that have not been used for the maximum age.
    ///
    /// A clock that jumps makes everything look old: it must have gone evenly for an hour before its word counts.
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

    /// Evicts from the class that is nearer to its quota.
    ///
    /// - Returns: bytes that went.
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

/// Whether the wall clock has gone as evenly as the monotonic one.
struct ClockTrust {
    /// Seconds of even going until the wall clock is believed, and by which it may differ.
    private static let seconds: Int64 = 3600
    private var offset: Int64?
    private var trustedAt: Int64 = 0

    /// Looks at the clocks; called from time to time.
    mutating func isTrusted(_ time: any TimeSource) -> Bool {
        let monotonic = time.monotonic / 1_000_000_000
        let now = time.wallSeconds - monotonic
        if let offset, abs(now - offset) < Self.seconds { return monotonic >= trustedAt }
        offset = now
        trustedAt = monotonic + Self.seconds
        return false
    }
}
