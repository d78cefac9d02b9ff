import LinuxSystem

extension Pipeline {
    /// Removes originals and everything that was made of them, from memory and from disk, also what is being made now.
    ///
    /// Whoever asks after the call gets nothing of what was there before; who waits already gets the answer that is under way,
    /// which is not kept. Any thread; returns at once.
    /// - Parameter completion: called once what is on disk is gone for good, on a thread of the store, or at once.
    /// - Returns: false when too many purges wait for the disk: nothing was removed from it, and the completion is not called.
    package func purge(
        _ selection: PurgeSelection,
        completion: @escaping @Sendable (PurgeCounts) -> Void
    ) -> Bool {
        // The order matters. First nothing old can be read from below. Then flights that may have read it before are cut off, and
        // what starts now is, too: nothing old can be put anywhere while everything is cleared. Originals are let go first, since
        // variants are made of them. What was queued for the disk until here is queued before the removal.
        if let disk = parts.disk, !disk.conceal(selection) { return false }
        var counts = PurgeCounts()
        counts.flights = originals.beginPurge(selection) + variants.beginPurge(selection)
        parts.recent.purge(selection)
        parts.origins.forget(selection)
        parts.failures.remove(selection)
        counts.memory = parts.memory.removeAll { _, entity in
            selection.contains(origin: entity.origin.key, source: entity.origin.source)
        }
        parts.openFiles.removeAll { _, entity in
            selection.contains(origin: entity.origin.key, source: entity.origin.source)
        }
        originals.endPurge(selection)
        variants.endPurge(selection)
        guard let disk = parts.disk else {
            completion(counts)
            return true
        }
        return disk.remove(selection) { [counts] below in
            var all = counts
            (all.originals, all.variants, all.bytes) = (below.originals, below.variants, below.bytes)
            all.isDiskPending = below.isDiskPending
            completion(all)
        }
    }

    /// Counts what a purge would remove now; on a thread that may block.
    package func count(_ selection: PurgeSelection) -> PurgeCounts {
        var counts = parts.disk?.count(selection) ?? PurgeCounts()
        counts.memory = parts.memory.count { _, entity in
            selection.contains(origin: entity.origin.key, source: entity.origin.source)
        }
        return counts
    }
}
