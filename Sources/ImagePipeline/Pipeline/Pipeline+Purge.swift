package import HTTPCache
import LinuxSystem

extension Pipeline {
    /// Removes the selected entries from memory and disk, including those being made, or marks them as stale.
    ///
    /// Requests that start after this call never see purged content; after a soft purge they see it only once the origin has validated
    /// it, or where stale responses are allowed. Waiting requests still receive the response in progress, which is not stored. Any
    /// thread; returns immediately.
    ///
    /// - Parameters:
    ///   - isSoft: whether to mark entries as stale instead of removing them; not for presets, whose originals have not changed.
    ///   - beside: purges other caches over the same disk, after the disk entries are hidden and before they are removed; returns the
    ///     number of purged entries.
    ///   - completion: called when the removal from disk is durable, on the store's thread; without a disk, before this returns.
    /// - Returns: false when too many purges are waiting for the disk; nothing is removed from it, and the completion is not called.
    package func purge(
        _ selection: PurgeSelection,
        isSoft: Bool = false,
        beside: (Purge) -> Int = { _ in 0 },
        completion: @escaping @Sendable (PurgeCounts) -> Void
    ) -> Bool {
        let purge = Purge(selection, staleFrom: isSoft ? parts.time.wallSeconds : nil)
        return carryOut(purge, at: nil, beside: beside, completion: completion)
    }

    /// Applies the next entry of the log that this node shares with others, like a purge; it is in no log itself.
    ///
    /// Once this has returned true, `PurgeProgress.sequence` has advanced to the entry: readers see nothing that it selects. Applying it
    /// again, as after a crash, keeps what was requested since. To be called by one thread at a time, in the order of the log.
    ///
    /// - Parameters:
    ///   - place: the entry's place; one that has been applied already is ignored.
    ///   - beside: as for `purge`.
    ///   - completion: as for `purge`; not called for an ignored entry.
    /// - Returns: false when too many purges are waiting for the disk; the entry counts as not applied, and is to be tried again.
    package func apply(
        _ purge: Purge,
        at place: PurgePlace,
        beside: (Purge) -> Int = { _ in 0 },
        completion: @escaping @Sendable (PurgeCounts) -> Void = { _ in }
    ) -> Bool {
        guard place.sequence > parts.progress.sequence else { return true }
        return carryOut(purge, at: place, beside: beside, completion: completion)
    }

    /// Continues at another place of the log after entries were missed: what was requested before needs validation once.
    ///
    /// Requests that arrive after this call do not share downloads that are in progress. The caller should also record that the
    /// node is out of touch until it knows everything up to the log's end. Any thread; not concurrently with `apply`.
    ///
    /// - Parameter beside: does the same for other caches over the same disk.
    package func raiseFloor(to place: PurgePlace, beside: () -> Void = {}) {
        let era = parts.progress.nextEra
        // First, so that nothing of the new era is on disk before the era itself.
        parts.disk?.setPosition(PurgePosition(place: place, era: era))
        parts.progress.begin(era: era, at: place)
        leavePurged(beside)
    }

    /// Continues at the position that is on disk, for a process that could not read it when it was started.
    ///
    /// What it has requested or seen fail until then may lack the purges up to there. To be called before the node follows the log.
    ///
    /// - Parameter beside: as for `raiseFloor`.
    package func resume(_ position: PurgePosition, beside: () -> Void = {}) {
        guard parts.progress.resume(position) else { return }
        leavePurged(beside)
    }

    /// Ends the sharing of what may lack purges, and forgets failures, which cannot be validated.
    private func leavePurged(_ beside: () -> Void) {
        originals.pool.detachAll()
        variants.detachAll()
        beside()
        parts.failures.remove(.all)
    }

