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
        making.endPurge(shared)
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
            counts.memory = parts.memory.removeAll { _, entity in selection.covers(entity.subject) == true } + beside()
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
            _ = parts.openFiles.removeAll { _, entity in selection.covers(entity.subject) == true }
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
        parts.memory.count { _, entity in selection.covers(entity.subject) == true }
    }
}

/// A tier that can be cleared by itself.
package enum StoredTier: String, Hashable, Sendable, CaseIterable {
    case memory, disk
}
