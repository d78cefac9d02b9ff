/// Removing on somebody's word, not for a quota.
extension DiskSession {
    /// Origins that one transaction removes.
    private static let removalStep = 256

    /// Removes origins, their bodies and their variants; the last transaction stays open.
    ///
    /// - Returns: what has gone.
    func remove(_ selection: PurgeSelection) throws(DiskFault) -> PurgeCounts {
        let before = totals
        try begin()
        switch selection {
        case .originals(let keys):
            for key in keys { try remove(key) }
        case .source, .all:
            // In steps: a transaction of a million rows would hold the log, and memory, for as long.
            while true {
                let keys = try origins(in: selection)
                for key in keys { try remove(key) }
                if keys.count < Self.removalStep { break }
                try commit()
                try begin()
            }
        }
        try hideForGood(selection)
        noteRemoved(selection)
        var counts = PurgeCounts()
        counts.originals = before[.originals].entries - totals[.originals].entries
        counts.variants = before[.variants].entries - totals[.variants].entries
        counts.bytes =
            before[.originals].bytes - totals[.originals].bytes + before[.variants].bytes - totals[.variants].bytes
        return counts
    }

    /// Notes what no row tells of: files that the index is still to be made of, and the seed layer's.
    private func hideForGood(_ selection: PurgeSelection) throws(DiskFault) {
        var selection = selection
        if !isRebuilding {
            guard let seed = shared.seed else { return }
            // Of single originals only those that are there: the table is to end.
            if case .originals(let keys) = selection { selection = .originals(keys.filter(seed.contains(origin:))) }
        }
        do throws(SQLiteError) { try index.noteRemoved(selection) } catch { throw .index(error) }
    }

    private func origins(in selection: PurgeSelection) throws(DiskFault) -> [CacheKey] {
        do throws(SQLiteError) {
            return try index.origins(in: selection, limit: Self.removalStep)
        } catch {
            throw .index(error)
        }
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
