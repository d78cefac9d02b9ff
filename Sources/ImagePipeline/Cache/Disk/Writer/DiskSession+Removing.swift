/// Purging: removing on somebody's word and not for a quota, or marking as stale.
extension DiskSession {
    /// Rows of originals, or of a preset's variants, that one step looks at.
    private static let sweepStep = 64

    /// Does the next step of a purge in the open transaction; the first one opens it.
    ///
    /// - Returns: whether it was the last one.
    func step(_ sweep: DiskSweep) throws(DiskFault) -> Bool {
        try begin()
        if !sweep.isBegun {
            sweep.isBegun = true
            try prepare(sweep)
        }
        let before = totals
        do throws(SQLiteError) {
            try stepOrigins(sweep)
            try stepVariants(sweep)
        } catch {
            throw .index(error)
        }
        if sweep.purge.staleFrom == nil { sweep.counts.add(totals.lost(since: before)) }
        guard sweep.origins.isEmpty, sweep.variants.isEmpty else { return false }
        noteRemoved(sweep.purge)
        return true
    }

    private func stepOrigins(_ sweep: DiskSweep) throws(SQLiteError) {
        var left = Self.sweepStep
        while left > 0, var walk = sweep.origins.first {
            let page = try index.next(&walk, limit: left)
            for origin in page where !sweep.spared.contains(origin.key) {
                if let time = sweep.purge.staleFrom {
                    try index.expire(origin.id, at: time)
                    sweep.counts.add(try index.countVariants(ofOrigin: origin.id))
                    sweep.counts.originals += origin.length == nil ? 0 : 1
                    sweep.counts.bytes += origin.length ?? 0
                } else {
                    try remove(origin.key)
                }
            }
            // A way without any is a look as well.
            left -= max(16, page.count)
            if walk.isDone { sweep.origins.removeFirst() } else { sweep.origins[0] = walk }
        }
    }

    private func stepVariants(_ sweep: DiskSweep) throws(SQLiteError) {
        guard var walk = sweep.variants.first else { return }
        for variant in try index.next(&walk, limit: Self.sweepStep) where !sweep.spared.contains(variant.entry.key) {
            try drop(variant)
        }
        sweep.variants = walk.isDone ? [] : [walk]
    }

    /// Lets what is stored now outlive the purges under way; what of it was there before goes at once.
    ///
    /// Before its row is written. Soft purges are about it, too: all that comes of that is one more question to the origin.
    func spare(_ origin: OriginRecord, variant: VariantRecord? = nil) throws(DiskFault) {
        for sweep in sweeps where sweep.purge.staleFrom == nil {
            let selection = sweep.purge.selection
            if case .preset = selection {
                if let variant, selection.covers(FlightSubject(variant, of: origin)) == true {
                    sweep.spared.insert(variant.key)
                }
                continue
            }
            guard !sweep.spared.contains(origin.key) else { continue }
            do throws(SQLiteError) {
                let isOldCovered = try index.origin(origin.key).map { selection.covers($0.subject) != false } ?? false
                if isOldCovered { try remove(origin.key) }
                if isOldCovered || selection.covers(FlightSubject(origin)) != false { sweep.spared.insert(origin.key) }
            } catch {
                throw .index(error)
            }
        }
    }

    /// Before the first row goes: nothing of it is to come from elsewhere in between.
    private func prepare(_ sweep: DiskSweep) throws(DiskFault) {
        guard let time = sweep.purge.staleFrom else { return try hideForGood(sweep.purge.selection) }
        // What the seed holds cannot be changed there: its record is kept here as it is now.
        for record in shared.seed?.origins(in: sweep.purge.selection) ?? [] {
            guard try originEntry(record.key) == nil else { continue }
            var record = record
            record.expire(at: time)
            do throws(SQLiteError) {
                guard try !index.wasRemoved(FlightSubject(record)) else { continue }
                _ = try index.putOrigin(record, hasBody: false, isForSeed: true, use: shared.nextUse())
            } catch {
                throw .index(error)
            }
        }
    }

    /// Notes what no row tells of: files that the index is still to be made of, and the seed layer's.
    private func hideForGood(_ selection: PurgeSelection) throws(DiskFault) {
        var noted = selection
        if !isRebuilding {
            guard let seed = shared.seed else { return }
            switch selection {
            case .source, .preset, .all: break
            // Of single originals only those that are there: the table is to end.
            case .originals(let keys): noted = .originals(keys.filter(seed.contains(origin:)))
            case .prefixes, .tags, .confirmedBefore: noted = .originals(seed.origins(in: selection).map(\.key))
            }
        }
        do throws(SQLiteError) { try index.noteRemoved(noted) } catch { throw .index(error) }
    }

    private func remove(_ key: CacheKey) throws(SQLiteError) {
        guard let state = try index.originEntry(key) else { return }
        if let body = state.body { noteGone(body) }
        try removeVariants(ofOrigin: state.id, except: nil)
        try removeVariants(madeWith: state.id, except: nil)
        try index.deleteOrigin(state.id)
    }
}
