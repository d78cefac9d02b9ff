/// A purge in progress: it runs in steps, between other writes.
///
/// Confined to the writer's thread.
final class DiskSweep {
    let purge: Purge
    /// The part of the purge in a place of the log; `nil` for a purge that is in no log.
    let ticket: DiskPlaces.Ticket?
    /// Whether originals are kept that were requested after the purge.
    let keepsNewer: Bool
    /// Called once the purge is committed.
    let completion: (@Sendable (PurgeCounts) -> Void)?
    /// What has been removed, or made stale, so far.
    var counts = PurgeCounts()
    /// Whether the first step has started.
    var isBegun = false
    /// The walks that remain.
    var origins: [DiskIndex.OriginWalk]
    var variants: [DiskIndex.VariantWalk]
    /// Originals, or for a preset variants, that were stored after the purge was requested; they are kept.
    var spared: Set<CacheKey> = []

    /// Whether `spared` is full; then the purge runs to its end without pausing.
    var isCrowded: Bool { spared.count >= 65_536 }

    /// - Parameter keepsNewer: `nil` for a purge with a ticket.
    init(
        _ purge: Purge,
        _ ticket: DiskPlaces.Ticket?,
        keepsNewer: Bool? = nil,
        completion: (@Sendable (PurgeCounts) -> Void)?
    ) {
        self.purge = purge
        self.ticket = ticket
        self.keepsNewer = keepsNewer ?? (ticket != nil)
        self.completion = completion
        origins = DiskIndex.walks(purge.selection)
        variants =
            switch purge.selection {
            case .preset(let pattern): [DiskIndex.VariantWalk(pattern)]
            case .within(let namespace, .preset(let pattern)): [DiskIndex.VariantWalk(pattern, in: namespace)]
            default: []
            }
    }
}

/// Purging: removing entries on request, or making them stale.
extension DiskSession {
    /// The rows that one step reads.
    private static let sweepStep = 64

    /// Runs the next step of a purge in the open transaction.
    ///
    /// - Returns: whether it was the last one.
    func step(_ sweep: DiskSweep) throws(DiskFault) -> Bool {
        try begin()
        if !sweep.isBegun {
            sweep.isBegun = true
            try prepare(sweep)
        }
        let (before, deleted) = (totals, deletedBytes)
        do throws(SQLiteError) {
            try stepOrigins(sweep)
            try stepVariants(sweep)
        } catch {
            throw .index(error)
        }
        if sweep.purge.staleFrom == nil {
            var lost = totals.lost(since: before)
            lost.bytes = deletedBytes - deleted
            sweep.counts.add(lost)
        }
        guard sweep.origins.isEmpty, sweep.variants.isEmpty else { return false }
        noteRemoved(sweep)
        return true
    }

    private func stepOrigins(_ sweep: DiskSweep) throws(SQLiteError) {
        var left = Self.sweepStep
        while left > 0, var walk = sweep.origins.first {
            let page = try index.next(&walk, limit: left)
            for origin in page where !sweep.spared.contains(origin.key) && !isNewer(origin.stamp, than: sweep) {
                if let time = sweep.purge.staleFrom {
                    try index.expire(origin.id, at: time)
                    sweep.counts.add(try index.countVariants(ofOrigin: origin.id))
                    sweep.counts.originals += origin.length == nil ? 0 : 1
                    sweep.counts.bytes += origin.length ?? 0
                } else {
                    try removeOriginal(origin.key)
                }
            }
            // A walk that finds nothing costs a query, too.
            left -= max(16, page.count)
            if walk.isDone { sweep.origins.removeFirst() } else { sweep.origins[0] = walk }
        }
    }

    /// Whether an original was requested after a purge of the log, which was carried out before and interrupted by a crash.
    private func isNewer(_ stamp: PurgeStamp, than sweep: DiskSweep) -> Bool {
        guard sweep.keepsNewer, let ticket = sweep.ticket else { return false }
        return stamp.sequence >= ticket.sequence && stamp.era == places.era
    }

