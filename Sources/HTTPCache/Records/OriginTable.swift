import HTTPSemantics
import LinuxSystem

/// The one `OriginState` of each original that something in memory refers to; any thread.
///
/// Holds its states weakly: it grows with the memory cache and the flights, and is bounded by their bounds.
package final class OriginTable: Sendable {
    private struct Slot: Sendable {
        weak let state: OriginState?
    }

    private struct Slots: Sendable {
        var byKey: [CacheKey: Slot] = [:]
        var sweepAt = 1024

        mutating func insert(_ record: OriginRecord) -> OriginState {
            if byKey.count >= sweepAt {
                byKey = byKey.filter { $0.value.state != nil }
                sweepAt = max(1024, byKey.count * 2)
            }
            let state = OriginState(record)
            byKey[record.key] = Slot(state: state)
            return state
        }
    }

    private let slots = Lock(Slots())

    /// Creates a table without states.
    package init() {}

    /// The live state of the record's original, else a new one of the record.
    ///
    /// A live state wins over a record read from disk: the disk's may be waiting to be overwritten. That the same answer has been
    /// marked as stale holds, though: the state may be of one who has read the record before.
    package func state(for record: OriginRecord) -> OriginState {
        slots.withLock { slots in
            guard let state = slots.byKey[record.key]?.state else { return slots.insert(record) }
            let known = state.record
            if known.freshness.responseTime == record.freshness.responseTime,
                known.freshness.staleAt > record.freshness.staleAt, known.digest == record.digest
            {
                state.expire(at: record.freshness.staleAt)
            }
            return state
        }
    }

    /// The original's state after the origin has spoken: the live one, updated, else a new one; with the record as given.
    package func update(_ record: OriginRecord) -> OriginSnapshot {
        slots.withLock { slots in
            slots.byKey[record.key]?.state?.update(record) ?? slots.insert(record).snapshot
        }
    }

    /// Lets go of the states of a selection: what is made from now on begins with a state of its own.
    package func forget(_ selection: PurgeSelection) {
        slots.withLock { slots in
            slots.byKey = slots.byKey.filter { entry in
                guard let state = entry.value.state else { return false }
                return selection.covers(PurgeSubject(state.record)) != true
            }
        }
    }

    /// Lets go of an original's state, and lets nothing that was made of it be served again.
    package func retire(_ key: CacheKey) {
        slots.withLock { slots in slots.byKey.removeValue(forKey: key)?.state?.retire() }
    }

    /// Lets the states of a selection count as stale from a second on.
    package func expire(_ selection: PurgeSelection, at now: Int64) {
        slots.withLock { slots in
            for slot in slots.byKey.values {
                guard let state = slot.state, selection.covers(PurgeSubject(state.record)) == true else { continue }
                state.expire(at: now)
            }
        }
    }

    /// The live state of an original, if there is one.
    package func live(_ key: CacheKey) -> OriginState? { slots.withLock { $0.byKey[key]?.state } }
}
