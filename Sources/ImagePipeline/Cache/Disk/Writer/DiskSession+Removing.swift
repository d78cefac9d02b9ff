/// Purging: removing on somebody's word and not for a quota, or marking as stale.
extension DiskSession {
    /// Origins that one transaction removes.
    private static let removalStep = 256
    /// Variants that are looked at for a preset at a time.
    private static let scanStep = 1024

    /// Does what is purged; the last transaction stays open.
    ///
    /// - Returns: what has gone, or is stale now.
    func remove(_ purge: Purge) throws(DiskFault) -> PurgeCounts {
        try begin()
        var counts = PurgeCounts()
        if let time = purge.staleFrom {
            counts = try expire(purge.selection, at: time)
        } else {
            let before = totals
            try remove(purge.selection)
            try hideForGood(purge.selection)
            counts.originals = before[.originals].entries - totals[.originals].entries
            counts.variants = before[.variants].entries - totals[.variants].entries
            counts.bytes =
                before[.originals].bytes - totals[.originals].bytes + before[.variants].bytes - totals[.variants].bytes
        }
        noteRemoved(purge)
        return counts
    }

    private func remove(_ selection: PurgeSelection) throws(DiskFault) {
        switch selection {
        case .originals(let keys): for key in keys { try remove(key) }
        case .preset(let pattern): try removeVariants(of: pattern)
        case .source, .prefixes, .tags, .confirmedBefore, .all: try removeOrigins(in: selection)
        }
    }

    /// Removes in steps: a transaction of a million rows would hold the log, and memory, for as long.
    private func removeOrigins(in selection: PurgeSelection) throws(DiskFault) {
        var last: Int64 = 0
        while true {
            let origins: [DiskIndex.OriginName]
            do throws(SQLiteError) {
                origins = try index.origins(in: selection, above: last, limit: Self.removalStep)
            } catch {
                throw .index(error)
            }
            for origin in origins { try remove(origin.key) }
            guard let end = origins.last, origins.count == Self.removalStep else { return }
            last = end.id
            try commit()
            try begin()
        }
    }

    /// Looks at all variants: what a preset has made bears no mark that an index could know.
    private func removeVariants(of pattern: PresetPattern) throws(DiskFault) {
        var last: Int64 = 0
        while true {
            do throws(SQLiteError) {
                let page = try index.variants(of: pattern, above: last, limit: Self.scanStep)
                for variant in page.matches { try drop(variant) }
                guard let end = page.last else { return }
                last = end
            } catch {
                throw .index(error)
            }
            try commit()
            try begin()
        }
    }

    private func expire(_ selection: PurgeSelection, at time: Int64) throws(DiskFault) -> PurgeCounts {
        let seeded = shared.seed?.origins(in: selection) ?? []
        do throws(SQLiteError) {
            let counts = try index.count(selection)
            try index.expire(selection, at: time)
            // What the seed holds cannot be changed there: its record is kept here as it is now.
            for record in seeded where try index.originState(record.key) == nil {
                var record = record
                record.expire(at: time)
                _ = try index.putOrigin(record, hasBody: false, use: shared.nextUse())
            }
            return counts
        } catch {
            throw .index(error)
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

    private func remove(_ key: CacheKey) throws(DiskFault) {
        guard let state = try originState(key) else { return }
        if let body = state.body { noteGone(body) }
        do throws(SQLiteError) {
            try removeVariants(ofOrigin: state.id, except: nil)
            try index.deleteOrigin(state.id)
        } catch {
            throw .index(error)
        }
    }
}