    private func carryOut(
        _ purge: Purge,
        at place: PurgePlace?,
        beside: (Purge) -> Int,
        completion: @escaping @Sendable (PurgeCounts) -> Void
    ) -> Bool {
        let selection = purge.selection
        // The order matters. First hide the entries on disk, so that nothing old is read. Then stop flights that may have read old
        // entries, and those that start now, from publishing while memory is cleared. Originals come before variants, which are made
        // from them. All earlier disk writes precede the removal in the queue.
        if let disk = parts.disk, !disk.tombstone(purge) { return false }
        var counts = PurgeCounts()
        counts.flights = originals.pool.beginPurge(selection) + variants.beginPurge(selection)
        // Requests of a preset may share results with other requests.
        var shared = selection
        if selection.isOfVariants {
            shared = .all
            parts.bodies.forgetResolved()
        }
        _ = making.beginPurge(shared)
        _ = mezzanines.beginPurge(selection)
        parts.recent.purge(purge)
        parts.shared?.purge(selection)
        parts.failures.remove(selection)
        if let time = purge.staleFrom {
            counts.memory = memoryCount(selection)
            parts.origins.expire(selection, at: time)
            // These have states of their own, and the owner has the response to validate.
            _ = parts.memory.removeAll { _, entity in entity.isHotCopy && selection.covers(entity.subject) == true }
        } else {
            parts.origins.forget(selection)
            counts.memory = parts.memory.removeAll { _, entity in entity.isSelected(by: selection) }
            _ = parts.openFiles.removeAll { _, entity in entity.isSelected(by: selection) }
        }
        counts.memory += beside(purge)
        let isQueued = remove(purge, at: place, counts, completion)
        // Before flights may publish again: they must see that the node has applied the purge.
        if isQueued, let place { parts.progress.advance(to: place, by: purge) }
        originals.pool.endPurge(selection)
        variants.endPurge(selection)
        making.endPurge(shared)
        mezzanines.endPurge(selection)
        return isQueued
    }

    private func remove(
        _ purge: Purge,
        at place: PurgePlace?,
        _ counts: PurgeCounts,
        _ completion: @escaping @Sendable (PurgeCounts) -> Void
    ) -> Bool {
        guard let disk = parts.disk else {
            completion(counts)
            return true
        }
        return disk.remove(purge, at: place) { below in
            var all = counts
            all.add(below)
            (all.isDiskPending, all.isVolatile) = (below.isDiskPending, below.isVolatile)
            completion(all)
        }
    }

    /// Clears a selection from one tier; the other keeps its copies, and requests in progress are not affected (SDWebImage:
    /// `clearMemory`, `clearDisk`, `removeImageForKey:fromDisk:`).
    ///
    /// - Parameters:
    ///   - beside: clears other memory caches; returns the number of dropped entries.
    ///   - completion: called when the removal from disk is durable, on the store's thread; for memory, before this returns.
    /// - Returns: false when too many purges are waiting for the disk; nothing is removed, and the completion is not called.
    package func clear(
        _ tier: StoredTier,
        of selection: PurgeSelection,
        beside: () -> Int = { 0 },
        completion: @escaping @Sendable (PurgeCounts) -> Void
    ) -> Bool {
        var counts = PurgeCounts()
        switch tier {
        case .memory:
            counts.memory = parts.memory.removeAll { _, entity in entity.isSelected(by: selection) } + beside()
            completion(counts)
            return true
        case .disk:
            guard let disk = parts.disk else {
                completion(counts)
                return true
            }
            let purge = Purge(selection)
            guard disk.tombstone(purge) else { return false }
            parts.recent.purge(purge)
            _ = parts.openFiles.removeAll { _, entity in entity.isSelected(by: selection) }
            return disk.remove(purge, completion: completion)
        }
    }

    /// Counts the entries that a purge would select; blocks.
    package func count(_ selection: PurgeSelection) -> PurgeCounts {
        var counts = parts.disk?.count(selection) ?? PurgeCounts()
        counts.memory = memoryCount(selection)
        return counts
    }

    private func memoryCount(_ selection: PurgeSelection) -> Int {
        parts.memory.count { _, entity in entity.isSelected(by: selection) }
    }
}

/// A tier that can be cleared by itself.
package enum StoredTier: String, Hashable, Sendable, CaseIterable {
    case memory, disk
}
