/// Quotas: least recently used first, in small transactions.
extension DiskSession {
    /// Rows that one eviction step takes.
    static let step = 64

    /// Bytes down to which an eviction goes, once begun.
    private func lowWater(_ diskClass: DiskClass) -> Int {
        Int(Double(shared.quota(of: diskClass)) * shared.configuration.lowWater)
    }

    /// Begins to evict from the classes that are over their quotas, a step at a time.
    func evictOverQuota() {
        for diskClass in DiskClass.allCases where totals[diskClass].bytes > shared.quota(of: diskClass) {
            evicting.insert(diskClass)
        }
    }

    /// Makes room for an object before it is written, so that a class is never over its quota.
    ///
    /// Commits what is open and opens a new transaction.
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

    /// One step of an eviction that has begun.
    ///
    /// - Returns: whether there is more to do.
    func continueEvicting() throws(DiskFault) -> Bool {
        guard let diskClass = evicting.first else { return false }
        // The last one stays: an object between the low-water mark and the quota would never be served else.
        let isEnough = totals[diskClass].bytes <= lowWater(diskClass) || totals[diskClass].entries <= 1
        let evicted = isEnough ? 0 : try evict(diskClass, downTo: lowWater(diskClass))
        if evicted == 0 { evicting.remove(diskClass) }
        return !evicting.isEmpty
    }

    /// Counts the totals anew.
    func recount() throws(DiskFault) {
        try begin()
        do throws(SQLiteError) { totals = try index.countTotals() } catch { throw .index(error) }
        try commit()
    }

    /// Evicts a few, in a transaction of its own.
    ///
    /// - Returns: how many went.
    func evict(_ diskClass: DiskClass, downTo goal: Int) throws(DiskFault) -> Int {
        // With the access times that wait: the order is exact.
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
