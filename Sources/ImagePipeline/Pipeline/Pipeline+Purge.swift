package import HTTPCache
import LinuxSystem

extension Pipeline {
    /// Removes what is selected from memory and from disk, also what is being made of it now; or lets it count as stale.
    ///
    /// Whoever asks after the call gets nothing of what was there before, of a soft purge nothing without asking the origin (but
    /// where stale answers are allowed). Who waits already gets the answer that is under way, which is not kept. Any thread;
    /// returns at once.
    /// - Parameters:
    ///   - isSoft: whether it only counts as stale from now on; not for presets, whose originals have not changed.
    ///   - beside: does the same to what others keep above the same disk, while nothing old can be read from that nor is removed
    ///     yet; returns how much it was.
    ///   - completion: called once what is on disk is gone for good, on a thread of the store, or at once.
    /// - Returns: false when too many purges wait for the disk: nothing was removed from it, and the completion is not called.
    package func purge(
        _ selection: PurgeSelection,
        isSoft: Bool = false,
        beside: (Purge) -> Int = { _ in 0 },
        completion: @escaping @Sendable (PurgeCounts) -> Void
    ) -> Bool {
        let selection = selection.withMezzanines
        let purge = Purge(selection, staleFrom: isSoft ? parts.time.wallSeconds : nil)
        // The order matters. First nothing old can be read from below. Then flights that may have read it before are cut off, and
        // what starts now is, too: nothing old can be put anywhere while everything is cleared. Originals are let go first, since
        // variants are made of them. What was queued for the disk until here is queued before the removal.
        if let disk = parts.disk, !disk.conceal(purge) { return false }
        var counts = PurgeCounts()
        counts.flights = originals.pool.beginPurge(selection) + variants.beginPurge(selection)
        parts.recent.purge(purge)
        parts.failures.remove(selection)
        if let time = purge.staleFrom {
            counts.memory = memoryCount(selection)
            parts.origins.expire(selection, at: time)
        } else {
            parts.origins.forget(selection)
            counts.memory = parts.memory.removeAll { _, entity in selection.covers(entity.subject) == true }
            _ = parts.openFiles.removeAll { _, entity in selection.covers(entity.subject) == true }
        }
        counts.memory += beside(purge)
        originals.pool.endPurge(selection)
        variants.endPurge(selection)
        guard let disk = parts.disk else {
            completion(counts)
            return true
        }
        return disk.remove(purge) { [counts] below in
            var all = counts
            all.add(below)
            all.isDiskPending = below.isDiskPending
            completion(all)
        }
    }

    /// Counts what a purge would be about now; on a thread that may block.
    package func count(_ selection: PurgeSelection) -> PurgeCounts {
        var counts = parts.disk?.count(selection) ?? PurgeCounts()
        counts.memory = memoryCount(selection)
        return counts
    }

    private func memoryCount(_ selection: PurgeSelection) -> Int {
        parts.memory.count { _, entity in selection.covers(entity.subject) == true }
    }
}

extension PurgeSelection {
    /// The selection with the mezzanines of the same originals.
    var withMezzanines: PurgeSelection {
        guard case .originals(let keys) = self else { return self }
        return .originals(keys.flatMap { [$0] + MezzanineStage.keys(of: $0) })
    }
}
