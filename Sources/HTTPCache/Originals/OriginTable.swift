import HTTPSemantics
import LinuxSystem

/// A table with the single `OriginState` of each original that is in use in memory; any thread.
///
/// It references the states weakly, so its size is bounded by the memory cache and the flights.
package final class OriginTable: Sendable {
    private struct Slot: Sendable {
        weak let state: OriginState?
    }

    private struct Slots: Sendable {
        var byKey: [CacheKey: Slot] = [:]
        var sweepAt = 1024

        mutating func insert(_ record: OriginRecord, _ progress: PurgeProgress) -> OriginState {
            if byKey.count >= sweepAt {
                byKey = byKey.filter { $0.value.state != nil }
                sweepAt = max(1024, byKey.count * 2)
            }
            let state = OriginState(record, progress: progress)
            byKey[record.key] = Slot(state: state)
            return state
        }
    }

    private let slots = Lock(Slots())
    private let progress: PurgeProgress

    /// Creates an empty table.
    ///
    /// - Parameter progress: the node's knowledge of purges.
    package init(progress: PurgeProgress = .alone) { self.progress = progress }

    /// Returns the live state of the record's original, or creates one from the record.
    ///
    /// A live state takes precedence over a record read from disk, which may be about to be overwritten. If the record is the
    /// same response marked as stale, however, the state becomes stale, too: it may come from an earlier read of the record.
    package func state(for record: OriginRecord) -> OriginState {
        slots.withLock { slots in
            guard let state = slots.byKey[record.key]?.state else { return slots.insert(record, progress) }
            let known = state.record
            if known.freshness.responseTime == record.freshness.responseTime,
                known.freshness.staleAt > record.freshness.staleAt, known.digest == record.digest
            {
                state.expire(at: record.freshness.staleAt)
            }
            return state
        }
    }

    /// Updates the original's state from the origin's latest response, or creates one; the snapshot has the given record.
    package func update(_ record: OriginRecord) -> OriginSnapshot {
        slots.withLock { slots in
            slots.byKey[record.key]?.state?.update(record) ?? slots.insert(record, progress).snapshot
        }
    }

    /// Removes the states of a selection: later work starts with a new state.
    package func forget(_ selection: PurgeSelection) {
        slots.withLock { slots in
            if case .originals(let keys) = selection {
                for key in keys { slots.byKey[key] = nil }
                return
            }
            slots.byKey = slots.byKey.filter { entry in
                guard let state = entry.value.state else { return false }
                return selection.covers(PurgeSubject(state.record)) != true
            }
        }
    }

    /// Removes an original's state and invalidates everything made from it.
    package func retire(_ key: CacheKey) {
        slots.withLock { slots in slots.byKey.removeValue(forKey: key)?.state?.retire() }
    }

    /// Marks the states of a selection as stale from a second of the wall clock.
    package func expire(_ selection: PurgeSelection, at now: Int64) {
        slots.withLock { slots in
            for slot in slots.byKey.values {
                guard let state = slot.state, selection.covers(PurgeSubject(state.record)) == true else { continue }
                state.expire(at: now)
            }
        }
    }

    /// Returns the live state of an original, if there is one.
    package func live(_ key: CacheKey) -> OriginState? { slots.withLock { $0.byKey[key]?.state } }
}