    private func stepVariants(_ sweep: DiskSweep) throws(SQLiteError) {
        guard var walk = sweep.variants.first else { return }
        for variant in try index.next(&walk, limit: Self.sweepStep) where !sweep.spared.contains(variant.entry.key) {
            // Requests of the preset must not find the same result under the key of another request.
            for other in try index.variantEntries(resolvedAs: variant.entry.id)
            where !sweep.spared.contains(other.entry.key) {
                try drop(other)
            }
            if try index.variantEntry(variant.entry.key) != nil { try drop(variant) }
        }
        sweep.variants = walk.isDone ? [] : [walk]
    }

    /// Exempts an entry about to be stored from purges in progress; immediately removes what they select of the old entry.
    ///
    /// Called before the row is written. Soft purges still apply, which only costs a revalidation.
    func spare(_ origin: OriginRecord, variant: VariantRecord? = nil) throws(DiskFault) {
        for sweep in sweeps where sweep.purge.staleFrom == nil {
            let selection = sweep.purge.selection
            if selection.isOfVariants {
                if let variant, selection.covers(PurgeSubject(variant, of: origin)) == true {
                    sweep.spared.insert(variant.key)
                }
                continue
            }
            guard !sweep.spared.contains(origin.key) else { continue }
            do throws(SQLiteError) {
                let isOldCovered = try index.origin(origin.key).map { selection.covers($0.subject) != false } ?? false
                if isOldCovered { try removeOriginal(origin.key) }
                if isOldCovered || selection.covers(PurgeSubject(origin)) != false { sweep.spared.insert(origin.key) }
            } catch {
                throw .index(error)
            }
        }
    }

    /// Records a removal before its first step, so that removed entries are neither adopted nor served from the seed meanwhile.
    private func prepare(_ sweep: DiskSweep) throws(DiskFault) {
        guard let time = sweep.purge.staleFrom else { return try hideForGood(sweep.purge.selection) }
        // The seed cannot be changed, so a stale copy of the record is stored here.
        for record in shared.seed?.origins(in: sweep.purge.selection) ?? [] {
            guard try originEntry(record.key) == nil else { continue }
            var record = record
            record.expire(at: time)
            do throws(SQLiteError) {
                guard try !index.wasRemoved(PurgeSubject(record)) else { continue }
                _ = try index.putOrigin(record, hasBody: false, isForSeed: true, use: shared.nextUse())
            } catch {
                throw .index(error)
            }
        }
    }

    /// Records a removal for entries without rows: files not adopted yet, and the seed's.
    private func hideForGood(_ selection: PurgeSelection) throws(DiskFault) {
        var noted = selection
        if !isRebuilding {
            guard let seed = shared.seed else { return }
            switch selection {
            case .source, .preset, .all, .within(_, .source), .within(_, .preset), .within(_, .all): break
            // Only originals that the seed has: the table must stay bounded.
            case .originals(let keys): noted = .originals(keys.filter(seed.contains(origin:)))
            case .prefixes, .tags, .confirmedBefore, .staleAt, .within:
                noted = .originals(seed.origins(in: selection).map(\.key))
            }
        }
        do throws(SQLiteError) { try index.noteRemoved(noted) } catch { throw .index(error) }
    }

    /// Deletes all stored failures, of which postponed purges may select some.
    func forgetFailures() throws(DiskFault) {
        try begin()
        do throws(SQLiteError) { try index.discardFailures() } catch { throw .index(error) }
        try commit()
    }

    /// Deletes an original with its variants and those made with it.
    func removeOriginal(_ key: CacheKey) throws(SQLiteError) {
        guard let state = try index.originEntry(key) else { return }
        if let body = state.body { try noteGone(body) }
        try removeVariants(ofOrigin: state.id, except: nil)
        try removeVariants(madeWith: state.id, except: nil)
        try index.deleteOrigin(state.id)
    }
}
